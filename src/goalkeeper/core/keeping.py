"""Says what is still needed of what goalkeeper has written, and for how long the rest is kept."""

from __future__ import annotations

from goalkeeper.core.moments import DAY_SECONDS, add_seconds
from goalkeeper.core.plan.model import Plan
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_ID = late_pattern(rb"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])")


class KeepSettings(Value):
    """How long and how much is kept of what nothing needs."""

    days: int = 30  # so long all evidence of a run is kept after its end, and unused checkouts
    megabytes: int = 2048  # checkouts and passes of a repository take at most so much


def find_ids(data: bytes) -> set[str]:
    """Find what is written like the id of an object of git, or like a digest."""
    return {found.decode() for found in _ID.findall(data)}


def is_past(at: str, now: str, days: int) -> bool:
    """Return whether so many days have passed since a moment."""
    return add_seconds(at, days * DAY_SECONDS) <= now


def is_over(plan: Plan, now: str, days: int) -> bool:
    """Return whether a run has ended, so many days ago or more."""
    return not plan.is_live and is_past(plan.updated_at, now, days)


class RunNeeds(Value):
    """The ids that a run has recorded, and those that its plan and its receipts still need."""

    plan: Plan | None  # it is None if the run cannot be read
    recorded: set[str]
    needed: set[str]
    is_archived: bool

    def list_evidence(self, now: str, days: int) -> set[str]:
        """List the documents that stay: all until the run has ended so many days ago."""
        is_ended = self.plan is not None and is_over(self.plan, now, days)
        return self.needed if is_ended else self.needed | self.recorded

    def list_contents(self, now: str, days: int) -> set[str]:
        """List all ids that somebody may still want to see the contents of."""
        if self.plan is None or self.plan.is_live:
            return self.recorded
        return set() if self.is_archived and is_over(self.plan, now, days) else self.needed


def is_branch_done(
    plan: Plan, *, is_contained: bool, is_proven: bool, is_old: bool, is_asked: bool
) -> bool:
    """Return whether nobody needs the branch of a goal any more.

    The work has landed, and a branch of the user's has its commits. When the run ended long ago,
    one of both is enough. Then it is also enough that the run was set aside with unproven work.
    Whoever asks for it need not wait: what has landed and what was set aside goes at once.
    """
    if plan.is_live:
        return False
    has_landed, is_left = bool(plan.landed), bool(plan.closed) and not is_proven
    if is_asked and (has_landed or is_left):
        return True
    return (has_landed and is_contained) or (is_old and (has_landed or is_contained or is_left))
