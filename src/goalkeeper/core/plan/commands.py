"""What somebody asks for, in the imperative. The caller checks shape, `decide` checks sense."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan.model import Base, Classification, Frozen, GoalMode, NewGoal
from goalkeeper.wire.value import MaybeEmpty, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.contract.findings import Finding
    from goalkeeper.core.draft.model import Draft, Examiner, Opinion
    from goalkeeper.core.drive.events import DriveEvent
    from goalkeeper.core.drive.state import ExitKind
    from goalkeeper.core.review.assessed import Quality
    from goalkeeper.core.review.lane import Lane


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

    objective: MaybeEmpty
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
    gate: str = ""  # it is strict, or empty for standard


class StartNext(Value):
    retry_failed: bool = False


class Checkpoint(Value):
    goal_id: str
    status: CheckpointStatus
    evidence: str
    snapshot: GoalSnapshot | None = None
    judgement: Judgement | None = None
    quality: Quality | None = None
    cycle: str = ""  # the key by which a repeat of a recurring goal's cycle is known


class ReportLane(Value):
    goal_id: str
    lane: Lane


class RecordReceipt(Value):
    kind: str
    goal_id: str
    digest: str
    tree: str
    contract: str


class RecordExaminer(Value):
    goal_id: str
    examiner: Examiner


class RecordDraft(Value):
    """A draft was rated, or somebody accepts it."""

    goal_id: str
    draft: Draft


class RecordOpinion(Value):
    goal_id: str
    opinion: Opinion


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


class AnswerFindings(Value):
    """Let findings of one rule in one file stand, for a reason."""

    goal_id: str
    contract: str
    findings: tuple[Finding, ...]
    reason: str


class Unblock(Value):
    goal_id: str
    evidence: str


class RecordReviewBlockers(Value):
    goal_id: str
    title: str
    objective: str
    evidence: str
    work: Base | None = None  # what was reviewed
    snapshot: GoalSnapshot | None = None


class RecordStanding(Value):
    """Criteria of complete goals were judged on a tree."""

    tree: str
    criteria: tuple[Judged, ...]


class RecordLanding(Value):
    commit: str
    tree: str
    unproven: tuple[str, ...] = ()


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
    """An agent asks for an honest exit."""

    goal_id: str
    kind: ExitKind
    evidence: str


class Advance(Value):
    """Record a step of a drive."""

    event: DriveEvent


class RecordStep(Value):
    """A stage of a verification has passed, for these inputs."""

    goal_id: str
    contract: str
    step: str
    inputs: str
    note: str
    answers: str = ""


class RecordAnswers(Value):
    """All stages have passed: questions of the contract are answered on this tree."""

    goal_id: str
    contract: str
    tree: str
    criteria: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]  # each stage comes with its inputs
    answers: str
    note: str
    overrides: tuple[str, ...] = ()
    result: str = ""  # the result of a hypothesis
    abbreviated: str = ""  # the condition under which the checklist was left out
    left_to_user: tuple[str, ...] = ()
    summary: str = ""


class RecordFailedAnswers(Value):
    """Answers about questions of the contract did not hold on this tree."""

    goal_id: str
    contract: str
    tree: str
    criteria: tuple[str, ...]
    problems: tuple[str, ...]
    steps: tuple[str, ...] = ()


class ClaimAbbreviation(Value):
    goal_id: str
    step: str
    condition: str


class ConfirmCriterion(Value):
    """A person has looked, and confirms the criterion."""

    goal_id: str
    criterion: str
    contract: str
    tree: str
    evidence: str


class Expire(Value):
    goal_id: str


class Defer(Value):
    """A hypothesis has not resolved yet."""

    goal_id: str


class CloseRun(Value):
    reason: str


# Steering may make only these six changes. The written form of a change names its kind.


class AddSubgoal(Value):
    kind = "add_subgoal"

    goal: NewGoal


class SplitSubgoal(Value):
    kind = "split_subgoal"

    goal_id: MaybeEmpty
    replacements: tuple[NewGoal, ...]


class ReorderPending(Value):
    kind = "reorder_pending"

    order: tuple[str, ...]


class RevisePendingWording(Value):
    kind = "revise_pending_wording"

    goal_id: MaybeEmpty
    title: str = ""
    objective: str = ""


class AnnotateLedger(Value):
    kind = "annotate_ledger"


class MarkBlockedSuperseded(Value):
    kind = "mark_blocked_superseded"

    goal_id: MaybeEmpty


Change = (
    AddSubgoal | SplitSubgoal | ReorderPending | RevisePendingWording | AnnotateLedger
    | MarkBlockedSuperseded
)  # fmt: skip


class Steer(Value):
    change: Change
    evidence: str
    rationale: str
    key: str = ""


# Each of these is about one goal of the plan.
GoalCommand = (
    Checkpoint | FreezeContract | AmendContract | RecordJudgement | ReportLane | Unblock
    | RecordReviewBlockers | GiveUp | RecordStep | RecordAnswers | RecordFailedAnswers
    | ClaimAbbreviation | ConfirmCriterion | Expire | Defer | RecordExaminer | RecordDraft
    | RecordOpinion | AnswerFindings
)  # fmt: skip
Command = (
    GoalCommand | StartNext | RecordStanding | RecordLanding | RecordReceipt | Steer
    | ClassifyBlocker | ChangeGoalTool | RecordHandoff | Advance | CloseRun
)  # fmt: skip
