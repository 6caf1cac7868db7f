"""Plans in a given condition, and short ways to ask for changes."""

from goalkeeper.core import fold
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.decide import Decided, create, decide
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.events import Event, GoalCompleted, HypothesisExpired
from goalkeeper.core.plan.model import (
    Actor,
    ActorKind,
    Base,
    Frozen,
    Goal,
    GoalMode,
    GoalStatus,
    NewGoal,
    Plan,
)
from goalkeeper.core.plan.model import Refused as Refusal
from goalkeeper.wire.canonical import compact

AT = "2026-01-01T00:00:00.000000Z"
LATER = "2026-01-02T00:00:00.000000Z"
RUN = "20260101-000000-abcd"
AGENT = Actor(ActorKind.AGENT, "environment: CLAUDECODE", "CLAUDE_CODE_SESSION_ID=s1")
HUMAN = Actor(ActorKind.HUMAN, "terminal")


# The table of statuses, written out independently of the code:
# pending → active → complete | failed | blocked | review_blocked; failed → active;
# blocked → active; review_blocked → active; pending → superseded; blocked → superseded;
# pending, active, failed, blocked → expired (a hypothesis whose time is over).
# Everything else is refused.
ALLOWED_MOVES = {
    ("pending", "active"),
    ("active", "complete"),
    ("active", "failed"),
    ("active", "blocked"),
    ("active", "review_blocked"),
    ("failed", "active"),
    ("blocked", "active"),
    ("review_blocked", "active"),
    ("active", "pending"),  # a hypothesis that has not resolved yet
    ("blocked", "pending"),  # released while another goal is active
    ("review_blocked", "pending"),
    ("pending", "superseded"),
    ("blocked", "superseded"),
    ("pending", "expired"),
    ("active", "expired"),
    ("failed", "expired"),
    ("blocked", "expired"),
}


def new(name: str, *depends_on: str) -> NewGoal:
    return NewGoal(f"Title of {name}", f"objective of {name}", depends_on)


def plan_of(*goals: NewGoal | str, mode: GoalMode = GoalMode.AGGREGATE) -> Plan:
    wanted = tuple(new(goal) if isinstance(goal, str) else goal for goal in goals)
    command = commands.CreatePlan(RUN, "the brief\n", mode, "the constraints", wanted)
    return fold.begin(create(command, AGENT), AT)


def recorded(plan: Plan, *events: Event, at: str = AT) -> Plan:
    """The plan after these events, whether a rule allows them or not."""
    for event in events:
        plan = fold.apply(plan, event, at)
    return plan


def accepted(plan: Plan, command: commands.Command, actor: Actor = AGENT) -> Decided:
    decision = decide(plan, command, at=AT, actor=actor)
    assert isinstance(decision, Decided), decision
    return decision


def refused(plan: Plan, command: commands.Command, actor: Actor = AGENT) -> Refusal:
    decision = decide(plan, command, at=AT, actor=actor)
    assert isinstance(decision, Refusal), decision
    return decision


def after(plan: Plan, *asked: commands.Command, actor: Actor = AGENT) -> Plan:
    """The plan after these commands, each of which must be accepted."""
    for command in asked:
        plan = recorded(plan, *accepted(plan, command, actor).events)
    return plan


def goal_of(plan: Plan, goal_id: str) -> Goal:
    goal = plan.find_goal(goal_id)
    assert goal is not None
    return goal


def statuses(plan: Plan) -> dict[str, str]:
    return {goal.id: str(goal.status) for goal in plan.goals}


def start() -> commands.StartNext:
    return commands.StartNext()


def failed(goal_id: str, evidence: str = "it broke") -> commands.Checkpoint:
    return commands.Checkpoint(goal_id, CheckpointStatus.FAILED, evidence)


def blocked(goal_id: str, evidence: str = "it waits") -> commands.Checkpoint:
    return commands.Checkpoint(goal_id, CheckpointStatus.BLOCKED, evidence)


def complete(goal_id: str, evidence: str = "it works") -> commands.Checkpoint:
    return commands.Checkpoint(goal_id, CheckpointStatus.COMPLETE, evidence)


def steer(
    change: commands.Change, *, evidence: str = "seen", rationale: str = "needed", key: str = ""
) -> commands.Steer:
    return commands.Steer(change, evidence, rationale, key)


def review(goal_id: str, objective: str = "mend it") -> commands.RecordReviewBlockers:
    return commands.RecordReviewBlockers(goal_id, "A finding", objective, "the review")


def split(goal_id: str, *names: str) -> commands.Steer:
    return steer(commands.SplitSubgoal(goal_id, tuple(map(new, names or ("a", "b")))))


def supersede(goal_id: str) -> commands.Steer:
    return steer(commands.MarkBlockedSuperseded(goal_id))


def plan_with_first(status: GoalStatus) -> Plan:
    """A plan of two goals whose G001 came to `status` the way goals come there."""
    plan = plan_of("one", "two")
    match status:
        case GoalStatus.PENDING:
            return plan
        case GoalStatus.ACTIVE:
            return after(plan, start())
        case GoalStatus.COMPLETE:
            return recorded(after(plan, start()), GoalCompleted("G001", "it works"))
        case GoalStatus.FAILED:
            return after(plan, start(), failed("G001"))
        case GoalStatus.BLOCKED:
            return after(plan, start(), blocked("G001"))
        case GoalStatus.REVIEW_BLOCKED:
            return after(plan, start(), review("G001"))
        case GoalStatus.SUPERSEDED:
            return after(plan, split("G001"))
        case GoalStatus.EXPIRED:
            return recorded(after(plan, start()), HypothesisExpired("G001", "its time is over"))


BASE = Base("base-tree", "base-commit")
VERDICTS = {
    "p": Verdict.PASSED, "f": Verdict.FAILED, "u": Verdict.UNKNOWN, "o": Verdict.UNKNOWN,
    "l": Verdict.UNKNOWN,
}  # fmt: skip
FINDING = Finding("test-removed", Level.BLOCKING, "tests/test_a.py", 3, "test_a is gone")
HINT = Finding("long-diff", Level.ADVISORY, "", 0, "it is long")


def contract_of(**commands_by_id: str) -> str:
    """A contract with one criterion for each, whose check is this command."""
    lines = [
        f"- {{id: {name}, text: it holds, check: {{command: [make, {target}]}}}}"
        for name, target in commands_by_id.items()
    ]
    return "\n".join(("criteria:", *lines))


def frozen_of(text: str, base: Base = BASE) -> Frozen:
    contract = read_text(text)
    assert isinstance(contract, Contract), contract
    return Frozen(contract.digest, compact(contract.plain), "", base, "protected")


TWO_CRITERIA = contract_of(C1="one", C2="two")
FROZEN = frozen_of(TWO_CRITERIA)


def judgement_of(
    told: str,
    *findings: Finding,
    frozen: Frozen = FROZEN,
    tree: str = "tree1",
    uncached: bool = True,
) -> Judgement:
    """What was seen of C1, C2 and so on.

    p passed, f failed, u unknown, o unknown for a reason from outside, l unknown by a limit.
    """
    seen = tuple(
        Judged(
            f"C{n}",
            VERDICTS[letter],
            f"why {n}",
            f"seen {n} on {tree}",
            outside=letter in "ol" or None,
            limit=letter == "l" or None,
        )
        for n, letter in enumerate(told, 1)
    )
    return Judgement(
        tree, f"commit of {tree}", frozen.digest, "checkout", seen, findings, uncached=uncached
    )


def judged(judgement: Judgement, goal_id: str = "G001", most: int = 10) -> commands.Command:
    return commands.RecordJudgement(goal_id, judgement, most)


def proven(goal_id: str, judgement: Judgement, evidence: str = "it works") -> commands.Checkpoint:
    return complete(goal_id, evidence).replace(judgement=judgement)


def frozen_plan(*names: str, frozen: Frozen = FROZEN) -> Plan:
    """A plan whose G001 is active under a frozen contract."""
    plan = plan_of(*(names or ("one", "two")))
    return after(plan, start(), commands.FreezeContract("G001", frozen))
