"""Notices when the clock on the wall moved on and the machine did not: it slept, or was set."""

from __future__ import annotations

import time
from collections.abc import Callable

from goalkeeper.app.ports import Clock
from goalkeeper.core.moments import milliseconds_between

_SLICE_SECONDS = 1.0
_LEAST_MS = 5000  # clocks that are set right little by little differ by less


class ClockWatch:
    """Compares the clock with the time that passed here, which does not count sleep."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._shown, self._passed = clock(), time.monotonic()

    def find_jump(self) -> int:
        """Return by how many milliseconds the clock jumped ahead since the last call; 0 if not."""
        shown, passed = self._clock(), time.monotonic()
        jump = milliseconds_between(self._shown, shown) - int((passed - self._passed) * 1000)
        self._shown, self._passed = shown, passed
        return jump if jump > _LEAST_MS else 0


def wait_until(clock: Clock, until: str, see_pause: Callable[[int, str], None]) -> None:
    """Wait for a moment, and tell every second how many are left."""
    while left := milliseconds_between(clock(), until):
        see_pause(left // 1000, until)
        time.sleep(min(left / 1000, _SLICE_SECONDS))
