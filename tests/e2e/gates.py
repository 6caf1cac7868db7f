"""A repository with a strict plan, and quality gates for it."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.e2e.project import BROKEN, MENDED, Contract, Files, Project, contract, story
from tests.e2e.world import Answer, Env

Gate = dict[str, Any]
Artifact = dict[str, Any]

TOOL = "tool.py"
FILES: Files = {
    **BROKEN,
    TOOL: "print(open('product.txt').read().strip())\n",
    ".gitignore": "out/\n",
}
TRIES = "An empty file, a missing file and a file of 2 GB were given; each was refused by name.\n"
DONE: Files = {**MENDED, "out/tries.txt": TRIES}
RECORD: dict[str, Any] = {
    "schemaVersion": 1,
    "kind": "cli-replay",
    "replaySafe": True,
    "command": ["python3", TOOL],
    "recordedStdout": "fixed\n",
}
CLEAN: Gate = {
    "architectReview": {
        "architectureStatus": "CLEAR",
        "productStatus": "CLEAR",
        "codeStatus": "CLEAR",
        "recommendation": "APPROVE",
        "evidence": "read the whole change",
        "commands": ["git diff"],
        "blockers": [],
    },
    "executorQa": {
        "status": "passed",
        "e2eStatus": "passed",
        "redTeamStatus": "passed",
        "evidence": "ran the tool, and tried to break it",
        "e2eCommands": ["python3 tool.py"],
        "redTeamCommands": ["python3 tool.py < /dev/null"],
        "artifactRefs": [
            {"id": "again", "kind": "command-replay", "description": "a run", "replay": RECORD},
            {
                "id": "tries",
                "kind": "failure-mode-test",
                "description": "what was tried",
                "path": "out/tries.txt",
            },
        ],
        "contractCoverage": [
            {
                "id": "row-1",
                "contractRef": "C1",
                "obligation": "the product is fixed",
                "status": "covered",
                "surfaceEvidenceRefs": ["on-cli"],
                "adversarialCaseRefs": ["odd-input"],
            }
        ],
        "surfaceEvidence": [
            {
                "id": "on-cli",
                "contractRef": "C1",
                "surface": "cli",
                "invocation": "python3 tool.py",
                "verdict": "passed",
                "artifactRefs": ["again"],
            }
        ],
        "adversarialCases": [
            {
                "id": "odd-input",
                "contractRef": "C1",
                "scenario": "no input at all",
                "expectedBehavior": "the same output",
                "verdict": "passed",
                "artifactRefs": ["tries"],
            }
        ],
        "blockers": [],
    },
    "iteration": {
        "status": "passed",
        "evidence": "the cleaner found nothing; all of it was run again after the last change",
        "fullRerun": True,
        "rerunCommands": ["python3 tool.py"],
        "blockers": [],
    },
}


def clean() -> Gate:
    return deepcopy(CLEAN)


def with_artifacts(*artifacts: Artifact) -> Gate:
    """A clean gate with more artifacts; whatever is wrong is wrong with them."""
    gate = clean()
    gate["executorQa"]["artifactRefs"] += artifacts
    return gate


def replayed(**changes: object) -> Gate:
    """A gate whose run is recorded otherwise."""
    gate = clean()
    gate["executorQa"]["artifactRefs"][0]["replay"] = {**RECORD, **changes}
    return gate


def artifact(name: str, kind: str, path: str) -> Artifact:
    return {"id": name, "kind": kind, "description": name, "path": path}


class Strict(Project):
    """A strict plan whose first goal is active, its contract frozen, and the work done."""

    def __init__(self, place: Path, *contracts: Contract, files: Files | None = None) -> None:
        super().__init__(place, {**FILES, **(files or {})})
        stories = [story(f"Part {n}", given) for n, given in enumerate(contracts or [contract()])]
        self.ok("create-goals", "--gate", "strict", "--brief", "\n".join(stories))
        self.start()
        self.ok("contract", "freeze", "--goal-id", "G001")
        self.write(DONE)

    def validate(self, gate: object, env: Env | None = None) -> Answer:
        given = ("--quality-gate-json", self.lay(gate)) if gate is not None else ()
        words = ("quality-gate", "validate", "--goal-id", "G001", "--json", *given)
        return self.run(*words, env=env)

    def found(self, gate: object) -> list[Any]:
        """What validate says is wrong; its exit code agrees."""
        answer = self.validate(gate)
        found: list[Any] = answer.json["diagnostics"]
        assert (answer.code, answer.err) == (1 if found else 0, ""), answer
        return found

    def codes(self, gate: object) -> list[tuple[str, str]]:
        return [(each["path"], each["code"]) for each in self.found(gate)]

    def close(self, gate: object, goal: str = "G001") -> Answer:
        words = ("--status", "complete", "--evidence", "it is done", "--json")
        given = ("--quality-gate-json", self.lay(gate)) if gate is not None else ()
        return self.run("checkpoint", "--goal-id", goal, *words, *given)

    def lay(self, gate: object) -> str:
        """Where the gate lies, where git does not look; a text is handed on as it is."""
        if isinstance(gate, str):
            return gate
        self.write({"out/gate.json": json.dumps(gate)})
        return "out/gate.json"
