"""How often a process was tried that left no result."""

from __future__ import annotations

import time
from collections import Counter

_MOST_FAILURES = 3
_REST_SECONDS = 0.5
_SIGNALLED = 128  # a program that a signal ended in good order exits with more than this


class Attempts:
    """Counts ends without a result, by the name of the process.

    One that ends so by itself will do it again, and is tried a few times only. One that was killed
    is not to blame, and is tried for ever, but not all the time: too little memory kills, too.
    """

    def __init__(self) -> None:
        self._failures: Counter[str] = Counter()
        self._rests_until: dict[str, float] = {}

    def forget(self, name: str) -> None:
        """Begin to count anew."""
        self._failures.pop(name, None)
        self._rests_until.pop(name, None)

    def count_end(self, name: str, exit_code: int) -> None:
        if 0 <= exit_code <= _SIGNALLED:
            self._failures[name] += 1
        else:
            self._rests_until[name] = time.monotonic() + _REST_SECONDS

    def is_hopeless(self, name: str) -> bool:
        return self._failures[name] >= _MOST_FAILURES

    def is_resting(self, name: str) -> bool:
        return time.monotonic() < self._rests_until.get(name, 0)
