"""The one table of goal statuses. A move that is not in it is refused; other statuses are final."""

from __future__ import annotations

from goalkeeper.core.plan.model import Goal, GoalStatus, Refused

MOVES: dict[GoalStatus, frozenset[GoalStatus]] = {
    GoalStatus.PENDING: frozenset({GoalStatus.ACTIVE, GoalStatus.SUPERSEDED, GoalStatus.EXPIRED}),
    GoalStatus.ACTIVE: frozenset(
        {GoalStatus.COMPLETE, GoalStatus.FAILED, GoalStatus.BLOCKED, GoalStatus.REVIEW_BLOCKED,
         GoalStatus.EXPIRED, GoalStatus.PENDING}
    ),
    GoalStatus.FAILED: frozenset({GoalStatus.ACTIVE, GoalStatus.EXPIRED}),
    GoalStatus.BLOCKED: frozenset(
        {GoalStatus.ACTIVE, GoalStatus.PENDING, GoalStatus.SUPERSEDED, GoalStatus.EXPIRED}
    ),
    GoalStatus.REVIEW_BLOCKED: frozenset({GoalStatus.ACTIVE, GoalStatus.PENDING}),
}  # fmt: skip

_WAY_OUT = {
    GoalStatus.PENDING: "goalkeeper complete-goals",
    GoalStatus.ACTIVE: "goalkeeper checkpoint --goal-id {id} --status failed --evidence <what>",
    GoalStatus.FAILED: "goalkeeper complete-goals --retry-failed",
    GoalStatus.BLOCKED: "goalkeeper unblock --goal-id {id} --evidence <what changed>",
    GoalStatus.REVIEW_BLOCKED: "goalkeeper complete-goals",
}


def refused_move(goal: Goal, to: GoalStatus) -> Refused | None:
    """Return None when the table has the move."""
    if to in MOVES.get(goal.status, ()):
        return None
    said = f"{goal.id} is {goal.status} and cannot become {to}."
    hint = _WAY_OUT.get(goal.status, "goalkeeper status").format(id=goal.id)
    facts = {"goal_id": goal.id, "status": goal.status, "wanted": to}
    return Refused("transition-not-allowed", said, hint, facts)
