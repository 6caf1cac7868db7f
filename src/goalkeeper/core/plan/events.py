"""What happened, named in the past tense. An event class never changes its meaning; see `codec`."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.core.contract.criteria import Decision
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.drive.events import DriveEvent
from goalkeeper.core.plan.commands import Change, CheckpointStatus
from goalkeeper.core.plan.model import Base, Classification, Frozen, GoalMode, NewGoal, ToolStatus
from goalkeeper.wire.value import MaybeEmpty, Value

TYPE_CHECKING = False
if TYPE_CHECKING:  # most commands drive nothing
    from goalkeeper.core.contract.findings import FindingAnswer
    from goalkeeper.core.draft.model import Draft, Examiner, Opinion
    from goalkeeper.core.drive.state import ExitKind
    from goalkeeper.core.review.assessed import Quality
    from goalkeeper.core.review.lane import Lane


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
    gate: str = ""  # it is strict, or empty for standard
    author: str = ""  # it is human or agent; the first version did not record it


class GoalStarted(Value):
    goal_id: str


class GoalCheckpointed(Value):
    """Work on a goal stopped: it failed or is blocked. A goal that is met is `GoalCompleted`."""

    goal_id: str
    status: CheckpointStatus
    evidence: MaybeEmpty


class ExaminerAnswered(Value):
    """An examiner was asked to draft a contract for a goal."""

    goal_id: str
    examiner: Examiner


class ContractDrafted(Value):
    """A contract was drafted and rated, or a draft was accepted."""

    goal_id: str
    draft: Draft


class ContractChallenged(Value):
    """A worker cannot meet a drafted contract, and an examiner was asked whether it is right."""

    goal_id: str
    opinion: Opinion


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
    quality: Quality | None = None  # it belongs to the strict gate


class StandingJudged(Value):
    """Criteria of complete goals were judged on the tree that was proven last."""

    tree: MaybeEmpty
    criteria: tuple[Judged, ...]


class GoalReopened(Value):
    """A goal that was complete is not any longer."""

    goal_id: str
    reason: MaybeEmpty


class WorkLanded(Value):
    """Work came to the user's branch; `unproven` names what does not hold there, or is unknown."""

    commit: MaybeEmpty
    tree: MaybeEmpty
    unproven: tuple[str, ...] = ()


class LaneReported(Value):
    """goalkeeper ran a review."""

    goal_id: str
    lane: Lane


class ReceiptIssued(Value):
    """A receipt was signed, and kept under its digest."""

    kind: MaybeEmpty
    goal_id: MaybeEmpty
    digest: MaybeEmpty
    tree: MaybeEmpty
    contract: str = ""


class GoalUnblocked(Value):
    goal_id: str
    evidence: MaybeEmpty
    behind: str = ""  # the goal that is active, so that this one waits for its turn


class SteeringAccepted(Value):
    change: Change
    evidence: MaybeEmpty
    rationale: MaybeEmpty
    key: MaybeEmpty
    request: MaybeEmpty
    goal_ids: tuple[str, ...]
    revision: int  # the plan's revision after all events of the command


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
    work: Base | None = None  # what was reviewed; the first version did not record it


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
    """An agent asked for something that the rules do not allow. This changes nothing."""

    command: MaybeEmpty
    reason: MaybeEmpty
    goal_id: str = ""


# The following events are about a goal that no program settles alone, or that recurs.


class StepVerified(Value):
    """A stage has passed its last gate; it counts while its inputs are the same."""

    goal_id: str
    step: MaybeEmpty
    inputs: MaybeEmpty
    note: str = ""
    answers: str = ""  # the digest of the document with what was answered


class QuestionsAnswered(Value):
    """Criteria that no program settles count as met on this tree, and on no other."""

    goal_id: str
    criteria: tuple[str, ...]
    tree: MaybeEmpty
    contract: MaybeEmpty
    reason: MaybeEmpty
    answers: str = ""  # the digest of the document in the evidence; if it is empty, a human looked
    overrides: tuple[str, ...] = ()
    left_to_user: tuple[str, ...] = ()
    summary: str = ""


class VerificationFailed(Value):
    """Answers did not hold; what was answered before about the same tree counts no longer."""

    goal_id: str
    criteria: tuple[str, ...]
    tree: MaybeEmpty
    problems: tuple[str, ...]
    steps: tuple[str, ...] = ()  # the stages that failed; what they passed before is void


class AbbreviationRefused(Value):
    """Somebody asked to cut an obligation short for a reason that the record does not confirm."""

    goal_id: str
    step: MaybeEmpty
    condition: MaybeEmpty
    reason: MaybeEmpty


class FindingAnswered(Value):
    """A worker answered a question about its change, or a human let stand what blocks."""

    goal_id: str
    answer: FindingAnswer


class HypothesisExpired(Value):
    goal_id: str
    evidence: MaybeEmpty


class HypothesisDeferred(Value):
    """A hypothesis has not resolved yet; others go on, and it is asked again from then on."""

    goal_id: str
    until: MaybeEmpty


class CycleAchieved(Value):
    """A recurring goal was proven once more; it is pending again."""

    goal_id: str
    cycle: MaybeEmpty
    evidence: MaybeEmpty
    gate: str = ""
    judgement: Judgement | None = None


VerifyEvent = (
    StepVerified
    | QuestionsAnswered
    | VerificationFailed
    | AbbreviationRefused
    | FindingAnswered
    | HypothesisExpired
    | HypothesisDeferred
    | CycleAchieved
)


class Unknown(Value):
    """An event of a kind that this version does not know. It is kept, and has no effect."""

    kind: str
    data: Mapping[str, object]


Event = (
    PlanCreated | GoalStarted | GoalCheckpointed | ContractFrozen | ContractAmended | GoalJudged
    | GoalCompleted | StandingJudged | GoalReopened | WorkLanded | LaneReported | ReceiptIssued
    | GoalUnblocked | SteeringAccepted | SteeringRejected | ReviewBlockersRecorded
    | BlockerClassified | GoalToolChanged | ObjectiveMigrated | HandoffRecorded | StateCleared
    | LedgerRepaired | HonestExit | ExaminerAnswered | ContractDrafted
    | ContractChallenged
    | DriveEvent | VerifyEvent | CommandRefused | Unknown
)  # fmt: skip
