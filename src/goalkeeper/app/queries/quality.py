"""What is in the way of the strict gate, and the form that reviewers fill in."""

from __future__ import annotations

from typing import Any

from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan.model import Goal
from goalkeeper.core.review.assessed import Quality


def show_quality(goal: Goal, quality: Quality) -> dict[str, Any]:
    found = quality.diagnostics
    return {
        "ok": not found,
        "goal_id": goal.id,
        "tree": quality.tree,
        "diagnostics": [diagnostic.as_dict() for diagnostic in found],
        "lanes": [voice.as_dict() for voice in quality.lanes],
    }


def make_template(contract: Contract) -> dict[str, Any]:
    coverage = [
        {
            "id": f"contract-{criterion.id}",
            "contractRef": criterion.id,
            "obligation": criterion.text,
            "status": "todo",
            "surfaceEvidenceRefs": [],
            "adversarialCaseRefs": [],
        }
        for criterion in contract.criteria
    ]
    return {
        "architectReview": {
            "architectureStatus": "",
            "productStatus": "",
            "codeStatus": "",
            "recommendation": "",
            "evidence": "",
            "commands": [],
            "blockers": [],
        },
        "executorQa": {
            "status": "",
            "e2eStatus": "",
            "redTeamStatus": "",
            "evidence": "",
            "e2eCommands": [],
            "redTeamCommands": [],
            "artifactRefs": [],
            "contractCoverage": coverage,
            "surfaceEvidence": [],
            "adversarialCases": [],
            "blockers": [],
        },
        "iteration": {
            "status": "",
            "evidence": "",
            "fullRerun": False,
            "rerunCommands": [],
            "blockers": [],
        },
    }
