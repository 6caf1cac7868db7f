"""When a session goes on whose driver ended before its work did."""

from goalkeeper.campaign.resuming import PAUSE_SECONDS, find_resumption
from goalkeeper.core.campaign.state import is_too_late
from goalkeeper.core.drive.phases import Depth, Ending, Record
from goalkeeper.core.drive.state import Budget, Drive, LineOfWork, Reason, Worktree
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan.model import GoalMode, Plan
from tests.tables import for_each

NOW = "2026-01-01T00:00:00.000000Z"
THEN = "2026-01-02T00:00:00.000000Z"
SOON = add_seconds(NOW, PAUSE_SECONDS)
PLAN = Plan("r1", GoalMode.AGGREGATE, "", "", (), NOW, NOW)


@for_each(
    ("reason", "resets_at", "expected"),
    [
        (Reason.RATE_LIMITED, "2026-01-02T01:00:00+01:00", THEN),
        (Reason.RATE_LIMITED, "", SOON),
        (Reason.RATE_LIMITED, "soon", SOON),
        (Reason.RATE_LIMITED, "2025-12-31T00:00:00Z", SOON),
        (Reason.OUTAGE, "", SOON),
        (Reason.NOT_DUE, "", SOON),
        (Reason.MAX_COST, "", ""),  # it has a new slice at once
    ],
)
def test_whoever_would_end_as_before_waits_a_while(
    reason: Reason, resets_at: str, expected: str
) -> None:
    last = Record("claude", Ending.RATE_LIMITED, resets_at=resets_at)
    line = LineOfWork(Worktree("G001", "/place", "branch", "c0"), last=last)
    drive = Drive("claude", Depth.QUICK, Budget(), NOW, lines=(line,))

    assert find_resumption(PLAN, drive, reason, NOW) == expected


def test_nobody_waits_for_weeks() -> None:
    assert not is_too_late("", NOW)
    assert not is_too_late(THEN, NOW)
    assert is_too_late("9998-01-01T00:00:00.000000Z", NOW)
