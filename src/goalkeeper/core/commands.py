"""What somebody asks for, imperative. Shape is checked at the edge, sense in `decide`."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from goalkeeper.core.model import Classification, GoalMode, NewGoal


class CheckpointStatus(StrEnum):
    COMPLETE = "complete"
    FAILED = "failed"
    BLOCKED = "blocked"


class ToolOp(StrEnum):
    CREATE = "create"
    COMPLETE = "complete"
    DROP = "drop"
    PAUSE = "pause"
    RESUME = "resume"


class GoalSnapshot(NamedTuple):
    """What a client says the goal tool holds (`--goal-json`)."""

    objective: str
    status: str


class CreatePlan(NamedTuple):
    run_id: str
    brief: str
    mode: GoalMode
    constraints: str
    goals: tuple[NewGoal, ...]
    replaces: str = ""
    reason: str = ""


class StartNext(NamedTuple):
    retry_failed: bool = False


class Checkpoint(NamedTuple):
    goal_id: str
    status: CheckpointStatus
    evidence: str
    snapshot: GoalSnapshot | None = None


class Unblock(NamedTuple):
    goal_id: str
    evidence: str


class RecordReviewBlockers(NamedTuple):
    goal_id: str
    title: str
    objective: str
    evidence: str


class ClassifyBlocker(NamedTuple):
    classification: Classification
    evidence: str
    goal_id: str = ""


class ChangeGoalTool(NamedTuple):
    op: ToolOp
    objective: str = ""


class RecordHandoff(NamedTuple):
    to: str


class CloseRun(NamedTuple):
    reason: str


# The six changes steering may make, as requests; an accepted one is the event's payload.


class AddSubgoal(NamedTuple):
    goal: NewGoal


class SplitSubgoal(NamedTuple):
    goal_id: str
    replacements: tuple[NewGoal, ...]


class ReorderPending(NamedTuple):
    order: tuple[str, ...]


class RevisePendingWording(NamedTuple):
    goal_id: str
    title: str = ""
    objective: str = ""


class AnnotateLedger(NamedTuple):
    pass


class MarkBlockedSuperseded(NamedTuple):
    goal_id: str


Change = (
    AddSubgoal
    | SplitSubgoal
    | ReorderPending
    | RevisePendingWording
    | AnnotateLedger
    | MarkBlockedSuperseded
)


class Steer(NamedTuple):
    change: Change
    evidence: str
    rationale: str
    key: str = ""


Command = (
    CreatePlan
    | StartNext
    | Checkpoint
    | Unblock
    | Steer
    | RecordReviewBlockers
    | ClassifyBlocker
    | ChangeGoalTool
    | RecordHandoff
    | CloseRun
)
