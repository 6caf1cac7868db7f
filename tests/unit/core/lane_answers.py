"""What lanes answer when nothing is wrong, and ways to spoil it."""

import copy
from typing import Any

Answer = dict[str, Any]

CLEANER: Answer = {"findings": [], "evidence": "read the difference"}
ARCHITECT: Answer = {
    "architectureStatus": "CLEAR",
    "productStatus": "CLEAR",
    "codeStatus": "CLEAR",
    "recommendation": "APPROVE",
    "evidence": "read the difference",
    "commands": ["git diff"],
    "blockers": [],
}
CRITIC: Answer = {"verdict": "OKAY", "evidence": "read the difference", "blockers": []}


def replay(*command: str, prints: str) -> Answer:
    return {
        "schemaVersion": 1,
        "kind": "cli-replay",
        "replaySafe": True,
        "command": list(command),
        "recordedStdout": prints,
    }


def artifact(name: str, record: Answer) -> Answer:
    return {"id": name, "kind": "command-replay", "description": name, "replay": record}


def qa(shown: Answer, tried: Answer, about: str = "C1") -> Answer:
    """It was used once as it should be, and once as it should not."""
    return {
        "status": "passed",
        "e2eStatus": "passed",
        "redTeamStatus": "passed",
        "evidence": "used it",
        "e2eCommands": ["sh show.sh"],
        "redTeamCommands": ["sh show.sh nonsense"],
        "artifactRefs": [artifact("shown", shown), artifact("tried", tried)],
        "contractCoverage": [
            {
                "id": "covered",
                "contractRef": about,
                "obligation": "it holds",
                "status": "covered",
                "surfaceEvidenceRefs": ["used"],
                "adversarialCaseRefs": ["abused"],
            }
        ],
        "surfaceEvidence": [
            {
                "id": "used",
                "contractRef": about,
                "surface": "cli",
                "invocation": "sh show.sh",
                "verdict": "passed",
                "artifactRefs": ["shown"],
            }
        ],
        "adversarialCases": [
            {
                "id": "abused",
                "contractRef": about,
                "scenario": "an argument that means nothing",
                "expectedBehavior": "it is not looked at",
                "verdict": "passed",
                "artifactRefs": ["tried"],
            }
        ],
        "blockers": [],
    }


def finding(level: str, category: str = "dead-code", **more: object) -> Answer:
    return {
        "category": category, "level": level, "path": "product.txt", "line": 1,
        "message": "nobody needs it", **more,
    }  # fmt: skip


def spoiled(answer: Answer, path: str, value: object) -> Answer:
    """A copy with another value at a path such as `artifactRefs.0.kind`; None: without it."""
    changed = copy.deepcopy(answer)
    *way, last = path.split(".")
    place: Any = changed
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    if value is None:
        del place[last]
    else:
        place[int(last) if last.isdigit() else last] = value
    return changed
