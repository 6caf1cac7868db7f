"""A gate with nothing against it, and ways to spoil one."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.core.review.reading import read_gate
from goalkeeper.core.review.words import About

Gate = dict[str, Any]
Spoil = Callable[[Gate], object]
Step = str | int

GOAL = "G001"
QA = "executorQa"
ROW = f"{QA}.contractCoverage[0]"
WEB, CLI = f"{QA}.surfaceEvidence[0]", f"{QA}.surfaceEvidence[1]"
CASE = f"{QA}.adversarialCases[0]"
ABOUT = About(GOAL, ("C1", "C2", "C3"))

# Each row is needed, so that none can be taken out unnoticed.
ARTIFACTS = [
    {"id": "drive", "kind": "browser-automation", "description": "a drive", "path": "out/d.json"},
    {"id": "shot", "kind": "screenshot", "description": "the page", "path": "out/page.png"},
    {"id": "again", "kind": "command-replay", "description": "a run", "path": "out/run.json"},
    {"id": "tries", "kind": "failure-mode-test", "description": "tries", "path": "out/tries.txt"},
]
SURFACES = [
    {
        "id": "on-web",
        "contractRef": "C1",
        "surface": "web",
        "invocation": "opened the page and pressed Save",
        "verdict": "passed",
        "artifactRefs": ["drive", "shot"],
    },
    {
        "id": "on-cli",
        "contractRef": "C2",
        "surface": "cli",
        "invocation": "ran the tool",
        "verdict": "passed",
        "artifactRefs": ["again"],
    },
]
CASES = [
    {
        "id": "bad-input",
        "contractRef": "C3",
        "scenario": "an empty file",
        "expectedBehavior": "it is refused",
        "verdict": "passed",
        "artifactRefs": ["tries"],
    }
]
COVERAGE = [
    {
        "id": "row-1",
        "contractRef": "C1",
        "obligation": "the page saves",
        "status": "covered",
        "surfaceEvidenceRefs": ["on-web"],
    },
    {
        "id": "row-2",
        "contractRef": "C2",
        "obligation": "the tool prints",
        "status": "covered",
        "surfaceEvidenceRefs": ["on-cli"],
    },
    {
        "id": "row-3",
        "contractRef": "C3",
        "obligation": "bad input is refused",
        "status": "covered",
        "adversarialCaseRefs": ["bad-input"],
    },
]
CLEAN: Gate = {
    "architectReview": {
        "architectureStatus": "CLEAR",
        "productStatus": "CLEAR",
        "codeStatus": "CLEAR",
        "recommendation": "APPROVE",
        "evidence": "read all of it",
        "commands": ["git diff main"],
        "blockers": [],
    },
    "executorQa": {
        "status": "passed",
        "e2eStatus": "passed",
        "redTeamStatus": "passed",
        "evidence": "tried all of it",
        "e2eCommands": ["make e2e"],
        "redTeamCommands": ["make attack"],
        "artifactRefs": ARTIFACTS,
        "contractCoverage": COVERAGE,
        "surfaceEvidence": SURFACES,
        "adversarialCases": CASES,
        "blockers": [],
    },
    "iteration": {
        "status": "passed",
        "evidence": "ran all of it again",
        "fullRerun": True,
        "rerunCommands": ["make test"],
        "blockers": [],
    },
}


def clean() -> Gate:
    return deepcopy(CLEAN)


def at(gate: Any, path: str) -> Any:  # noqa: ANN401  JSON
    """What stands at a path such as `executorQa.surfaceEvidence[1]`."""
    for step in steps_of(path):
        gate = gate[step]
    return gate


def steps_of(path: str) -> list[Step]:
    words = path.replace("[", ".").replace("]", "").split(".")
    return [int(word) if word.isdigit() else word for word in words]


def changed(path: str, value: object) -> Gate:
    """A clean gate with one thing changed in it."""
    gate = clean()
    *way, last = steps_of(path)
    place = gate
    for step in way:
        place = place[step]  # type: ignore[index]
    place[last] = value  # type: ignore[index]
    return gate


def without(path: str) -> Gate:
    gate = clean()
    *way, last = steps_of(path)
    place: Any = gate
    for step in way:
        place = place[step]
    del place[last]
    return gate


def patched(path: str, **fields: object) -> Gate:
    gate = clean()
    at(gate, path).update(fields)
    return gate


def found(gate: Any, about: About = ABOUT) -> tuple[Diagnostic, ...]:  # noqa: ANN401  any JSON
    return read_gate(gate, about).diagnostics


def told(gate: Any, about: About = ABOUT) -> list[tuple[str, str]]:  # noqa: ANN401  any JSON
    """Where and what kind, of all that is wrong."""
    return [(each.path, each.code) for each in found(gate, about)]


def places(value: object, way: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    """The way to everything in a document, but for the whole."""
    inside: list[tuple[Step, Any]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    for step, item in inside:
        yield (*way, step)
        yield from places(item, (*way, step))
