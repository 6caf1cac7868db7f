"""Events make the plan; the fold has no rules, and refuses nothing that was ever written."""

from goalkeeper.core import fold
from goalkeeper.core.plan import events
from goalkeeper.core.plan.model import GoalMode, GoalStatus, NewGoal, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    AT,
    LATER,
    RUN,
    after,
    goal_of,
    new,
    plan_of,
    plan_with_first,
    recorded,
    start,
)


def test_a_plan_is_created_once() -> None:
    plan = plan_of("one")
    again = events.PlanCreated(RUN, "b\n", GoalMode.AGGREGATE, "o", "c", ())

    assert fold.apply(plan, again, AT) == plan


def test_a_created_plan_has_its_goals_pending_and_numbered() -> None:
    goals = (new("one"), NewGoal("Two", "do two", ("G001",), "outcomes: []"))
    event = events.PlanCreated(RUN, "b\n", GoalMode.AGGREGATE, "o", "c", goals, "s", "old", "why")

    plan = fold.begin(event, AT)

    assert (plan.run_id, plan.objective, plan.constraints) == (RUN, "o", "c")
    assert (plan.session, plan.replaces, plan.revision) == ("s", "old", 0)
    assert [goal.id for goal in plan.goals] == ["G001", "G002"]
    assert {goal.status for goal in plan.goals} == {GoalStatus.PENDING}
    two = goal_of(plan, "G002")
    assert (two.depends_on, two.contract, two.origin) == (("G001",), "outcomes: []", "brief")


@for_each(
    "event",
    [
        events.Unknown("moon_landed", {"goal_id": "G001"}),
        events.CommandRefused("Checkpoint", "not-proven", "G001"),
        events.LedgerRepaired(("moved 12 bytes",)),
    ],
)
def test_what_only_reports_changes_nothing(event: events.Event) -> None:
    plan = plan_with_first(GoalStatus.ACTIVE)

    assert recorded(plan, event, at=LATER) == plan


@for_each(
    "event",
    [
        events.GoalStarted("G009"),
        events.GoalCompleted("G009", "e"),
        events.GoalUnblocked("G009", "e"),
        events.ReviewBlockersRecorded("G009", "G003", "T", "o", "e"),
    ],
)
def test_an_event_about_a_goal_nobody_knows_leaves_the_others_alone(event: events.Event) -> None:
    plan = plan_of("one", "two")

    assert recorded(plan, event).goals[:2] == plan.goals


def test_moments_are_kept_on_the_goal_they_belong_to() -> None:
    plan = after(plan_of("one", "two"), start())

    plan = recorded(plan, events.GoalCompleted("G001", "it works"), at=LATER)

    one, two = plan.goals
    assert (one.created_at, one.started_at, one.completed_at, one.updated_at) == (
        AT,
        AT,
        LATER,
        LATER,
    )
    assert (two.completed_at, two.updated_at) == ("", AT)


@for_each("status", list(GoalStatus))
def test_a_plan_is_complete_only_when_every_required_goal_is(status: GoalStatus) -> None:
    done: Plan = recorded(plan_with_first(status), events.GoalCompleted("G002", "it works"))

    over = {GoalStatus.COMPLETE, GoalStatus.EXPIRED}
    assert done.is_complete is (status in over)


def test_a_plan_without_a_required_goal_is_not_complete() -> None:
    plan = plan_with_first(GoalStatus.SUPERSEDED)
    nothing = plan.replace(goals=plan.goals[:1])

    assert nothing.required_goals == ()
    assert not nothing.is_complete
