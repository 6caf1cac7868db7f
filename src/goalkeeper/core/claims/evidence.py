"""Evidence confirms a claim. It is typed, and signals, tiers and queries are counted here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from goalkeeper.core.claims.file_state import is_gone
from goalkeeper.core.claims.masking import flatten_signs
from goalkeeper.core.claims.reading import Claim, ClaimClass
from goalkeeper.core.claims.word_lists import read_pattern
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

TIERS = frozenset({"tree", "adjacent", "codebase", "web"})
ENOUGH_TIERS = 2
ENOUGH_QUERIES = 3  # so many queries are enough when all of them looked in one tier
ENOUGH_SIGNALS = 2
_NULL = late_pattern(
    r"(?:2|&)>{1,2}\s{0,9}(?:/dev/null|nul\b)|2>&-|>\s{0,9}/dev/null\s{1,9}2>&1", re.IGNORECASE
)
_SHRUG = late_pattern(r"(?:\|\||;)\s{0,9}(?:true|:|exit\s{1,9}0)\s{0,9}(?:$|[;)}\n])")
_COMMAND = late_pattern(r"[|;&()\n]+")
_LETTERS = late_pattern(r"-[A-Za-z]+")
_QUIET = frozenset({"--quiet", "--silent", "--no-messages"})
_QUIET_WITH_Q = frozenset({"grep", "egrep", "fgrep", "rg", "ssh", "wget", "scp"})


class Read(Value):
    """A file that the engine read."""

    path: str
    exists: bool
    digest: str = ""


class Contained(Value):
    """A text that the engine looked for in a file."""

    path: str
    text: str
    present: bool


class Search(Value):
    tier: str  # it is tree, adjacent, codebase or web
    query: str
    found: int


class Signal(Value):
    """What somebody observed of a thing that is said not to work."""

    tool: str
    endpoint: str
    type: str
    command: str = ""
    output: str = ""
    exit_code: int | None = None


class Health(Value):
    """A health check that ran."""

    command: str
    exit_code: int


class Probe(Value):
    """A field that the engine looked for."""

    path: str
    field: str
    present: bool
    error: str = ""


Evidence = Read | Contained | Search | Signal | Health | Probe


class Override(Value):
    """A human says that a claim stands all the same; an empty claim means every claim."""

    reason: str
    claim: str = ""  # it is the sentence, or the words matched in it


class Unsupported(Value):
    claim: Claim
    code: str
    message: str
    mend: str


Problems = Iterator[tuple[str, str, str]]  # each has a code, what is wrong, and what mends it


def find_unsupported(
    claims: Iterable[Claim], evidence: Iterable[Evidence], overrides: Iterable[Override] = ()
) -> tuple[tuple[Unsupported, ...], tuple[Override, ...]]:
    """Return the claims without evidence, and the overrides without which there would be more."""
    known = tuple(evidence)
    given = [override for override in overrides if override.reason.strip()]
    failures: list[Unsupported] = []
    used: set[int] = set()
    for claim in claims:
        found = [Unsupported(claim, *problem) for problem in _RULES[claim.kind](claim, known)]
        cover = next(
            (n for n, override in enumerate(given) if _is_overridden(override, claim)), None
        )
        if found and cover is not None:
            used.add(cover)
        else:
            failures += found
    return tuple(failures), tuple(given[number] for number in sorted(used))


def _is_overridden(override: Override, claim: Claim) -> bool:
    named = " ".join(override.claim.split())
    return named in ("", " ".join(claim.sentence.split()), " ".join(claim.matched.split()))


def _check_file_state(claim: Claim, evidence: Sequence[Evidence]) -> Problems:
    # The last read of a path counts.
    reads = {_split_path(e.path): e.exists for e in evidence if isinstance(e, Read)}
    gone = is_gone(claim.matched)
    if not claim.files:
        yield "file-not-named", "The claim names no file that could be read.", "name the file"
    for path in claim.files:
        matching = _find_known(path, reads)
        if not matching:
            said = f"{path} was not read when this was said of it."
            yield "file-not-read", said, f"let the engine read {path}"
        elif len(matching) > 1:
            among = ", ".join("/".join(parts) for parts in matching)
            mend = f"write {path} with the folder it lies in"
            yield "file-ambiguous", f"{path} could be any of {among}.", mend
        elif gone and reads[matching[0]]:
            said = f"{path} is still there, and the claim says that it is gone."
            yield "file-still-there", said, f"remove {path}, or correct the claim"
        elif not gone and not reads[matching[0]]:
            said = f"{path} does not exist, so it can be in no such state."
            yield "file-does-not-exist", said, f"make {path}, or correct the claim"
        elif reads[matching[0]]:
            yield from _check_contents(claim, path, matching[0], evidence)


def _check_contents(
    claim: Claim, path: str, parts: tuple[str, ...], evidence: Sequence[Evidence]
) -> Problems:
    """What a file is said to contain word for word must be in it."""
    missing = {e.text for e in evidence if isinstance(e, Contained) and not e.present
               and _split_path(e.path) == parts}  # fmt: skip
    for text in claim.contents:
        if text in missing:
            mend = "correct the claim, or say in other words what the file is about"
            yield "file-lacks-content", f"{path} does not contain '{text}'.", mend


def _split_path(path: str) -> tuple[str, ...]:
    parts: list[str] = []
    rooted = path.startswith(("/", "\\"))
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("", *parts) if rooted else tuple(parts)


def _find_known(path: str, known: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the path itself if it is known, else the known paths that end in its names."""
    wanted = _split_path(path)
    exact = [parts for parts in known if parts == wanted]
    return exact or [parts for parts in known if wanted and parts[-len(wanted) :] == wanted]


def _check_absence(claim: Claim, evidence: Sequence[Evidence]) -> Problems:
    del claim  # all claims of absence are searched for alike
    searches = [e for e in evidence if isinstance(e, Search) and e.tier in TIERS and e.found >= 0]
    hits = [f"{s.found} in {s.tier} for '{s.query}'" for s in searches if s.found]
    if hits:
        said = f"A search found something: {'; '.join(hits[:3])}."
        yield "absence-contradicted", said, "read what was found, and correct the claim"
    tiers = {search.tier for search in searches}
    queries = {" ".join(search.query.casefold().split()) for search in searches} - {""}
    if len(tiers) < ENOUGH_TIERS and not (tiers and len(queries) >= ENOUGH_QUERIES):
        said = (
            f"{len(tiers)} tiers and {len(queries)} queries were searched;"
            f" it takes {ENOUGH_TIERS} tiers, or one and {ENOUGH_QUERIES} queries."
        )
        where = ", ".join(sorted(TIERS))
        mend = f"search in two of {where}, or with three different queries in one"
        yield "absence-not-searched", said, mend


def _check_infrastructure(claim: Claim, evidence: Sequence[Evidence]) -> Problems:
    signals = {
        tuple(" ".join(part.casefold().split()) for part in (e.tool, e.endpoint, e.type))
        for e in evidence
        if isinstance(e, Signal) and not is_silent(e.command) and not is_silent(e.tool)
    } - {("", "", "")}
    if len(signals) < ENOUGH_SIGNALS:
        said = f"{len(signals)} distinct signals that were not silenced; it takes {ENOUGH_SIGNALS}."
        mend = (
            "look again with another tool, at another endpoint or for another kind of evidence,"
            " and let errors be seen"
        )
        yield "infrastructure-too-few-signals", said, mend
    checks = [e for e in evidence if isinstance(e, Health) and e.command.strip()]
    down = read_pattern(ClaimClass.INFRASTRUCTURE, "DOWN")  # this says that it does not work at all
    if not checks:
        mend = "run the health check of what is said not to work"
        yield "infrastructure-no-health-check", "No health check was run.", mend
    elif down.search(flatten_signs(claim.matched)) and not any(c.exit_code for c in checks):
        said = f"The health check passed: {checks[-1].command}"
        mend = "correct the claim, or run a health check of the part that does not work"
        yield "infrastructure-healthy", said, mend


def is_silent(command: str) -> bool:
    """Return whether the command hides that it failed; then its silence is no signal."""
    if _NULL.search(command) or _SHRUG.search(command):
        return True
    return any(_is_quiet(part.split()) for part in _COMMAND.split(command))


def _is_quiet(words: list[str]) -> bool:
    names = {word.rsplit("/", 1)[-1] for word in words}
    letters = {letter for word in words if _LETTERS.fullmatch(word) for letter in word[1:]}
    if "q" in letters and names & _QUIET_WITH_Q:
        return True
    if "curl" in names and ("S" in letters or "--show-error" in words):
        return False
    # curl -s alone still shows what the server said; with -f it shows nothing.
    fails = "curl" in names and ("f" in letters or "--fail" in words)
    return bool(_QUIET & set(words)) or (fails and "s" in letters)


def _check_zero_count(claim: Claim, evidence: Sequence[Evidence]) -> Problems:
    if not claim.field:
        said = "The claim names no field that could be looked for."
        yield "zero-count-no-field", said, "name the field as the data spell it, in backticks"
        return
    probes = [e for e in evidence if isinstance(e, Probe)]
    mine = [probe for probe in probes if _is_field(claim.field, probe.field, probes)]
    if claim.files:
        known = [_split_path(probe.path) for probe in mine]
        named = {parts for path in claim.files for parts in known if _find_known(path, [parts])}
        mine = [probe for probe in mine if _split_path(probe.path) in named]
    if any(probe.present and not probe.error for probe in mine):
        return
    code, said = "zero-count-not-probed", f"The field {claim.field} was not looked for."
    if mine and all(probe.error for probe in mine):
        code, said = "zero-count-probe-failed", f"Looking for {claim.field}: {mine[-1].error}"
    elif mine:
        code = "zero-count-field-not-found"
        said = f"No record has a field {claim.field}: a zero may only mean that it is misspelt."
    where = f" in {', '.join(claim.files)}" if claim.files else ""
    yield code, said, f"let the engine look for {claim.field}{where}"


def _is_field(named: str, probed: str, probes: Sequence[Probe]) -> bool:
    """Return whether the probed field is the named one, or the only one that ends in its name."""
    ending = {probe.field for probe in probes if f".{probe.field}".endswith(f".{named}")}
    return probed == named or (named not in ending and ending == {probed})


def probe_field(path: str, field: str, data: bytes | None) -> Probe:
    """Return whether any record of the file has a value there; null is no value.

    A count of zero may be a field that nobody writes.
    """
    if data is None:
        return Probe(path, field, present=False, error=f"there is no file {path}")
    found = list(_iterate_records(path, data))
    if not found:
        return Probe(path, field, present=False, error=f"{path} holds no JSON records")
    return Probe(path, field, present=any(_find_value(each, field) is not None for each in found))


def _iterate_records(path: str, data: bytes) -> Iterator[Any]:
    if not path.endswith((".jsonl", ".ndjson")):
        document = _decode_record(data)
        if document is not None:
            yield from document if isinstance(document, list) else [document]
        return
    for line in data.splitlines():
        record = _decode_record(line)
        if record is not None:  # a line that is cut off says nothing about the others
            yield record


def _decode_record(data: bytes) -> Any:  # noqa: ANN401  any JSON
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _find_value(record: Any, field: str) -> Any:  # noqa: ANN401  any JSON
    for name in field.split("."):
        if not isinstance(record, dict):
            return None
        record = record.get(name)
    return record


_RULES: dict[ClaimClass, Callable[[Claim, Sequence[Evidence]], Problems]] = {
    ClaimClass.FILE_STATE: _check_file_state,
    ClaimClass.ABSENCE: _check_absence,
    ClaimClass.INFRASTRUCTURE: _check_infrastructure,
    ClaimClass.ZERO_COUNT: _check_zero_count,
}
