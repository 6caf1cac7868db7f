"""What somebody asks for, imperative. Shape is checked at the edge, sense in `decide`."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.judgement import Judgement
from goalkeeper.core.model import Base, Classification, Frozen, GoalMode, NewGoal
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.assessed import Quality
    from goalkeeper.core.drive import ExitKind
    from goalkeeper.core.drive_events import DriveEvent
    from goalkeeper.core.lane import Lane


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


class GoalSnapshot(Value):
    """What a client says the goal tool holds (`--goal-json`)."""

    objective: str
    status: str


class CreatePlan(Value):
    run_id: str
    brief: str
    mode: GoalMode
    constraints: str
    goals: tuple[NewGoal, ...]
    replaces: str = ""
    reason: str = ""
    base: Base | None = None
    gate: str = ""  # strict, or empty: standard


class StartNext(Value):
    retry_failed: bool = False


class Checkpoint(Value):
    goal_id: str
    status: CheckpointStatus
    evidence: str
    snapshot: GoalSnapshot | None = None
    judgement: Judgement | None = None
    quality: Quality | None = None


class ReportLane(Value):
    goal_id: str
    lane: Lane


class RecordReceipt(Value):
    kind: str
    goal_id: str
    digest: str
    tree: str
    contract: str


class FreezeContract(Value):
    goal_id: str
    frozen: Frozen


class AmendContract(Value):
    goal_id: str
    frozen: Frozen
    reason: str


class RecordJudgement(Value):
    goal_id: str
    judgement: Judgement
    max_iterations: int


class Unblock(Value):
    goal_id: str
    evidence: str


class RecordReviewBlockers(Value):
    goal_id: str
    title: str
    objective: str
    evidence: str


class ClassifyBlocker(Value):
    classification: Classification
    evidence: str
    goal_id: str = ""


class ChangeGoalTool(Value):
    op: ToolOp
    objective: str = ""


class RecordHandoff(Value):
    to: str


class GiveUp(Value):
    """An honest exit."""

    goal_id: str
    kind: ExitKind
    evidence: str


class Advance(Value):
    """Record a step of a drive."""

    event: DriveEvent


class CloseRun(Value):
    reason: str


# The six changes steering may make, as requests; an accepted one is the event's payload.


class AddSubgoal(Value):
    goal: NewGoal


class SplitSubgoal(Value):
    goal_id: str
    replacements: tuple[NewGoal, ...]


class ReorderPending(Value):
    order: tuple[str, ...]


class RevisePendingWording(Value):
    goal_id: str
    title: str = ""
    objective: str = ""


class AnnotateLedger(Value):
    pass


class MarkBlockedSuperseded(Value):
    goal_id: str


Change = (
    AddSubgoal
    | SplitSubgoal
    | ReorderPending
    | RevisePendingWording
    | AnnotateLedger
    | MarkBlockedSuperseded
)


class Steer(Value):
    change: Change
    evidence: str
    rationale: str
    key: str = ""


Command = (
    StartNext
    | Checkpoint
    | FreezeContract
    | AmendContract
    | RecordJudgement
    | ReportLane
    | RecordReceipt
    | Unblock
    | Steer
    | RecordReviewBlockers
    | ClassifyBlocker
    | ChangeGoalTool
    | RecordHandoff
    | GiveUp
    | Advance
    | CloseRun
)
