"""Removes what nothing needs, one thing after another. It may end at any moment and be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from goalkeeper.app.queries.drives import find_proven_work
from goalkeeper.core.keeping import is_branch_done, is_over, is_past
from goalkeeper.core.moments import DAY_SECONDS
from goalkeeper.core.plan.model import Plan
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


def is_branch_over(
    plan: Plan | None,
    branch: str,
    *,
    is_contained: bool,
    now: str,
    days: int,
    asked_days: int | None,
    is_asked: bool,
) -> bool:
    """Return whether nobody needs a branch any more; a user may ask for other days than usual."""
    if plan is None:
        return False
    if asked_days is not None and is_over(plan, now, asked_days):
        return True
    is_proven = branch in {place.branch for place, _, _ in find_proven_work(plan)}
    is_old = is_past(plan.updated_at, now, days)
    return is_branch_done(
        plan, is_contained=is_contained, is_proven=is_proven, is_old=is_old, is_asked=is_asked
    )


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
