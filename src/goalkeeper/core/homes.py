"""Where the classes are that annotations of states and events name.

A class that few plans hold is imported when the first value of it is read, and not before: what
agents call all day starts without it (docs/decisions/0003-start-up.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "contract.criteria": ("CriterionState", "CriterionStatus", "Decision", "Verdict"),
    "contract.findings": ("Finding", "Level"),
    "contract.judgement": ("Judged", "Judgement"),
    "contract.timing": ("Timing",),
    "drive.lane": ("Lane", "LaneRole", "LaneWord"),
    "drive.phases": ("Depth", "Ending", "Phase", "Record", "Spend"),
    "drive.state": (
        "Budget", "Drive", "ExitKind", "LineOfWork", "Reason", "Running", "Worktree",
    ),
    "plan.commands": ("Change", "CheckpointStatus"),
    "plan.model": (
        "Actor", "ActorKind", "Answered", "Base", "Blocker", "Classification", "Frozen", "Goal",
        "GoalMode", "GoalStatus", "Issued", "NewGoal", "SteeringKey", "StepPassed", "Streak",
        "ToolGoal", "ToolStatus",
    ),
    "review.assessed": ("Diagnostic", "Quality", "Voice"),
}  # fmt: skip
HOME_OF = {name: home for home, names in _NAMES.items() for name in names}


def find(name: str) -> Any:  # noqa: ANN401  a class, or a union of classes
    """Finds what an annotation names; raises LookupError for a name that stands in no home."""
    return getattr(import_module(f"goalkeeper.core.{HOME_OF[name]}"), name)
