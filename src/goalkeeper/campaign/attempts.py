"""How often a process was tried that left no result."""

from __future__ import annotations

import time
from collections import Counter

from goalkeeper.core.plan.model import Plan

MOST_FAILURES = 3
MOST_DEATHS = 20
_REST_SECONDS = 0.5
_SIGNALLED = 128  # a program that a signal ended in good order exits with more than this


class Attempts:
    """Counts ends without a result, by the name of the process.

    One that ends so by itself will do it again, and is tried a few times only. One that was killed
    is not to blame, and is tried much longer, but not all the time: too little memory kills, too.
    Its deaths are counted from the last time that something was done.
    """

    def __init__(self) -> None:
        self._failures: Counter[str] = Counter()
        self._deaths: Counter[str] = Counter()
        self._done: dict[str, object] = {}
        self._rests_until: dict[str, float] = {}

    def forget(self, name: str) -> None:
        """Begin to count anew."""
        self._failures.pop(name, None)
        self._deaths.pop(name, None)
        self._done.pop(name, None)
        self._rests_until.pop(name, None)

    def count_end(self, name: str, exit_code: int, done: object = None) -> None:
        """Count one end; `done` is whatever differs when something was done before it."""
        if 0 <= exit_code <= _SIGNALLED:
            self._failures[name] += 1
            return
        if done != self._done.get(name):
            self._deaths.pop(name, None)
        self._done[name] = done
        self._deaths[name] += 1
        self._rests_until[name] = time.monotonic() + _REST_SECONDS

    def is_hopeless(self, name: str) -> bool:
        return self._failures[name] >= MOST_FAILURES or self._deaths[name] >= MOST_DEATHS

    def is_resting(self, name: str) -> bool:
        return time.monotonic() < self._rests_until.get(name, 0)

    def explain(self, name: str) -> str:
        """Say why a process is not tried any more."""
        if self._deaths[name] >= MOST_DEATHS:
            return f"its process was killed {MOST_DEATHS} times, and nothing was done in between"
        return "its process ended without a result"


def describe_done(plan: Plan | None) -> object:
    """Return what has been done in a run; it is the same for a process that did nothing.

    A driver that goes on where another was killed records that, and begins its phase anew; that
    alone is nothing.
    """
    if plan is None:
        return ()
    goals = [(goal.id, goal.status, goal.iteration, goal.judgement) for goal in plan.goals]
    lines = plan.drive.lines if plan.drive else ()
    trees = [(line.goal_id, line.tree, line.judged_tree, len(line.done)) for line in lines]
    return goals, trees
