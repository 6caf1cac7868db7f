"""These rules say how long a drive waits after a rate limit or an outage, and when it ends."""

from __future__ import annotations

from goalkeeper.core import moments
from goalkeeper.core.drive.state import Budget, LineOfWork

MOST_OUTAGES = 5  # so many may come in a row; rate limits count too


def find_pause_end(line: LineOfWork, budget: Budget, now: str) -> str:
    """Return until when the drive waits after a rate limit or an outage that this line met."""
    told = moments.parse_moment(line.last.resets_at) if line.last else None
    if told:
        return moments.format_moment(told)
    seconds = budget.backoff_seconds * 2 ** max(line.outages - 1, 0)
    return moments.add_seconds(now, seconds)


def why_not_paused(line: LineOfWork, budget: Budget, until: str, now: str) -> str | None:
    """Return why the drive ends instead of waiting until then; None if it waits."""
    if line.outages > MOST_OUTAGES:
        return line.problem
    is_too_long = moments.milliseconds_between(now, until) > budget.pause_seconds * 1000
    return f"it lasts until {until}: {line.problem}" if is_too_long else None
