"""Recurring goals: when they are due, and what becomes of a streak."""

from goalkeeper.core.plan import commands, graph, streaks
from goalkeeper.core.plan.events import CycleAchieved, GoalCompleted, ReceiptIssued
from goalkeeper.core.plan.model import Frozen, Goal, GoalStatus, Plan, Streak
from goalkeeper.core.plan.receipts import why_outdated
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    complete,
    goal_of,
    judgement_of,
    new,
    proven,
    recorded,
    steer,
)
from tests.unit.core.verifications import Story, asked, at, read, recurring

FOUR_HOURS = recurring(interval_hours=4)


def goal(streak: Streak | None, text: str = FOUR_HOURS) -> Goal:
    return Goal(
        "G001", "T", "o", GoalStatus.PENDING, "then", "then", "brief",
        timing=read(text).timing, streak=streak,
    )  # fmt: skip


def after(streak: Streak | None, hours: float) -> Streak:
    return streaks.extend_streak(goal(streak), f"cycle {hours}", "contract", at(hours))


def begun() -> Story:
    return Story(asked(FOUR_HOURS)).freeze()


@for_each(
    ("ago", "before", "expected"),
    [(None, 0, 1), (2, 3, 4), (8, 3, 4), (8.01, 3, 1), (12, 5, 1), (30, 10, 1)],
)
def test_T41_a_streak_goes_on_within_two_intervals_and_begins_anew_later(
    ago: float | None, before: int, expected: int
) -> None:
    known = None if ago is None else Streak(at(-ago), before, before, before)

    streak = after(known, 0)

    assert (streak.current, streak.longest) == (expected, max(expected, before))
    assert (streak.last_at, streak.count) == (at(0), before + 1)


def test_cycles_leave_the_final_receipt_of_the_plan_fresh() -> None:
    story = Story(asked(FOUR_HOURS), "two").freeze()
    story.achieve(0)
    other = GoalCompleted("G002", "done")
    story.plan = recorded(story.plan, other, ReceiptIssued("final", "", "d", "tree1"), at=at(1))
    assert story.plan.is_certified

    story.must(commands.StartNext(), 4)
    assert story.plan.is_certified
    story.achieve(4, tree="tree2")

    assert story.plan.is_certified
    assert not why_outdated(story.plan, story.plan.receipts[-1])
    story.must(steer(commands.AddSubgoal(new("three"))))
    assert not story.plan.is_certified


def test_T42_a_streak_without_a_time_is_none() -> None:
    assert after(Streak("", 3, 3, 3), 0).current == 1


def test_T42_a_last_time_in_the_future_is_told_and_counts_nothing_on_top() -> None:
    streak = after(Streak(at(100), 3, 5, 7), 0)

    assert (streak.current, streak.longest, streak.count) == (3, 5, 8)
    assert streak.anomaly == f"it was last achieved at {at(100)[:19]}Z, which is not yet"
    assert streak.last_at == at(0)
    assert after(streak, 4).anomaly == ""


def test_T42_a_goal_whose_clock_went_wrong_is_due_so_that_it_can_be_set_right() -> None:
    wrong = goal(Streak(at(100), 3, 5, 7))

    assert streaks.is_due(wrong, at(0))
    assert streaks.look_at_due(wrong, at(0)).anomaly


@for_each(
    ("fields", "hours"),
    [
        ({"interval_hours": 4}, 4),
        ({"remind_days": 2}, 48),
        ({"interval_hours": 4, "remind_days": 2}, 4),
        ({}, 24),
    ],
)
def test_T42_the_interval_is_given_in_hours_else_in_days_else_it_is_a_day(
    fields: dict[str, int], hours: int
) -> None:
    timing = read(recurring(**fields)).timing

    assert timing is not None
    assert timing.interval_hours == hours


def test_T43_a_recurring_goal_never_becomes_complete_but_pending_again() -> None:
    story = begun()

    events = story.achieve(0).events

    assert [type(event) for event in events] == [CycleAchieved]
    (only,) = story.plan.goals
    assert (only.status, only.evidence, only.completed_at) == ("pending", "it works", at(0))
    assert only.proven is not None
    assert story.plan.base == only.proven
    assert not story.plan.is_complete
    assert story.plan.required_goals == ()


def test_T43_counters_and_status_come_in_one_event_or_not_at_all() -> None:
    story = begun()
    story.must(commands.StartNext())
    before = story.plan

    assert story.no(complete("G001")).reason == "not-judged"
    assert story.plan == before


def test_T43_the_same_cycle_told_twice_is_one() -> None:
    story = begun()
    story.achieve(0, cycle="monday")

    seen = judgement_of("p", frozen=_frozen(story))
    again = story.must(proven("G001", seen).replace(cycle="monday"), 1)

    assert again.events == ()
    assert _streak(story.plan) == (1, 1, 1)


def test_T43_without_a_name_a_cycle_is_known_by_tree_contract_and_window() -> None:
    story = begun()
    story.achieve(0)
    seen = judgement_of("p", frozen=_frozen(story))

    assert story.must(proven("G001", seen), 3.99).events == ()
    other = judgement_of("p", frozen=_frozen(story), tree="tree2")
    assert story.no(proven("G001", other), 3.99).reason == "transition-not-allowed"
    assert len(story.achieve(4).events) == 1  # it was due again


def test_T43_an_agent_cannot_make_cycles_that_are_not_due() -> None:
    story = begun()
    story.achieve(0)

    assert story.must(commands.StartNext(), 3.99).goal_ids == ()
    assert story.must(commands.StartNext(), 4).goal_ids == ("G001",)


def test_a_cycle_is_told_of_a_goal_that_recurs() -> None:
    story = Story("one")
    story.must(commands.StartNext())

    assert story.no(complete("G001").replace(cycle="monday")).reason == "not-recurring"


def test_a_look_between_two_cycles_is_not_work_on_the_next() -> None:
    story = begun()
    story.achieve(0)
    seen = judgement_of("f", frozen=_frozen(story))
    story.must(commands.RecordJudgement("G001", seen, 5), 1)

    story.must(commands.StartNext(), 4)

    (goal,) = story.plan.goals
    assert (goal.iteration, goal.attempts) == (0, 1)


def test_the_next_cycle_is_judged_and_answered_from_the_beginning() -> None:
    story = begun()
    story.achieve(0)

    (only,) = story.plan.goals
    assert (only.iteration, only.attempts, only.judgement, only.decision) == (0, 0, "", "")
    assert (only.steps, only.answers) == ((), ())
    assert [state.status for state in only.criteria] == ["PENDING"]


def test_a_plan_with_other_goals_is_complete_without_those_that_recur() -> None:
    story = Story(asked(FOUR_HOURS), "two")
    plan = recorded(story.plan, GoalCompleted("G002", "it works"))

    assert [g.id for g in plan.required_goals] == ["G002"]
    assert plan.is_complete


def test_a_goal_that_depends_on_one_that_recurs_waits_for_its_first_cycle() -> None:
    story = Story(asked(FOUR_HOURS), asked(recurring(), "G001")).freeze()
    second = goal_of(story.plan, "G002")

    assert not graph.is_ready(story.plan, second)
    story.achieve(0)
    assert graph.is_ready(story.plan, second)


def test_only_due_goals_are_started_and_waiting_ones_say_when() -> None:
    story = begun()
    story.achieve(0)

    assert graph.next_action(story.plan, at(1)) is graph.NextAction.WAIT
    assert graph.waiting_for_time(story.plan, at(1)) == story.plan.goals
    assert graph.not_before(story.plan.goals[0], at(1)) == at(4)
    assert graph.next_action(story.plan, at(4)) is graph.NextAction.EXECUTE_GOAL


def test_a_goal_that_failed_is_started_again_when_its_next_cycle_is_due() -> None:
    story = begun()
    story.achieve(0)
    story.must(commands.StartNext(), 4.2)
    failed = commands.Checkpoint("G001", commands.CheckpointStatus.FAILED, "the log is bad")
    story.must(failed, 4.5)

    assert graph.next_goal(story.plan, retry_failed=False, at=at(8.4)) is None
    due = graph.next_goal(story.plan, retry_failed=False, at=at(8.6))
    assert due == story.plan.goals[0]


def test_what_is_due_says_since_when_and_whether_the_streak_is_lost() -> None:
    known = goal(Streak(at(0), 3, 5, 7))

    early, late, lost = (streaks.look_at_due(known, at(hours)) for hours in (3, 6, 8.5))

    assert (early.is_due, early.due_at, early.overdue_hours) == (False, at(4), 0)
    assert (late.is_due, late.overdue_hours, late.is_missed) == (True, 2, False)
    assert (lost.is_due, lost.overdue_hours, lost.is_missed) == (True, 4.5, True)
    assert streaks.look_at_due(goal(None), at(0)).is_due


def test_only_so_many_cycles_are_remembered() -> None:
    story = begun()
    for number in range(30):
        story.achieve(4 * number, cycle=f"c{number}")

    streak = story.plan.goals[0].streak
    assert streak is not None
    assert len(streak.cycles) == streaks.REMEMBERED_CYCLES
    assert (streak.current, streak.count) == (30, 30)


def test_an_agent_can_make_no_goal_recur() -> None:
    story = Story("one")
    frozen = commands.FreezeContract("G001", _frozen(begun()))

    assert story.no(frozen, actor=AGENT).reason == "timing-needs-human"


def _frozen(story: Story) -> Frozen:
    frozen = story.plan.goals[0].frozen
    assert frozen is not None
    return frozen


def _streak(plan: Plan) -> tuple[int, int, int]:
    streak = plan.goals[0].streak or Streak()
    return streak.current, streak.longest, streak.count
