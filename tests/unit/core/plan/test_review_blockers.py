"""Review blockers: findings become goals, and the goal they hold up is proven itself."""

from goalkeeper.core.decide import reopen_unblocked
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import GoalCompleted, GoalUnblocked, ReviewBlockersRecorded
from goalkeeper.core.plan.gate import open_blockers
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    accepted,
    after,
    blocked,
    goal_of,
    plan_of,
    plan_with_first,
    recorded,
    refused,
    review,
    split,
    start,
    statuses,
    supersede,
)

SETTLED = (GoalUnblocked("G001", "its review blockers are settled"),)


def blockers(plan: Plan) -> list[str]:
    return sorted(goal.id for goal in open_blockers(plan, "G001"))


def only_blocked_by_one() -> Plan:
    """G001 waits for its one review blocker, G002, which is active."""
    return after(plan_of("one"), start(), review("G001"), start())


def test_a_review_blocker_is_a_new_goal_and_holds_up_the_old_one() -> None:
    plan = plan_with_first(GoalStatus.ACTIVE)

    decision = accepted(plan, review("G001", "mend it"))

    assert decision.goal_ids == ("G003",)
    assert decision.events == (
        ReviewBlockersRecorded("G001", "G003", "A finding", "mend it", "the review"),
    )
    plan = recorded(plan, *decision.events)
    assert statuses(plan) == {"G001": "review_blocked", "G002": "pending", "G003": "pending"}
    blocker: Goal = goal_of(plan, "G003")
    assert (blocker.origin, blocker.blocks, blocker.objective) == (
        "review_blocker",
        "G001",
        "mend it",
    )


def test_a_review_blocker_comes_before_other_pending_work() -> None:
    plan = after(plan_with_first(GoalStatus.ACTIVE), review("G001"))

    assert accepted(plan, start()).goal_ids == ("G003",)


def test_scenario_72_the_same_open_blocker_twice_is_one_goal() -> None:
    plan = after(plan_of("one"), start(), review("G001", "mend it"))

    decision = accepted(plan, review("G001", "mend it"))

    assert (decision.events, decision.goal_ids) == ((), ("G002",))


def test_scenario_72_a_fourth_open_blocker_is_refused() -> None:
    three = [review("G001", f"finding {n}") for n in range(3)]
    plan = after(plan_of("one"), start(), *three)

    refusal = refused(plan, review("G001", "finding 4"))

    assert refusal.reason == "too-many-review-blockers"
    assert refusal.facts["goal_id"] == "G001"
    assert blockers(plan) == ["G002", "G003", "G004"]
    assert accepted(plan, review("G001", "finding 2")).events == ()


def test_scenario_72_resolved_blockers_do_not_count() -> None:
    three = [review("G001", f"finding {n}") for n in range(3)]
    plan = after(plan_of("one"), start(), *three)
    plan = recorded(plan, GoalCompleted("G003", "mended"))

    decision = accepted(plan, review("G001", "finding 4"))

    assert decision.goal_ids == ("G005",)


def test_scenario_72_a_resolved_blocker_can_be_found_again() -> None:
    plan = after(plan_of("one"), start(), review("G001", "mend it"), review("G001", "and that"))
    plan = recorded(plan, GoalCompleted("G002", "mended"))

    assert accepted(plan, review("G001", "mend it")).goal_ids == ("G004",)


def test_scenario_72_the_same_words_about_another_goal_are_another_blocker() -> None:
    plan = after(plan_of("one", "two"), start(), review("G001", "mend it"))
    plan = after(plan, start(), blocked("G003"), start())

    assert statuses(plan)["G002"] == "active"
    assert accepted(plan, review("G002", "mend it")).goal_ids == ("G004",)


@for_each("status", sorted(set(GoalStatus) - {GoalStatus.ACTIVE, GoalStatus.REVIEW_BLOCKED}))
def test_only_a_goal_under_work_can_be_blocked_by_review(status: GoalStatus) -> None:
    plan = plan_with_first(status)

    assert refused(plan, review("G001")).reason == "transition-not-allowed"


def test_blockers_of_an_unknown_goal_are_refused() -> None:
    assert refused(plan_of("one"), review("G009")).reason == "unknown-goal"


def test_scenario_71_a_settled_blocker_reopens_the_goal_and_does_not_replace_it() -> None:
    plan = recorded(only_blocked_by_one(), GoalCompleted("G002", "mended"))

    assert reopen_unblocked(plan) == SETTLED
    plan = recorded(plan, *SETTLED)
    assert statuses(plan) == {"G001": "active", "G002": "complete"}
    assert not plan.is_complete


def test_a_goal_with_one_blocker_left_stays_blocked() -> None:
    plan = after(plan_of("one"), start(), review("G001", "this"), review("G001", "that"))
    plan = recorded(plan, GoalCompleted("G002", "mended"))

    assert reopen_unblocked(plan) == ()
    assert blockers(plan) == ["G003"]


def test_superseding_the_last_blocker_reopens_the_goal_in_the_same_command() -> None:
    plan = after(only_blocked_by_one(), blocked("G002"))

    decision = accepted(plan, supersede("G002"))

    assert decision.events[1:] == SETTLED
    assert statuses(recorded(plan, *decision.events)) == {"G001": "active", "G002": "superseded"}


def test_the_parts_of_a_split_blocker_go_on_blocking() -> None:
    plan = after(plan_of("one"), start(), review("G001"))

    plan = after(plan, split("G002", "this", "that"))

    assert statuses(plan)["G001"] == "review_blocked"
    assert blockers(plan) == ["G003", "G004"]


def test_a_goal_blocked_by_review_cannot_be_unblocked_by_hand() -> None:
    command = commands.Unblock("G001", "never mind")

    assert refused(only_blocked_by_one(), command).reason == "goal-not-blocked"


def test_a_failed_or_blocked_blocker_is_still_open() -> None:
    plan = after(only_blocked_by_one(), blocked("G002"))

    assert blockers(plan) == ["G002"]
    assert reopen_unblocked(plan) == ()
