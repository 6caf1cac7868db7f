"""The values of a plan: goals, contracts, blockers and what was recorded of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from goalkeeper.core.contract.criteria import CriterionState
from goalkeeper.core.contract.timing import Timing
from goalkeeper.core.problems import clip_line
from goalkeeper.wire.value import MaybeEmpty, Value

TYPE_CHECKING = False
if TYPE_CHECKING:  # most commands drive nothing
    from goalkeeper.core.contract.findings import Finding, FindingAnswer
    from goalkeeper.core.draft.model import Draft, Examiner, Opinion
    from goalkeeper.core.drive.artifacts import ArtifactGate
    from goalkeeper.core.drive.state import Drive
    from goalkeeper.core.review.assessed import Quality
    from goalkeeper.core.review.lane import Lane

TITLE_LIMIT = 80
NO_TERMINAL = "no terminal"
STANDARD, STRICT = GATES = ("standard", "strict")
# Who may have written a contract. An agent wrote it with the plan, or later, for itself.
HUMAN, EXAMINER, AGENT, SELF_WRITTEN, UNKNOWN = (
    "human", "examiner", "agent", "self-written", "unknown",
)  # fmt: skip


class GoalStatus(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    COMPLETE = "complete"
    FAILED = "failed"
    BLOCKED = "blocked"
    REVIEW_BLOCKED = "review_blocked"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


class GoalMode(StrEnum):
    AGGREGATE = "aggregate"
    PER_STORY = "per-story"


class ToolStatus(StrEnum):
    NONE = "none"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETE = "complete"
    DROPPED = "dropped"


class Classification(StrEnum):
    HUMAN_BLOCKED = "human_blocked"
    RESOLVABLE = "resolvable"


class ActorKind(StrEnum):
    HUMAN = "human"
    AGENT = "agent"
    ENGINE = "engine"


class Actor(Value):
    """Who acts, and how that was decided."""

    kind: ActorKind
    how: MaybeEmpty
    session: str = ""

    @property
    def is_unattended(self) -> bool:
        """Return whether nothing but the missing terminal makes it an agent, as in CI."""
        return self.kind is ActorKind.AGENT and self.how == NO_TERMINAL


ENGINE = Actor(ActorKind.ENGINE, "itself")


class Streak(Value):
    """What became of the cycles of a recurring goal so far."""

    last_at: str = ""
    current: int = 0
    longest: int = 0
    count: int = 0
    window: str = ""  # the moment when the last cycle fell due; it is empty for the first
    contract: str = ""  # the digest of the contract that proved the last cycle
    cycles: tuple[str, ...] = ()  # the keys of the last few cycles
    anomaly: str = ""  # it says what is odd about the time of the last cycle


class StepPassed(Value):
    """A stage of a verification that passed, and the digest of all that it was decided by."""

    step: MaybeEmpty
    inputs: MaybeEmpty
    note: str = ""
    answers: str = ""  # the digest of the document with what was answered


class Answered(Value):
    """A criterion that no program settles, and what settled it on one exact tree."""

    criterion: MaybeEmpty
    tree: MaybeEmpty
    contract: MaybeEmpty
    reason: MaybeEmpty
    answers: str = ""  # the digest of the document
    left_to_user: tuple[str, ...] = ()  # outcomes that only the user brings about
    summary: str = ""  # what was produced, in the words of whoever answered


class NewGoal(Value):
    """A goal somebody asks for; it has no id yet."""

    title: MaybeEmpty
    objective: MaybeEmpty
    depends_on: tuple[str, ...] = ()
    contract: str = ""
    timing: Timing | None = None


class Base(Value):
    """The tree on which work began, and its commit, which is empty before the first commit."""

    tree: str
    commit: str = ""


class Frozen(Value):
    """A contract that counts: what it says, whose it is, and what it is measured against."""

    digest: str
    contract: str  # it is JSON
    author: MaybeEmpty  # it is brief, human, agent or examiner
    base: Base
    protected: MaybeEmpty  # the digest of the protected files of the base
    evidence: tuple[str, ...] = ()  # each criterion with its evidence on the base: "C1 <digest>"
    tools: tuple[str, ...] = ()  # the programs at that time: "make /usr/bin/make"
    green: tuple[str, ...] = ()  # criteria that earlier goals had met by then
    red: tuple[str, ...] = ()  # guards that earlier goals had broken by then


class Goal(Value):
    id: str
    title: MaybeEmpty
    objective: MaybeEmpty
    status: GoalStatus
    created_at: str
    updated_at: str
    origin: str
    started_at: str = ""
    completed_at: str = ""
    evidence: str = ""
    attempts: int = 0
    depends_on: tuple[str, ...] = ()
    contract: str = ""
    blocks: str = ""
    start: Base | None = None  # a review blocker begins here: with the work of the goal it blocks
    finding: str = ""  # what the review saw that this goal settles
    superseded_by: tuple[str, ...] = ()
    classification: str = ""
    frozen: Frozen | None = None
    criteria: tuple[CriterionState, ...] = ()
    standing: tuple[CriterionState, ...] = ()  # criteria of other goals that it may have broken
    iteration: int = 0  # it counts judgements
    judgement: str = ""  # the essence of the last judgement
    blocking: int = 0  # it counts findings of the last judgement that close the gate
    finding_answers: tuple[FindingAnswer, ...] = ()  # why findings may stand, and who says so
    let_stand: tuple[Finding, ...] = ()  # the findings of the last judgement that stand
    decision: str = ""  # the decision after the last judgement
    reopened: str = ""  # the reason why it is no longer complete
    exit: str = ""  # the kind of honest exit, when an agent said that it cannot be met
    proven: Base | None = None  # the tree and commit that passed the gate
    lanes: tuple[Lane, ...] = ()  # the last lane of each role
    quality: Quality | None = None  # the quality gate with which it passed the strict gate
    timing: Timing | None = None
    streak: Streak | None = None  # a recurring goal that achieved a cycle has one
    steps: tuple[StepPassed, ...] = ()
    answers: tuple[Answered, ...] = ()
    failed_answers: tuple[str, ...] = ()  # what was wrong with the last answers
    waits_until: str = ""  # a hypothesis that has not resolved yet is not started before
    examiners: tuple[Examiner, ...] = ()  # those who were asked to draft its contract
    draft: Draft | None = None  # the last draft, accepted or not
    opinion: Opinion | None = None  # what an examiner said when the work did not meet the draft

    @property
    def left_to_user(self) -> tuple[str, ...]:
        """Return what is still open for the user where the agent has done its own part."""
        return tuple(dict.fromkeys(left for each in self.answers for left in each.left_to_user))

    @property
    def table(self) -> tuple[CriterionState, ...]:
        """Return all that must hold for it: its own criteria, and those of other goals."""
        return self.criteria + self.standing

    @property
    def drafted_contract(self) -> str:
        """Return the contract that examiners drafted and somebody accepted, in JSON."""
        return self.draft.contract if self.draft and self.draft.accepted_by else ""

    @property
    def is_over(self) -> bool:
        return self.status in {GoalStatus.COMPLETE, GoalStatus.SUPERSEDED, GoalStatus.EXPIRED}

    @property
    def is_recurring(self) -> bool:
        return bool(self.timing and self.timing.interval_hours)


class ToolGoal(Value):
    """What the goal tool holds."""

    status: ToolStatus
    objective: str = ""
    since: str = ""


NO_TOOL_GOAL = ToolGoal(ToolStatus.NONE)


class Blocker(Value):
    """The latest classification of a blocker, and the plan revision it was made for."""

    classification: Classification
    evidence: MaybeEmpty
    goal_id: MaybeEmpty
    revision: int


class SteeringKey(Value):
    """An accepted steer, remembered so that its repeat is a no-op.

    A key given by the caller holds for the whole run; a request without one
    is recognised by its digest while the plan stays at `revision`.
    """

    key: MaybeEmpty
    request: MaybeEmpty
    revision: int
    goal_ids: tuple[str, ...]


class Issued(Value):
    """A receipt that was issued for a goal, or for the whole plan (final)."""

    kind: MaybeEmpty
    goal_id: MaybeEmpty
    digest: MaybeEmpty
    tree: MaybeEmpty
    contract: MaybeEmpty
    revision: int  # the plan's revision at that time


class Plan(Value):
    run_id: str
    mode: GoalMode
    objective: MaybeEmpty
    constraints: MaybeEmpty
    goals: tuple[Goal, ...]
    created_at: str
    updated_at: str
    session: str = ""
    replaces: str = ""
    base: Base | None = None  # work on the next goal begins here
    rules: Base | None = None  # the same with protected files that nobody was free to change
    origin: Base | None = None  # the plan was made here; a contract must be able to fail there
    aliases: tuple[str, ...] = ()
    revision: int = 0
    tool: ToolGoal = NO_TOOL_GOAL
    blocker: Blocker | None = None
    steering_keys: tuple[SteeringKey, ...] = ()
    handoff: str = ""
    closed: str = ""
    landed: str = ""  # the tree with which all that is proven came to the user's branch
    drive: Drive | None = None
    receipts: tuple[Issued, ...] = ()
    gate: str = ""  # it is strict, or empty for standard
    author: str = ""  # it is human or agent; it is empty if nobody recorded it
    raised_by_cycles: int = 0  # so much of the revision is of cycles since the last final receipt

    def find_goal(self, goal_id: str) -> Goal | None:
        return next((goal for goal in self.goals if goal.id == goal_id), None)

    def closed_gate(self, goal_id: str) -> ArtifactGate | None:
        """Return the artifact gate that stopped the work on a goal, if one did."""
        line = self.drive.line(goal_id) if self.drive else None
        return line.closed_gate if line else None

    @property
    def asked_goals(self) -> tuple[Goal, ...]:
        """Return all goals that were asked for and not replaced since."""
        return tuple(goal for goal in self.goals if goal.status is not GoalStatus.SUPERSEDED)

    @property
    def required_goals(self) -> tuple[Goal, ...]:
        """Return the goals that the plan needs to be complete. A recurring goal is never one."""
        expired = GoalStatus.EXPIRED
        return tuple(g for g in self.asked_goals if g.status is not expired and not g.is_recurring)

    @property
    def is_complete(self) -> bool:
        required = self.required_goals
        return bool(required) and all(goal.status is GoalStatus.COMPLETE for goal in required)

    @property
    def is_certified(self) -> bool:
        """Return whether the last final receipt speaks of the plan as it is."""
        finals = [issued for issued in self.receipts if not issued.goal_id]
        since = self.revision - self.raised_by_cycles
        return self.is_complete and bool(finals) and finals[-1].revision == since

    @property
    def judged_from(self) -> Base | None:
        """Return where the protected files come from by which work on the next goal is judged."""
        return self.rules or self.base

    @property
    def is_live(self) -> bool:
        return not self.closed and not self.is_complete

    def with_status(self, status: GoalStatus) -> tuple[Goal, ...]:
        return tuple(goal for goal in self.goals if goal.status is status)


class Refused(Value):
    """The answer is no. It says why, with the facts, and what to run instead."""

    reason: str
    message: str
    hint: str = ""
    facts: Mapping[str, object] = {}


def is_outrun(plan: Plan, goal: Goal) -> bool:
    """Return whether another goal with the same base was proven since, or its own last cycle was.

    Then work on the goal goes on from the tree that was proven last. A base that a human named is
    nobody else's, and a review blocker begins with the work of the goal it blocks.
    """
    head = plan.judged_from
    if goal.is_over or goal.frozen is None or head in {None, goal.frozen.base} or goal.start:
        return False
    bases = [done.frozen.base for done in plan.goals if done.completed_at and done.frozen]
    return bool(goal.streak or goal.reopened) or goal.frozen.base in bases


def name_author(plan: Plan, goal: Goal) -> str:
    """Say who wrote the contract of a goal; it is empty if the goal has none."""
    if goal.frozen is None and not goal.contract:
        return ""
    author = goal.frozen.author if goal.frozen else "brief"
    if author == "brief":
        return plan.author or UNKNOWN  # the first version did not record it
    return SELF_WRITTEN if author == AGENT else author


def clip_title(title: str) -> str:
    return clip_line(title, TITLE_LIMIT)
