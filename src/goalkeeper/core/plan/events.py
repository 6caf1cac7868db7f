"""What happened, past tense. An event class never changes its meaning; see `codec`."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.core.contract.criteria import Decision
from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.core.drive.events import DriveEvent
from goalkeeper.core.plan.commands import Change, CheckpointStatus
from goalkeeper.core.plan.model import Base, Classification, Frozen, GoalMode, NewGoal, ToolStatus
from goalkeeper.wire.value import MaybeEmpty, Value

TYPE_CHECKING = False
if TYPE_CHECKING:  # most commands drive nothing
    from goalkeeper.core.drive.lane import Lane
    from goalkeeper.core.drive.state import ExitKind
    from goalkeeper.core.review.assessed import Quality


class PlanCreated(Value):
    run_id: str
    brief: MaybeEmpty
    mode: GoalMode
    objective: MaybeEmpty
    constraints: MaybeEmpty
    goals: tuple[NewGoal, ...]
    session: str = ""
    replaces: str = ""
    reason: str = ""
    base: Base | None = None
    gate: str = ""  # strict, or empty: standard


class GoalStarted(Value):
    goal_id: str


class GoalCheckpointed(Value):
    """A goal was set down unfinished: failed or blocked. Completion is `GoalCompleted`."""

    goal_id: str
    status: CheckpointStatus
    evidence: MaybeEmpty


class ContractFrozen(Value):
    goal_id: str
    frozen: Frozen


class ContractAmended(Value):
    goal_id: str
    frozen: Frozen
    reason: MaybeEmpty


class GoalJudged(Value):
    goal_id: str
    iteration: int
    judgement: Judgement
    decision: Decision


class GoalCompleted(Value):
    goal_id: str
    evidence: MaybeEmpty
    gate: str = ""
    judgement: Judgement | None = None
    quality: Quality | None = None  # of the strict gate


class LaneReported(Value):
    """A review that goalkeeper ran."""

    goal_id: str
    lane: Lane


class ReceiptIssued(Value):
    """Signed and kept under its digest."""

    kind: MaybeEmpty
    goal_id: MaybeEmpty
    digest: MaybeEmpty
    tree: MaybeEmpty
    contract: str = ""


class GoalUnblocked(Value):
    goal_id: str
    evidence: MaybeEmpty


class SteeringAccepted(Value):
    change: Change
    evidence: MaybeEmpty
    rationale: MaybeEmpty
    key: MaybeEmpty
    request: MaybeEmpty
    goal_ids: tuple[str, ...]
    revision: int  # of the plan, when all of the command's events are in


class SteeringRejected(Value):
    change: Change
    evidence: MaybeEmpty
    rationale: MaybeEmpty
    reason: MaybeEmpty


class ReviewBlockersRecorded(Value):
    goal_id: str
    blocker_id: str
    title: MaybeEmpty
    objective: MaybeEmpty
    evidence: MaybeEmpty


class BlockerClassified(Value):
    classification: Classification
    evidence: MaybeEmpty
    goal_id: str = ""


class GoalToolChanged(Value):
    status: ToolStatus
    objective: MaybeEmpty


class ObjectiveMigrated(Value):
    old: MaybeEmpty
    new: MaybeEmpty


class HandoffRecorded(Value):
    to: MaybeEmpty


class StateCleared(Value):
    reason: MaybeEmpty


class LedgerRepaired(Value):
    actions: tuple[str, ...]


class HonestExit(Value):
    """An agent says that it cannot meet the goal, and why."""

    goal_id: str
    kind: ExitKind
    evidence: MaybeEmpty


class CommandRefused(Value):
    """An agent asked for something the rules do not allow. Changes nothing."""

    command: MaybeEmpty
    reason: MaybeEmpty
    goal_id: str = ""


# A goal was verified that no program settles alone, or that recurs.


class StepVerified(Value):
    """A step has passed its last gate; it counts while its inputs are the same."""

    goal_id: str
    step: MaybeEmpty
    inputs: MaybeEmpty
    note: str = ""


class QuestionsAnswered(Value):
    """Criteria that no program settles count as met on this tree, and on no other."""

    goal_id: str
    criteria: tuple[str, ...]
    tree: MaybeEmpty
    contract: MaybeEmpty
    reason: MaybeEmpty
    answers: str = ""  # the digest of the document in the run's evidence; empty: a human looked
    overrides: tuple[str, ...] = ()


class AbbreviationRefused(Value):
    """An obligation was to be cut short on grounds that the record does not bear out."""

    goal_id: str
    step: MaybeEmpty
    condition: MaybeEmpty
    reason: MaybeEmpty


class HypothesisExpired(Value):
    goal_id: str
    evidence: MaybeEmpty


class CycleAchieved(Value):
    """A recurring goal was proven once more; it is pending again."""

    goal_id: str
    cycle: MaybeEmpty
    evidence: MaybeEmpty
    gate: str = ""
    judgement: Judgement | None = None


VerifyEvent = (
    StepVerified | QuestionsAnswered | AbbreviationRefused | HypothesisExpired | CycleAchieved
)


class Unknown(Value):
    """An event of a kind this version does not know: kept, without effect."""

    kind: str
    data: Mapping[str, object]


Event = (
    PlanCreated | GoalStarted | GoalCheckpointed | ContractFrozen | ContractAmended | GoalJudged
    | GoalCompleted | LaneReported | ReceiptIssued | GoalUnblocked | SteeringAccepted
    | SteeringRejected | ReviewBlockersRecorded | BlockerClassified | GoalToolChanged
    | ObjectiveMigrated | HandoffRecorded | StateCleared | LedgerRepaired | HonestExit
    | DriveEvent | VerifyEvent | CommandRefused | Unknown
)  # fmt: skip
