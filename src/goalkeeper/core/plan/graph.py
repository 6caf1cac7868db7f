"""Dependencies between goals: what is wrong with them, what is ready, what is handed on."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan import streaks
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan
from goalkeeper.core.problems import Problem

HEADING = "## Predecessor Output"
FOUND = "## Found by the review of"
OWN_WORDS = "In the agent's own words:"


def find_problems(depends_on: Mapping[str, tuple[str, ...]]) -> list[Problem]:
    """Find unknown ids, self-dependencies and cycles, all of them."""
    found = [
        Problem(f"{goal_id}, depends_on", f"there is no goal {name}")
        for goal_id, names in depends_on.items()
        for name in names
        if name not in depends_on
    ]
    return found + [
        Problem(f"{cycle[0]}, depends_on", "a cycle: " + " → ".join(cycle))
        for cycle in _find_cycles(depends_on)
    ]


def _find_cycles(depends_on: Mapping[str, tuple[str, ...]]) -> list[list[str]]:
    left = {
        goal_id: {name for name in names if name in depends_on}
        for goal_id, names in depends_on.items()
    }
    waiting: dict[str, list[str]] = {goal_id: [] for goal_id in left}
    for goal_id, names in left.items():
        for name in names:
            waiting[name].append(goal_id)
    free = [goal_id for goal_id, names in left.items() if not names]
    found: list[list[str]] = []
    while left:
        if not free:
            found.append(_follow_cycle(left))
            free = found[-1][:-1]
        done = free.pop()
        if left.pop(done, None) is None:
            continue  # it was in a cycle, and became free besides
        for goal_id in waiting[done]:
            if goal_id in left:
                left[goal_id].discard(done)
                free += [] if left[goal_id] else [goal_id]
    return found


def _follow_cycle(left: Mapping[str, set[str]]) -> list[str]:
    # Every goal that is left waits for one that is left, so this walk must meet itself.
    path = [min(left)]
    met: set[str] = set()
    while path[-1] not in met:
        met.add(path[-1])
        path.append(min(left[path[-1]]))
    return path[path.index(path[-1]) :]


def is_satisfied(plan: Plan, goal_id: str) -> bool:
    """Return whether it is complete, or superseded by goals that all are (or by none).

    A goal that recurs is never complete; its first cycle counts.
    """
    waiting = [goal_id]
    over = {GoalStatus.COMPLETE, GoalStatus.SUPERSEDED}
    while waiting:
        goal = plan.find_goal(waiting.pop())
        if goal is None or (goal.status not in over and goal.streak is None):
            return False
        waiting += goal.superseded_by
    return True


def dead_ends(plan: Plan, goal: Goal) -> tuple[Goal, ...]:
    """Find what the goal waits for and nobody works on any more, because it expired or failed."""
    over = {GoalStatus.EXPIRED, GoalStatus.FAILED}
    return tuple(before for before in _find_predecessors(plan, goal) if before.status in over)


def is_ready(plan: Plan, goal: Goal) -> bool:
    return all(is_satisfied(plan, goal_id) for goal_id in goal.depends_on)


def not_before(goal: Goal, at: str) -> str:
    """Return the moment before which a pending goal is not started; empty when it may be."""
    if goal.timing is None:
        return ""
    opens = max(goal.timing.opens, goal.waits_until)
    if opens > at:
        return opens
    return "" if not goal.is_recurring or streaks.is_due(goal, at) else streaks.due_at(goal)


def _is_due_again(goal: Goal, at: str) -> bool:
    """Return whether a recurring goal failed in an earlier cycle than the one that is due now."""
    if goal.status is not GoalStatus.FAILED or goal.timing is None or not goal.is_recurring:
        return False
    return add_seconds(goal.updated_at, goal.timing.interval_hours * 3600) <= at


def next_goal(plan: Plan, *, retry_failed: bool, at: str) -> Goal | None:
    """Return the active goal, else the first ready one, else (if asked) the first failed one."""
    active = plan.with_status(GoalStatus.ACTIVE)
    waiting = (g for g in plan.goals if g.status is GoalStatus.PENDING or _is_due_again(g, at))
    ready = tuple(g for g in waiting if is_ready(plan, g) and not not_before(g, at))
    failed = plan.with_status(GoalStatus.FAILED) if retry_failed else ()
    return next(iter(active + ready + failed), None)


class NextAction(StrEnum):
    EXECUTE_GOAL = "execute-goal"
    RETRY_FAILED = "retry-failed"
    RESOLVE_BLOCKERS = "resolve-blockers"
    WAIT = "wait"
    NONE = "none"


def next_action(plan: Plan, at: str) -> NextAction:
    if next_goal(plan, retry_failed=False, at=at):
        return NextAction.EXECUTE_GOAL
    if plan.with_status(GoalStatus.FAILED):
        return NextAction.RETRY_FAILED
    if plan.is_complete:
        return NextAction.NONE
    return NextAction.WAIT if waiting_for_time(plan, at) else NextAction.RESOLVE_BLOCKERS


def waiting_for_time(plan: Plan, at: str) -> tuple[Goal, ...]:
    """Find goals that wait for nothing but a moment, the earliest first."""
    pending = plan.with_status(GoalStatus.PENDING)
    waiting = [goal for goal in pending if is_ready(plan, goal) and not_before(goal, at)]
    return tuple(sorted(waiting, key=lambda goal: not_before(goal, at)))


def list_predecessor_evidence(plan: Plan, goal: Goal) -> str:
    """Return the evidence of every goal that this one depends on and that is settled, each once.

    A goal that settles a review begins with what the review saw, unless its objective says it.
    """
    is_new = goal.finding not in goal.objective
    seen = [f"{FOUND} {goal.blocks}\n{_kept_apart(goal.finding)}"] if is_new else []
    blocks = [
        f"{HEADING} ({before.id})\n{_kept_apart(_describe_output(before))}"
        for before in _find_predecessors(plan, goal)
        if before.evidence and is_satisfied(plan, before.id)
    ]
    return "\n\n".join(seen + blocks)


def _describe_output(goal: Goal) -> str:
    """Return the evidence, and what was answered in words; a drive's evidence has them already."""
    said = dict.fromkeys(each.summary for each in goal.answers if each.summary)
    more = [f"{OWN_WORDS} {each}" for each in said if each not in goal.evidence]
    return "\n".join([goal.evidence, *more])


def _find_predecessors(plan: Plan, goal: Goal) -> list[Goal]:
    """Find them in the order of their ids in the contract; a split goal gives its parts."""
    found: dict[str, Goal] = {}
    waiting = list(goal.depends_on)
    while waiting:
        before = plan.find_goal(waiting.pop(0))
        if before and before.id not in found:
            found[before.id] = before
            waiting = [*before.superseded_by, *waiting]
    return list(found.values())


def _kept_apart(evidence: str) -> str:
    """Indent what looks like a heading of ours, because somebody else wrote it."""
    lines = evidence.splitlines()
    ours = (HEADING, FOUND)
    return "\n".join(f" {line}" if line.startswith(ours) else line for line in lines)
