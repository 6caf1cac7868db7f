"""Removes what nothing needs, one thing after another. It may end at any moment and be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from goalkeeper.core.moments import DAY_SECONDS
from goalkeeper.wire.value import Value

BLOCK_BYTES = 512  # the disk is counted in blocks
YOUNG_SECONDS = DAY_SECONDS  # what is younger may belong to a command that has not recorded it yet


class Garbage(Value):
    """Something that nothing needs any more, and how it is removed."""

    what: str
    path: str
    size: int  # in bytes
    remove: Callable[[], None]


class CleanResult(Value):
    removed: tuple[Garbage, ...]
    failed: tuple[str, ...]  # why something could not be removed

    @property
    def size(self) -> int:
        return sum(each.size for each in self.removed)


def remove_garbage(
    found: Iterable[Garbage], *, is_time_up: Callable[[], bool] = lambda: False
) -> CleanResult:
    """Remove what is found until the time is up; the rest is for the next time."""
    removed, failed = [], []
    for garbage in found:
        if is_time_up():
            break
        try:
            garbage.remove()
        except OSError as exc:
            failed.append(f"{garbage.path}: {exc.strerror or exc}")
        else:
            removed.append(garbage)
    return CleanResult(tuple(removed), tuple(failed))
