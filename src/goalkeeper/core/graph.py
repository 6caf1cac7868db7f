"""Dependencies between goals: what is wrong with them, what is ready, what is next."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from goalkeeper.core.model import Goal, GoalStatus, Plan, Problem


def problems(depends_on: Mapping[str, tuple[str, ...]]) -> list[Problem]:
    """Unknown ids, self-dependencies and cycles, all of them."""
    found = [
        Problem(f"{goal_id}, depends_on", f"there is no goal {name}")
        for goal_id, names in depends_on.items()
        for name in names
        if name not in depends_on
    ]
    return found + [
        Problem(f"{cycle[0]}, depends_on", "a cycle: " + " → ".join(cycle))
        for cycle in _cycles(depends_on)
    ]


def _cycles(depends_on: Mapping[str, tuple[str, ...]]) -> list[list[str]]:
    left = {
        goal_id: {name for name in names if name in depends_on}
        for goal_id, names in depends_on.items()
    }
    found: list[list[str]] = []
    while left:
        free = {goal_id for goal_id, names in left.items() if not names}
        if not free:
            found.append(_walk(left))
            free = set(found[-1])
        left = {goal_id: names - free for goal_id, names in left.items() if goal_id not in free}
    return found


def _walk(left: Mapping[str, set[str]]) -> list[str]:
    # Every goal that is left waits for one that is left, so this walk must meet itself.
    path = [min(left)]
    while path.count(path[-1]) == 1:
        path.append(min(left[path[-1]]))
    return path[path.index(path[-1]) :]


def is_satisfied(plan: Plan, goal_id: str) -> bool:
    """Complete, or superseded by goals that all are (by none: no longer required)."""
    waiting = [goal_id]
    while waiting:
        goal = plan.goal(waiting.pop())
        if goal is None or goal.status not in {GoalStatus.COMPLETE, GoalStatus.SUPERSEDED}:
            return False
        waiting += goal.superseded_by
    return True


def is_ready(plan: Plan, goal: Goal) -> bool:
    return all(is_satisfied(plan, goal_id) for goal_id in goal.depends_on)


def next_goal(plan: Plan, *, retry_failed: bool) -> Goal | None:
    """The active goal, else the first ready pending one, else (if asked) the first failed one."""
    active = plan.with_status(GoalStatus.ACTIVE)
    ready = tuple(goal for goal in plan.with_status(GoalStatus.PENDING) if is_ready(plan, goal))
    failed = plan.with_status(GoalStatus.FAILED) if retry_failed else ()
    return next(iter(active + ready + failed), None)


class NextAction(StrEnum):
    EXECUTE_GOAL = "execute-goal"
    RETRY_FAILED = "retry-failed"
    RESOLVE_BLOCKERS = "resolve-blockers"
    NONE = "none"


def next_action(plan: Plan) -> NextAction:
    if next_goal(plan, retry_failed=False):
        return NextAction.EXECUTE_GOAL
    if plan.with_status(GoalStatus.FAILED):
        return NextAction.RETRY_FAILED
    return NextAction.NONE if plan.is_complete else NextAction.RESOLVE_BLOCKERS
