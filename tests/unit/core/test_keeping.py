"""What is still needed of a run, and when its branches may go."""

from goalkeeper.core.fold import apply, begin
from goalkeeper.core.keeping import find_ids, is_branch_done, is_over, is_past
from goalkeeper.core.plan import events
from goalkeeper.core.plan.model import GoalMode, NewGoal, Plan
from tests.tables import for_each

AT, LATER = "2026-01-01T00:00:00.000000Z", "2026-01-31T00:00:00.000000Z"
CREATED = events.PlanCreated(
    "20260101-000000-0001", "brief\n", GoalMode.AGGREGATE, "all", "", (NewGoal("One", "Do it."),)
)
LIVE = begin(CREATED, AT)
CLOSED = apply(LIVE, events.StateCleared("done with it"), AT)
LANDED = CLOSED.replace(landed="f" * 40)


@for_each(
    ("plan", "how", "done"),
    [
        (LIVE, "contained old", False),
        (LANDED, "contained proven", True),
        (LANDED, "proven", False),
        (LANDED, "proven old", True),
        (CLOSED, "contained proven", False),
        (CLOSED, "contained proven old", True),
        (CLOSED, "proven old", False),
        (CLOSED, "", False),
        (CLOSED, "old", True),
        (LIVE, "contained old asked", False),
        (LANDED, "proven asked", True),
        (CLOSED, "asked", True),
        (CLOSED, "proven asked", False),
    ],
)
def test_a_branch_goes_when_nobody_can_miss_it(plan: Plan, how: str, done: bool) -> None:
    found = is_branch_done(
        plan,
        is_contained="contained" in how,
        is_proven="proven" in how,
        is_old="old" in how,
        is_asked="asked" in how,
    )

    assert found is done


def test_a_run_is_over_some_days_after_its_end() -> None:
    assert is_past(AT, LATER, 30)
    assert not is_past(AT, LATER, 31)
    assert is_over(CLOSED, LATER, 30)
    assert not is_over(LIVE, LATER, 0)


def test_ids_are_found_in_any_text() -> None:
    short, long = "a1" * 20, "b2" * 32

    assert find_ids(f'{{"x":"C1 {short}","y":"{long}.json {"c" * 41}"}}'.encode()) == {short, long}
