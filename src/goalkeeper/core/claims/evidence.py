"""What bears a claim out. Evidence is typed; signals, tiers and queries are counted here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from goalkeeper.core.claims.file_state import is_gone
from goalkeeper.core.claims.found import Claim, ClaimClass
from goalkeeper.core.claims.outage import is_down
from goalkeeper.core.claims.silent import is_silent
from goalkeeper.wire.value import Value

TIERS = frozenset({"tree", "adjacent", "codebase", "web"})
ENOUGH_TIERS = 2
ENOUGH_QUERIES = 3  # when all of them looked in one tier
ENOUGH_SIGNALS = 2


class Read(Value):
    """A file read by the engine."""

    path: str
    exists: bool
    digest: str = ""


class Search(Value):
    tier: str  # tree, adjacent, codebase or web
    query: str
    found: int


class Signal(Value):
    """One observation of a thing that is said not to work."""

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
    """A field looked for by the engine."""

    path: str
    field: str
    present: bool
    error: str = ""


Evidence = Read | Search | Signal | Health | Probe


class Override(Value):
    """A human's word that a claim stands all the same; an empty claim means every claim."""

    reason: str
    claim: str = ""  # the sentence, or the words matched in it


class Unsupported(Value):
    claim: Claim
    code: str
    message: str
    mend: str


def find_unsupported(
    claims: Iterable[Claim], evidence: Iterable[Evidence], overrides: Iterable[Override] = ()
) -> tuple[tuple[Unsupported, ...], tuple[Override, ...]]:
    """What is not borne out, and the overrides without which there would be more of it."""
    known = tuple(evidence)
    given = [override for override in overrides if override.reason.strip()]
    failures: list[Unsupported] = []
    used: set[int] = set()
    for claim in claims:
        found = list(_RULES[claim.kind](claim, known))
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


def _file_state(claim: Claim, evidence: Sequence[Evidence]) -> Iterator[Unsupported]:
    reads = {
        _split_path(e.path): e.exists for e in evidence if isinstance(e, Read)
    }  # the last counts
    gone = is_gone(claim.matched)
    if not claim.files:
        said = "The claim names no file that could be read."
        yield Unsupported(claim, "file-not-named", said, "name the file")
    for path in claim.files:
        matching = _find_known(path, reads)
        if not matching:
            yield Unsupported(
                claim, "file-not-read", f"{path} was not read when this was said of it.",
                f"let the engine read {path}",
            )  # fmt: skip
        elif len(matching) > 1:
            among = ", ".join("/".join(parts) for parts in matching)
            yield Unsupported(
                claim, "file-ambiguous", f"{path} could be any of {among}.",
                f"write {path} with the folder it lies in",
            )  # fmt: skip
        elif reads[matching[0]] is gone:
            yield _other_state(claim, path, gone=gone)


def _other_state(claim: Claim, path: str, *, gone: bool) -> Unsupported:
    if gone:
        said = f"{path} is still there, and the claim says that it is gone."
        return Unsupported(claim, "file-still-there", said, f"remove {path}, or correct the claim")
    said = f"{path} does not exist, so it can be in no such state."
    return Unsupported(claim, "file-does-not-exist", said, f"make {path}, or correct the claim")


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
    """The path itself if it is known, else those that end in it, whole names only."""
    wanted = _split_path(path)
    exact = [parts for parts in known if parts == wanted]
    return exact or [parts for parts in known if wanted and parts[-len(wanted) :] == wanted]


def _check_absence(claim: Claim, evidence: Sequence[Evidence]) -> Iterator[Unsupported]:
    searches = [e for e in evidence if isinstance(e, Search) and e.tier in TIERS and e.found >= 0]
    hits = [search for search in searches if search.found]
    if hits:
        where = "; ".join(f"{s.found} in {s.tier} for '{s.query}'" for s in hits[:3])
        yield Unsupported(
            claim, "absence-contradicted", f"A search found something: {where}.",
            "read what was found, and correct the claim",
        )  # fmt: skip
    tiers = {search.tier for search in searches}
    queries = {" ".join(search.query.casefold().split()) for search in searches} - {""}
    if len(tiers) < ENOUGH_TIERS and not (tiers and len(queries) >= ENOUGH_QUERIES):
        yield Unsupported(
            claim,
            "absence-not-searched",
            f"{len(tiers)} tiers and {len(queries)} queries were searched;"
            f" it takes {ENOUGH_TIERS} tiers, or one and {ENOUGH_QUERIES} queries.",
            f"search in two of {', '.join(sorted(TIERS))}, or with three different queries in one",
        )


def _check_infrastructure(claim: Claim, evidence: Sequence[Evidence]) -> Iterator[Unsupported]:
    signals = {
        tuple(" ".join(part.casefold().split()) for part in (e.tool, e.endpoint, e.type))
        for e in evidence
        if isinstance(e, Signal) and not is_silent(e.command) and not is_silent(e.tool)
    } - {("", "", "")}
    if len(signals) < ENOUGH_SIGNALS:
        yield Unsupported(
            claim,
            "infrastructure-too-few-signals",
            f"{len(signals)} distinct signals that were not silenced; it takes {ENOUGH_SIGNALS}.",
            "look again with another tool, at another endpoint or for another kind of evidence,"
            " and let errors be seen",
        )
    checks = [e for e in evidence if isinstance(e, Health) and e.command.strip()]
    if not checks:
        yield Unsupported(
            claim, "infrastructure-no-health-check", "No health check was run.",
            "run the health check of what is said not to work",
        )  # fmt: skip
    elif is_down(claim.matched) and all(check.exit_code == 0 for check in checks):
        ran = checks[-1].command
        yield Unsupported(
            claim, "infrastructure-healthy", f"The health check passed: {ran}",
            "correct the claim, or run a health check of the part that does not work",
        )  # fmt: skip


def _zero_count(claim: Claim, evidence: Sequence[Evidence]) -> Iterator[Unsupported]:
    if not claim.field:
        yield Unsupported(
            claim, "zero-count-no-field", "The claim names no field that could be looked for.",
            "name the field as the data spell it, in backticks",
        )  # fmt: skip
        return
    probes = [e for e in evidence if isinstance(e, Probe)]
    mine = [p for p in probes if _is_field(claim.field, p.field, probes) and _is_in(claim, p)]
    if any(probe.present and not probe.error for probe in mine):
        return
    code, said = "zero-count-not-probed", f"The field {claim.field} was not looked for."
    if mine and all(probe.error for probe in mine):
        code, said = "zero-count-probe-failed", f"Looking for {claim.field}: {mine[-1].error}"
    elif mine:
        code = "zero-count-field-not-found"
        said = f"No record has a field {claim.field}: a zero may only mean that it is misspelt."
    where = f" in {', '.join(claim.files)}" if claim.files else ""
    yield Unsupported(claim, code, said, f"let the engine look for {claim.field}{where}")


def _is_field(named: str, probed: str, probes: Sequence[Probe]) -> bool:
    """The field itself, or the only one probed that ends in it."""
    ending = {probe.field for probe in probes if f".{probe.field}".endswith(f".{named}")}
    return probed == named or (named not in ending and ending == {probed})


def _is_in(claim: Claim, probe: Probe) -> bool:
    return not claim.files or any(
        _find_known(path, [_split_path(probe.path)]) for path in claim.files
    )


_RULES: dict[ClaimClass, Callable[[Claim, Sequence[Evidence]], Iterator[Unsupported]]] = {
    ClaimClass.FILE_STATE: _file_state,
    ClaimClass.ABSENCE: _check_absence,
    ClaimClass.INFRASTRUCTURE: _check_infrastructure,
    ClaimClass.ZERO_COUNT: _zero_count,
}
