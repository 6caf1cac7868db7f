"""Laws of streaks, whatever the clock does."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.contract.timing import Timing
from goalkeeper.core.moments import format_moment
from goalkeeper.core.plan import streaks
from goalkeeper.core.plan.model import Goal, GoalStatus, Streak

START = datetime(2026, 1, 1, tzinfo=UTC)
intervals = st.integers(1, 200)
waits = st.lists(st.integers(-10 * 3600, 1000 * 3600), min_size=1, max_size=12)  # seconds


def goal(interval: int, streak: Streak | None = None) -> Goal:
    return Goal(
        "G001", "T", "o", GoalStatus.PENDING, "then", "then", "brief",
        timing=Timing(interval), streak=streak,
    )  # fmt: skip


def moments(seconds: list[int]) -> list[str]:
    found, at = [], START
    for each in seconds:
        at += timedelta(seconds=each)
        found.append(format_moment(at))
    return found


def walked(interval: int, seconds: list[int]) -> list[Streak]:
    known: list[Streak] = []
    for number, at in enumerate(moments(seconds)):
        before = goal(interval, known[-1] if known else None)
        known.append(streaks.extend_streak(before, str(number), "contract", at))
    return known


@given(interval=intervals, seconds=waits)
def test_the_longest_is_never_less_than_the_current_and_never_shrinks(
    interval: int, seconds: list[int]
) -> None:
    longest = 0
    for streak in walked(interval, seconds):
        assert streak.longest >= max(streak.current, longest)
        assert streak.current >= 1
        longest = streak.longest


@given(interval=intervals, seconds=waits)
def test_every_cycle_counts_once_and_a_streak_is_no_longer_than_the_count(
    interval: int, seconds: list[int]
) -> None:
    for number, streak in enumerate(walked(interval, seconds), 1):
        assert streak.count == number
        assert streak.current <= number


@given(interval=intervals, seconds=waits, wait=st.integers(0, 1000 * 3600))
def test_a_streak_goes_on_just_when_no_more_than_two_intervals_have_passed(
    interval: int, seconds: list[int], wait: int
) -> None:
    before, after = walked(interval, [*seconds, wait])[-2:]

    expected = before.current + 1 if wait <= 2 * interval * 3600 else 1
    assert after.current == expected


@given(interval=intervals, seconds=waits, back=st.integers(1, 10**6))
def test_a_clock_that_went_back_is_told_of_and_gains_nobody_anything(
    interval: int, seconds: list[int], back: int
) -> None:
    before, after = walked(interval, [*seconds, -back])[-2:]

    assert after.anomaly
    assert (after.current, after.longest) == (before.current, before.longest)


@given(interval=intervals, seconds=waits, wait=st.integers(0, 1000 * 3600))
def test_what_is_not_due_belongs_to_the_window_of_the_last_cycle(
    interval: int, seconds: list[int], wait: int
) -> None:
    last = walked(interval, seconds)[-1]
    known = goal(interval, last)
    (*_, at) = moments([*seconds, wait])

    same = streaks.due_window(known, at) == last.window
    assert streaks.is_due(known, at) is (wait >= interval * 3600)
    assert same is (not streaks.is_due(known, at))
