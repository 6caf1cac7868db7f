"""What the engine itself looks at in the tree that answers are about."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from goalkeeper.app.trials import Files, WitnessPort
from goalkeeper.core.answers import procedure, scanning
from goalkeeper.core.answers.document import Answers, Given
from goalkeeper.core.answers.procedure import Scene
from goalkeeper.core.claims.contents import is_contained
from goalkeeper.core.claims.evidence import (
    Contained,
    Evidence,
    Health,
    Read,
    Search,
    Signal,
    probe_field,
)
from goalkeeper.core.plan.model import Base
from goalkeeper.wire.canonical import sha256

_MOST_NAMESAKES = 10


def look_up_evidence(witness: WitnessPort, answers: Answers, candidate: Base, base: Base) -> Scene:
    """Look at what answers name. What was there at `base`, where work began, shows nothing."""
    now, then = witness.open_tree(candidate.tree), witness.open_tree(base.tree)
    shown, asked = procedure.list_artifacts(answers), scanning.list_probed_fields(answers)
    named = (*shown, *scanning.files_in(scanning.list_texts(answers)))
    read = read_named_files(now, {*now.list_paths(), *then.list_paths()}, named)
    evidence = (
        *read,
        *_look_into(now, scanning.list_contents(answers)),
        *(
            probe_field(path, field, now.read_file(_resolve_name(now, path)))
            for path, field in asked
        ),
        *_look_up_given(witness, now, candidate, answers),
    )
    commits = witness.list_commits(base, candidate)
    used = scanning.list_used(answers, evidence)
    files, before = _digest_files(now, shown), _digest_files(then, shown)
    return Scene(candidate.tree, files, before, commits, evidence, used)


def _look_into(now: Files, said: Iterable[tuple[str, str]]) -> list[Contained]:
    """Look for what files are said to contain."""
    found = []
    for path, text in said:
        each = _resolve_name(now, procedure.clean_path(path))
        data = now.read_file(each)
        if data is not None:
            found.append(Contained(each, text, present=is_contained(text, data)))
    return found


def _digest_files(files: Files, paths: Sequence[str]) -> dict[str, str]:
    read = {path: files.read_file(path) for path in paths}
    return {path: sha256(data) for path, data in read.items() if data is not None}


def read_named_files(now: Files, known: Container[str], names: Iterable[str]) -> list[Read]:
    """Read every file that is named; a bare name may stand for a file in any folder."""
    found: list[Read] = []
    for named in names:
        path = procedure.clean_path(named)
        for each in [path] if path in known else _find_namesakes(now, path) or [path]:
            data = now.read_file(each)
            digest = sha256(data) if data is not None else ""
            found.append(Read(each, exists=data is not None, digest=digest))
    return list(dict.fromkeys(found))


def _find_namesakes(files: Files, path: str) -> list[str]:
    return [each for each in files.list_paths() if each.endswith(f"/{path}")][:_MOST_NAMESAKES]


def _resolve_name(files: Files, path: str) -> str:
    """Return the path as it is written, or the only file whose path ends with it."""
    same = _find_namesakes(files, path)
    return same[0] if len(same) == 1 and path not in files.list_paths() else path


def _look_up_given(
    witness: WitnessPort, now: Files, candidate: Base, answers: Answers
) -> list[Evidence]:
    """Take what is told of other places as it is, and look up what can be looked up here."""
    found: list[Evidence] = []
    for given in answers.evidence:
        match given.kind:
            case "search":
                own = procedure.list_artifacts(answers)
                found.append(_search(witness, now, candidate, given, own))
            case "signal":
                found.append(Signal(**given.fields))
            case "health":
                found.append(Health(**given.fields))
            case _:
                pass  # probes are looked at above
    return found


def _search(
    witness: WitnessPort, now: Files, candidate: Base, given: Given, own: Sequence[str]
) -> Search:
    """Search all files but the answers, which are no sign of what they say is absent."""
    tier, query, found = (given.fields[name] for name in ("tier", "query", "found"))
    if tier == "tree":
        wanted = query.casefold()
        found = sum(wanted in path.casefold() for path in now.list_paths() if path not in own)
    elif tier == "codebase":
        found = witness.count_mentions(candidate.tree, query, without=own)
    return Search(tier, query, found)
