"""A clock that goes when it is told to."""

from __future__ import annotations


class ManualClock:
    """Starts at a fixed moment and moves one second with every look."""

    def __init__(self, *, second: int = 0) -> None:
        self._second = second

    def __call__(self) -> str:
        minutes, seconds = divmod(self._second, 60)
        hours, minutes = divmod(minutes, 60)
        self._second += 1
        return f"2026-01-01T{hours:02d}:{minutes:02d}:{seconds:02d}.000000Z"
