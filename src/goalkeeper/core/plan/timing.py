"""When a goal may be worked on. Moments are written as the ledger writes them, so texts compare."""

from __future__ import annotations

from goalkeeper.core.contract.timing import Timing
from goalkeeper.core.plan import streaks
from goalkeeper.core.plan.model import Goal


def waits_until(goal: Goal, at: str) -> str:
    """The moment before which the goal is not started; empty when it may be."""
    timing = goal.timing
    if timing is None:
        return ""
    if timing.opens > at:
        return timing.opens
    if not goal.is_recurring or streaks.is_due(goal, at):
        return ""
    return streaks.due_at(goal)


def is_over(timing: Timing, at: str) -> bool:
    """Whether the time for which a hypothesis was asked has passed."""
    return bool(timing.closes) and at > timing.closes
