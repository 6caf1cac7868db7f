"""Steering is idempotent by key, and some things are out of its reach."""

from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import AddSubgoal, AnnotateLedger, ReorderPending
from goalkeeper.core.plan.model import GoalStatus, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    accepted,
    after,
    blocked,
    goal_of,
    new,
    plan_of,
    refused,
    split,
    start,
    statuses,
    steer,
    supersede,
)

ADD = AddSubgoal(new("more"))


def every_kind_accepted() -> tuple[Plan, Plan]:
    """A plan before and after one accepted steer of each kind."""
    before = after(plan_of("one", "two", "three"), start(), blocked("G001"))
    behind = after(
        before,
        steer(ADD),
        split("G002"),
        steer(commands.RevisePendingWording("G003", "New", "new")),
        steer(ReorderPending(("G003", "G006", "G005", "G004"))),
        steer(AnnotateLedger()),
        supersede("G001"),
    )
    return before, behind


def test_a_key_repeated_is_a_no_op_with_the_same_goals() -> None:
    plan = after(plan_of("one"), steer(ADD, key="k"))

    repeated = accepted(plan, steer(ADD, key="k"))

    assert (repeated.events, repeated.goal_ids) == ((), ("G002",))


def test_a_key_holds_for_the_whole_run() -> None:
    plan = after(plan_of("one"), steer(ADD, key="k"), start(), steer(AddSubgoal(new("other"))))

    repeated = accepted(plan, steer(ADD, key="k"))

    assert (repeated.events, repeated.goal_ids) == ((), ("G002",))


@for_each(
    "other",
    [
        steer(AddSubgoal(new("other")), key="k"),
        steer(ADD, evidence="seen again", key="k"),
        steer(ADD, rationale="for another reason", key="k"),
        steer(AnnotateLedger(), key="k"),
    ],
)
def test_a_key_used_for_another_request_is_refused(other: commands.Steer) -> None:
    plan = after(plan_of("one"), steer(ADD, key="k"))

    refusal = refused(plan, other)

    assert (refusal.reason, refusal.facts) == ("key-reused", {"key": "k"})


def test_the_same_request_with_two_keys_is_two_changes() -> None:
    plan = after(plan_of("one"), steer(ADD, key="k1"), steer(ADD, key="k2"))

    assert [goal.id for goal in plan.goals] == ["G001", "G002", "G003"]


def test_a_request_without_a_key_repeated_at_once_is_a_no_op() -> None:
    plan = after(plan_of("one"), steer(ADD))

    repeated = accepted(plan, steer(ADD))

    assert (repeated.events, repeated.goal_ids) == ((), ("G002",))


def test_a_request_without_a_key_is_new_once_the_plan_has_changed() -> None:
    plan = after(plan_of("one"), steer(ADD), start())

    assert accepted(plan, steer(ADD)).goal_ids == ("G003",)


def test_an_annotation_between_does_not_make_a_repeat_new() -> None:
    plan = after(plan_of("one"), steer(ADD), steer(AnnotateLedger()))

    assert accepted(plan, steer(ADD)).events == ()


@for_each("other", [steer(ADD, evidence="else"), steer(ADD, rationale="else"), steer(ADD, key="k")])
def test_a_request_that_differs_is_no_repeat(other: commands.Steer) -> None:
    plan = after(plan_of("one"), steer(ADD))

    assert accepted(plan, other).goal_ids == ("G003",)


def test_a_rejected_request_may_be_repeated_when_the_plan_allows_it() -> None:
    plan = plan_of("one", "two")
    refused(plan, supersede("G001"))

    assert accepted(after(plan, start(), blocked("G001")), supersede("G001")).events


def test_no_kind_of_steering_touches_objective_or_constraints() -> None:
    before, behind = every_kind_accepted()

    assert (behind.objective, behind.constraints, behind.aliases, behind.mode) == (
        before.objective,
        before.constraints,
        before.aliases,
        before.mode,
    )


def test_no_kind_of_steering_deletes_a_goal() -> None:
    before, behind = every_kind_accepted()

    assert {goal.id for goal in before.goals} < {goal.id for goal in behind.goals}
    assert statuses(behind)["G001"] == "superseded"
    assert goal_of(behind, "G001").objective == "objective of one"


def test_no_kind_of_steering_completes_a_goal() -> None:
    _, behind = every_kind_accepted()

    assert behind.with_status(GoalStatus.COMPLETE) == ()
    assert not behind.is_complete


def test_every_kind_but_an_annotation_counts_as_a_change_of_the_plan() -> None:
    before, behind = every_kind_accepted()

    assert behind.revision - before.revision == 5
