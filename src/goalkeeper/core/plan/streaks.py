"""Recurring goals: when one is due, and what an achieved cycle does to its streak.

- A cycle within two intervals of the last one goes on with the streak; exactly two is within.
- A later one begins a streak anew; the longest is kept.
- A last time that lies in the future is a clock's mistake: it is said, and nothing is counted on
  top of it. The goal is due then, so that the next cycle sets the time right.
"""

from __future__ import annotations

from goalkeeper.core.moments import add_seconds, milliseconds_between
from goalkeeper.core.plan.commands import Checkpoint
from goalkeeper.core.plan.events import CycleAchieved
from goalkeeper.core.plan.model import STANDARD, Goal, Streak
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value

GRACE_INTERVALS = 2
REMEMBERED_CYCLES = 20  # it is bounded so that the plan does not grow with the history
_HOUR_MS = 3_600_000


class Due(Value):
    """A recurring goal at one moment."""

    goal: Goal
    is_due: bool
    due_at: str  # it is empty if the goal was never done
    overdue_hours: float
    is_missed: bool  # the next cycle begins a streak anew
    anomaly: str


def look_at_due(goal: Goal, at: str) -> Due:
    past = milliseconds_between(due_at(goal), at)
    missed = bool(past) and _is_broken(goal, at)
    return Due(goal, is_due(goal, at), due_at(goal), round(past / _HOUR_MS, 2), missed,
               find_anomaly(goal, at))  # fmt: skip


def is_due(goal: Goal, at: str) -> bool:
    return at >= due_at(goal) or bool(find_anomaly(goal, at))


def due_at(goal: Goal) -> str:
    """Return when it is due; empty if it was never achieved, because then it is due at once."""
    if not goal.streak or not goal.streak.last_at:
        return ""
    return add_seconds(goal.streak.last_at, _interval_hours(goal) * 3600)


def find_anomaly(goal: Goal, at: str) -> str:
    last = goal.streak.last_at if goal.streak else ""
    return f"it was last achieved at {last[:19]}Z, which is not yet" if last > at else ""


def due_window(goal: Goal, at: str) -> str:
    """Return when the cycle fell due that a proof at this moment belongs to."""
    due = due_at(goal)
    return due if at >= due or goal.streak is None else goal.streak.window


def cycle_key(goal: Goal, tree: str, contract: str, at: str) -> str:
    """Return the key by which two proofs are the same cycle, where nobody names it."""
    return digest([tree, contract, due_window(goal, at)])


def extend_streak(goal: Goal, cycle: str, contract: str, at: str) -> Streak:
    before = goal.streak or Streak()
    odd = find_anomaly(goal, at)
    current = before.current + (0 if odd else 1)
    if not odd and (not before.last_at or _is_broken(goal, at)):
        current = 1  # a streak whose last time nobody knows does not go on
    return Streak(
        at,
        current,
        max(before.longest, current),
        before.count + 1,
        due_window(goal, at),
        contract,
        (*before.cycles, cycle)[-REMEMBERED_CYCLES:],
        odd,
    )


def _is_broken(goal: Goal, at: str) -> bool:
    last = goal.streak.last_at if goal.streak else ""
    return milliseconds_between(last, at) > GRACE_INTERVALS * _interval_hours(goal) * _HOUR_MS


def _interval_hours(goal: Goal) -> int:
    return goal.timing.interval_hours if goal.timing else 0


def achieve_cycle(goal: Goal, command: Checkpoint, at: str) -> CycleAchieved:
    """Make the event that stands for the completion of a recurring goal."""
    key = _find_key(goal, command, at)
    return CycleAchieved(goal.id, key, command.evidence, STANDARD, command.judgement)


def is_repeat(goal: Goal, command: Checkpoint, at: str) -> bool:
    """Return whether the cycle that a checkpoint tells of was recorded already."""
    if goal.streak is None or not goal.is_recurring or not (command.cycle or command.judgement):
        return False
    return _find_key(goal, command, at) in goal.streak.cycles


def _find_key(goal: Goal, command: Checkpoint, at: str) -> str:
    seen = command.judgement
    tree, contract = (seen.tree, seen.contract) if seen else ("", "")
    return command.cycle or cycle_key(goal, tree, contract, at)
