"""Steering: what each kind does, what it refuses, and what it can never touch."""

from goalkeeper.core.decide import record_of_refusal
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import (
    AddSubgoal,
    AnnotateLedger,
    Change,
    CheckpointStatus,
    MarkBlockedSuperseded,
    ReorderPending,
    RevisePendingWording,
    SplitSubgoal,
)
from goalkeeper.core.plan.events import SteeringAccepted, SteeringRejected
from goalkeeper.core.plan.model import ENGINE, Actor, Classification, GoalStatus, NewGoal, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    HUMAN,
    LATER,
    accepted,
    after,
    blocked,
    goal_of,
    new,
    plan_of,
    plan_with_first,
    recorded,
    refused,
    split,
    start,
    statuses,
    steer,
    supersede,
)

PAIR = (new("c"), new("d"))
BLANK_TITLE = NewGoal(" ", "objective")
BLANK_OBJECTIVE = NewGoal("Title", "\n")


def in_work() -> Plan:
    """G001 is active, G002 and G003 are pending."""
    return after(plan_of("one", "two", "three"), start())


def ids(plan: Plan) -> list[str]:
    return [goal.id for goal in plan.goals]


def rejection(plan: Plan, change: Change, actor: Actor = AGENT) -> str:
    """The reason of a refusal that is also recorded, and changes nothing."""
    command = steer(change)
    refusal = refused(plan, command, actor)
    record = record_of_refusal(command, refusal, actor)
    assert record == (SteeringRejected(change, "seen", "needed", refusal.reason),)
    assert recorded(plan, *record, at=LATER) == plan
    return refusal.reason


def test_an_added_goal_is_pending_and_last() -> None:
    plan = plan_of("one")

    decision = accepted(plan, steer(AddSubgoal(new("more"))))

    assert decision.goal_ids == ("G002",)
    goal = goal_of(recorded(plan, *decision.events), "G002")
    assert (goal.title, goal.objective, goal.status, goal.origin) == (
        "Title of more",
        "objective of more",
        GoalStatus.PENDING,
        "add_subgoal",
    )


def test_scenario_67_a_split_goal_is_superseded_and_its_parts_stand_behind_it() -> None:
    plan = plan_of("one", "two")

    decision = accepted(plan, split("G001", "a", "b"))

    assert decision.goal_ids == ("G003", "G004")
    plan = recorded(plan, *decision.events)
    assert ids(plan) == ["G001", "G003", "G004", "G002"]
    assert statuses(plan)["G001"] == "superseded"
    assert goal_of(plan, "G001").superseded_by == ("G003", "G004")
    assert goal_of(plan, "G004").objective == "objective of b"


def test_the_parts_of_a_split_goal_wait_for_what_it_waited_for() -> None:
    plan = after(plan_of("one", new("two", "G001")), split("G002"))

    assert goal_of(plan, "G003").depends_on == ("G001",)
    assert goal_of(plan, "G004").depends_on == ("G001",)


def test_reordering_permutes_the_pending_places_only() -> None:
    plan = after(plan_of("one", "two", "three", "four"), start())
    plan = after(plan, split("G003"))
    assert ids(plan) == ["G001", "G002", "G003", "G005", "G006", "G004"]

    order = ("G004", "G006", "G005", "G002")
    plan = after(plan, steer(ReorderPending(order)))

    assert ids(plan) == ["G001", "G004", "G003", "G006", "G005", "G002"]


@for_each(
    ("title", "objective", "expected"),
    [
        ("New", "", ("New", "objective of two")),
        ("", "new", ("Title of two", "new")),
        ("New", "new", ("New", "new")),
    ],
)
def test_rewording_changes_what_is_given(
    title: str, objective: str, expected: tuple[str, str]
) -> None:
    plan = after(in_work(), steer(RevisePendingWording("G002", title, objective)))

    goal = goal_of(plan, "G002")
    assert (goal.title, goal.objective) == expected


def test_an_annotation_is_recorded_and_leaves_the_goals_alone() -> None:
    plan = in_work()

    annotated = after(plan, steer(AnnotateLedger()))

    assert (annotated.goals, annotated.revision) == (plan.goals, plan.revision)


def test_a_blocked_goal_can_be_superseded() -> None:
    plan = plan_with_first(GoalStatus.BLOCKED)

    plan = after(plan, supersede("G001"))

    assert statuses(plan) == {"G001": "superseded", "G002": "pending"}
    assert goal_of(plan, "G001").evidence == "seen"


@for_each("goal", [BLANK_TITLE, BLANK_OBJECTIVE, NewGoal("", "")])
def test_adding_a_goal_without_words_is_rejected(goal: NewGoal) -> None:
    assert rejection(in_work(), AddSubgoal(goal)) == "empty-goal"


@for_each(
    ("change", "reason"),
    [
        (SplitSubgoal("G001", PAIR), "goal-not-pending"),
        (SplitSubgoal("G002", ()), "too-few-replacements"),
        (SplitSubgoal("G002", PAIR[:1]), "too-few-replacements"),
        (SplitSubgoal("G002", (*PAIR, PAIR[0])), "duplicate-replacements"),
        (SplitSubgoal("G002", (PAIR[0], BLANK_TITLE)), "empty-goal"),
        (SplitSubgoal("G002", (PAIR[0], BLANK_OBJECTIVE)), "empty-goal"),
    ],
)
def test_a_bad_split_is_rejected(change: Change, reason: str) -> None:
    assert rejection(in_work(), change) == reason


@for_each(
    "order",
    [
        ("G001", "G003", "G002"),
        ("G001", "G002"),
        ("G002",),
        ("G002", "G003", "G009"),
        ("G002", "G003", "G003"),
        (),
    ],
    ids=["active too", "active instead", "one missing", "one unknown", "one twice", "none"],
)
def test_scenario_68_an_order_of_other_than_the_pending_goals_is_rejected(
    order: tuple[str, ...],
) -> None:
    assert rejection(in_work(), ReorderPending(order)) == "order-not-pending"


@for_each(
    ("change", "reason"),
    [
        (RevisePendingWording("G001", "New"), "goal-not-pending"),
        (RevisePendingWording("G002"), "nothing-to-revise"),
        (RevisePendingWording("G002", " ", "\t"), "nothing-to-revise"),
    ],
)
def test_a_bad_rewording_is_rejected(change: Change, reason: str) -> None:
    assert rejection(in_work(), change) == reason


@for_each("status", sorted(set(GoalStatus) - {GoalStatus.PENDING}))
def test_only_a_pending_goal_is_split_or_reworded(status: GoalStatus) -> None:
    plan = plan_with_first(status)

    assert rejection(plan, SplitSubgoal("G001", PAIR)) == "goal-not-pending"
    assert rejection(plan, RevisePendingWording("G001", "New")) == "goal-not-pending"


@for_each("status", sorted(set(GoalStatus) - {GoalStatus.BLOCKED}))
def test_scenario_69_a_goal_that_is_not_blocked_is_not_superseded(status: GoalStatus) -> None:
    plan = plan_with_first(status)

    assert rejection(plan, MarkBlockedSuperseded("G001"), HUMAN) == "goal-not-blocked"


def test_scenario_69_the_only_required_goal_is_not_superseded() -> None:
    plan = after(plan_of("one"), start(), blocked("G001"))

    assert rejection(plan, MarkBlockedSuperseded("G001"), HUMAN) == "last-required-goal"


@for_each("actor", [AGENT, ENGINE])
def test_what_waits_for_a_human_is_superseded_by_a_human_only(actor: Actor) -> None:
    classify = commands.ClassifyBlocker(Classification.HUMAN_BLOCKED, "a key", "G001")
    plan = after(plan_with_first(GoalStatus.BLOCKED), classify)

    assert rejection(plan, MarkBlockedSuperseded("G001"), actor) == "human-only"
    assert accepted(plan, supersede("G001"), HUMAN).events


@for_each(
    "change",
    [
        SplitSubgoal("G009", PAIR),
        RevisePendingWording("G009", "New"),
        MarkBlockedSuperseded("G009"),
    ],
)
def test_steering_of_an_unknown_goal_is_refused(change: Change) -> None:
    assert refused(in_work(), steer(change)).reason == "unknown-goal"


@for_each(
    ("evidence", "rationale", "reason"),
    [
        ("seen", "", "missing-rationale"),
        ("seen", " \n", "missing-rationale"),
        ("", "needed", "missing-evidence"),
        ("\t", " ", "missing-evidence-and-rationale"),
    ],
)
def test_scenario_70_steering_without_a_reason_is_rejected_and_recorded(
    evidence: str, rationale: str, reason: str
) -> None:
    command = steer(AddSubgoal(new("more")), evidence=evidence, rationale=rationale)

    refusal = refused(in_work(), command)

    assert refusal.reason == reason
    assert record_of_refusal(command, refusal, HUMAN) == (
        SteeringRejected(command.change, evidence, rationale, reason),
    )


def test_scenario_73_a_checkpoint_cannot_supersede() -> None:
    assert set(CheckpointStatus) == {"complete", "failed", "blocked"}


def test_accepted_steering_is_recorded_with_its_reasons() -> None:
    command = steer(AddSubgoal(new("more")), key="k1")

    (event,) = accepted(plan_of("one"), command).events

    assert isinstance(event, SteeringAccepted)
    assert (event.change, event.evidence, event.rationale, event.key, event.goal_ids) == (
        command.change,
        "seen",
        "needed",
        "k1",
        ("G002",),
    )
