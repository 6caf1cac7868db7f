"""When an agent has ended: what changed although nobody at work may change it."""

from __future__ import annotations

from goalkeeper.core.contract.findings import FindingAnswer
from goalkeeper.core.drive.fold import find_terms
from goalkeeper.core.plan.model import HUMAN, Goal, GoalStatus, Plan


def find_unentitled_changes(before: Plan, now: Plan) -> tuple[str, ...]:
    """Find changes that neither the agent at work nor a steering human may make."""
    found = [text for goal in before.goals for text in _find_in_goal(goal, now.find_goal(goal.id))]
    if before.drive and now.drive and find_terms(before.drive) != find_terms(now.drive):
        found.append("the limits of the drive changed")
    return tuple(found)


def _list_pardons(goal: Goal) -> list[FindingAnswer]:
    return [answer for answer in goal.finding_answers if answer.by == HUMAN]


def _find_in_goal(goal: Goal, now: Goal | None) -> list[str]:
    if now is None:
        return [f"{goal.id} is gone"]
    said = {
        "completed": goal.status is not now.status is GoalStatus.COMPLETE,
        "superseded": goal.status is not now.status is GoalStatus.SUPERSEDED,
        "has another contract": (goal.contract, goal.frozen) != (now.contract, now.frozen),
        "was judged": (goal.table, goal.iteration) != (now.table, now.iteration),
        "was reviewed": any(lane not in goal.lanes for lane in now.lanes),
        "has a finding that a human let stand": _list_pardons(goal) != _list_pardons(now),
    }
    return [f"{goal.id} {what}" for what, is_so in said.items() if is_so]
