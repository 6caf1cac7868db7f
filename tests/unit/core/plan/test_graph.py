"""Dependencies: what is wrong with them, what is ready, what is next."""

from goalkeeper.core.plan import commands, graph
from goalkeeper.core.plan.events import GoalCompleted
from goalkeeper.core.plan.graph import NextAction
from goalkeeper.core.plan.model import Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    AT,
    after,
    blocked,
    failed,
    goal_of,
    new,
    plan_of,
    recorded,
    review,
    split,
    start,
    supersede,
)


def problems(**depends_on: str) -> list[str]:
    return [
        str(p) for p in graph.find_problems({k: tuple(v.split()) for k, v in depends_on.items()})
    ]


def done(plan: Plan, *goal_ids: str) -> Plan:
    return recorded(plan, *(GoalCompleted(goal_id, "it works") for goal_id in goal_ids))


def ready(plan: Plan, goal_id: str) -> bool:
    return graph.is_ready(plan, goal_of(plan, goal_id))


def test_dependencies_without_cycles_are_fine() -> None:
    assert problems(A="", B="A", C="A B", D="C A") == []


def test_every_unknown_goal_is_named() -> None:
    assert problems(A="X", B="A Y Z") == [
        "A, depends_on: there is no goal X",
        "B, depends_on: there is no goal Y",
        "B, depends_on: there is no goal Z",
    ]


def test_a_cycle_is_shown_without_the_goals_that_only_wait_for_it() -> None:
    assert problems(A="C", B="", C="D", D="C") == ["C, depends_on: a cycle: C → D → C"]


def test_a_cycle_and_an_unknown_goal_are_reported_together() -> None:
    assert problems(A="A", B="X") == [
        "B, depends_on: there is no goal X",
        "A, depends_on: a cycle: A → A",
    ]


def test_a_goal_is_ready_when_all_it_depends_on_is_complete() -> None:
    plan = plan_of("one", "two", new("three", "G001", "G002"))

    assert not ready(plan, "G003")
    assert not ready(done(plan, "G001"), "G003")
    assert ready(done(plan, "G001", "G002"), "G003")


def test_a_dependency_that_is_active_failed_or_blocked_is_not_met() -> None:
    plan = after(plan_of("one", new("two", "G001")), start())

    assert not ready(plan, "G002")
    assert not ready(after(plan, failed("G001")), "G002")
    assert not ready(after(plan, blocked("G001")), "G002")


def test_a_dependency_that_was_split_is_met_by_all_its_parts() -> None:
    plan = after(plan_of("one", new("two", "G001")), split("G001"))

    assert not ready(plan, "G002")
    assert not ready(done(plan, "G003"), "G002")
    assert ready(done(plan, "G003", "G004"), "G002")


def test_a_part_that_was_split_again_is_met_by_its_own_parts() -> None:
    plan = after(plan_of("one", new("two", "G001")), split("G001"), split("G003", "c", "d"))

    assert not ready(done(plan, "G004"), "G002")
    assert ready(done(plan, "G004", "G005", "G006"), "G002")


def test_a_dependency_that_is_no_longer_required_is_met() -> None:
    plan = after(plan_of("one", new("two", "G001")), start(), blocked("G001"), supersede("G001"))

    assert ready(plan, "G002")


def test_an_unknown_dependency_is_never_met() -> None:
    assert not graph.is_satisfied(plan_of("one"), "G009")


def test_the_active_goal_is_next_before_all_others() -> None:
    plan = after(plan_of("one", "two"), start(), commands.RecordHandoff("planning"))
    plan = after(plan, review("G001"), start())

    chosen = graph.next_goal(plan, retry_failed=True, at=AT)
    assert chosen is not None
    assert (chosen.id, str(chosen.status)) == ("G003", "active")


def test_a_goal_that_is_not_ready_is_passed_over() -> None:
    plan = plan_of(new("one", "G003"), new("two", "G001"), "three")

    chosen = graph.next_goal(plan, retry_failed=False, at=AT)
    assert chosen is not None
    assert chosen.id == "G003"


@for_each("retry_failed", [True, False])
def test_nothing_is_next_when_everything_is_blocked(retry_failed: bool) -> None:
    plan = after(plan_of("one", new("two", "G001")), start(), blocked("G001"))

    assert graph.next_goal(plan, retry_failed=retry_failed, at=AT) is None


def test_the_next_action_follows_from_the_plan() -> None:
    plan = plan_of("one", new("two", "G001"))
    working = after(plan, start())

    assert graph.next_action(plan, AT) is NextAction.EXECUTE_GOAL
    assert graph.next_action(working, AT) is NextAction.EXECUTE_GOAL
    assert graph.next_action(after(working, failed("G001")), AT) is NextAction.RETRY_FAILED
    assert graph.next_action(after(working, blocked("G001")), AT) is NextAction.RESOLVE_BLOCKERS
    assert graph.next_action(done(working, "G001"), AT) is NextAction.EXECUTE_GOAL
    assert graph.next_action(done(working, "G001", "G002"), AT) is NextAction.NONE
