"""When a session goes on whose driver ended and is to be started again."""

from __future__ import annotations

from goalkeeper.core.drive.state import Drive, Reason
from goalkeeper.core.moments import add_seconds, format_moment, parse_moment
from goalkeeper.core.plan.graph import not_before, waiting_for_time
from goalkeeper.core.plan.model import Plan

PAUSE_SECONDS = 300  # where nobody tells when the trouble is over
_TROUBLES = frozenset({Reason.RATE_LIMITED, Reason.OUTAGE})


def find_resumption(plan: Plan, drive: Drive, reason: Reason, now: str) -> str:
    """Find the moment before which nothing can be done; empty if the session need not wait.

    A session that would be started again at once would end as it did, again and again.
    """
    if reason in _TROUBLES:
        told = [parse_moment(line.last.resets_at) for line in drive.lines if line.last]
        found = [format_moment(each) for each in told if each]
    elif reason is Reason.NOT_DUE:
        found = [not_before(goal, now) for goal in waiting_for_time(plan, now)]
    else:
        return drive.paused_until
    later = [each for each in (*found, drive.paused_until) if each > now]
    # Another client, or another goal, may wait longer; this one is tried first.
    return min(later, default=add_seconds(now, PAUSE_SECONDS))
