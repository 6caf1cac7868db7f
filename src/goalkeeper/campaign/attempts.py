"""How often a process was tried that left no result."""

from __future__ import annotations

import time
from collections import Counter

from goalkeeper.core.plan.model import Plan
from goalkeeper.errors import TryAgain

MOST_FAILURES = 3
MOST_DEATHS = 20  # in a row without a new record
MOST_DEATHS_IN_ALL = 40  # of one admission, whatever was done: what a killed agent cost is unknown
_REST_SECONDS = 0.5
_SIGNALLED = 128  # a program that a signal ended in good order exits with more than this
_NOT_TO_BLAME = frozenset({TryAgain.exit_code})  # its git was killed, or somebody held a lock


Traces = tuple[object, ...]  # what a process left


class Attempts:
    """Counts ends without a result, by the name of the process.

    One that ends so by itself will do it again, and is tried a few times only. One that was killed
    is not to blame, and is tried much longer, but not all the time: too little memory kills, too.
    Its deaths are counted from its last record, and in all: a worker that kills its driver and
    changes a byte each time would never end.
    """

    def __init__(self) -> None:
        self._failures: Counter[str] = Counter()
        self._deaths: Counter[str] = Counter()
        self._deaths_in_all: Counter[str] = Counter()
        self._known: dict[str, Traces] = {}
        self._rests_until: dict[str, float] = {}

    def forget(self, name: str) -> None:
        """Begin to count anew."""
        self._failures.pop(name, None)
        self._deaths.pop(name, None)
        self._deaths_in_all.pop(name, None)
        self._known.pop(name, None)
        self._rests_until.pop(name, None)

    def count_end(self, name: str, exit_code: int, traces: Traces = ()) -> None:
        """Count one end of a process that left these traces."""
        if 0 <= exit_code <= _SIGNALLED and exit_code not in _NOT_TO_BLAME:
            self._failures[name] += 1
            return
        if traces != self._known.get(name, ()):
            self._deaths.pop(name, None)
        self._known[name] = traces
        self._deaths_in_all[name] += 1
        self._deaths[name] += 1
        self._rests_until[name] = time.monotonic() + _REST_SECONDS

    def is_hopeless(self, name: str) -> bool:
        return self._failures[name] >= MOST_FAILURES or self._dies(name)

    def is_resting(self, name: str) -> bool:
        return time.monotonic() < self._rests_until.get(name, 0)

    def explain(self, name: str) -> str:
        """Say why a process is not tried any more."""
        if not self._dies(name):
            return "its process ended without a result"
        if self._deaths[name] < MOST_DEATHS:
            return f"its process was killed {self._deaths_in_all[name]} times in all"
        return f"its process was killed {self._deaths[name]} times, and nothing was done in between"

    def _dies(self, name: str) -> bool:
        is_often = self._deaths_in_all[name] >= MOST_DEATHS_IN_ALL
        return self._deaths[name] >= MOST_DEATHS or is_often


def find_traces(plan: Plan | None) -> Traces:
    """Find what has been done in a run, and which phases were begun for it.

    That a driver goes on where another was killed is recorded, too, and alone is nothing.
    """
    if plan is None:
        return ()
    goals = [(goal.id, goal.status, goal.iteration, goal.judgement) for goal in plan.goals]
    lines = plan.drive.lines if plan.drive else ()
    trees = [(line.goal_id, line.tree, line.judged_tree, len(line.done)) for line in lines]
    begun = [line.running.marker for line in lines if line.running]
    return goals, trees, begun
