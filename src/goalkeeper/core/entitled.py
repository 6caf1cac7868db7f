"""When an agent has ended: what changed although nobody at work may change it, and what may."""

from __future__ import annotations

from goalkeeper.core.contract.findings import FindingAnswer
from goalkeeper.core.drive.fold import find_terms
from goalkeeper.core.plan import events
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.model import HUMAN, Actor, ActorKind, Goal, GoalStatus, Plan
from goalkeeper.core.plan.standing import why_forged

# What comes of the commands that an agent at work may ask for.
_ASKED = (
    events.HonestExit | events.GoalCheckpointed | events.FindingAnswered | events.StepVerified
    | events.QuestionsAnswered | events.VerificationFailed | events.AbbreviationRefused
    | events.HypothesisDeferred | events.CommandRefused
)  # fmt: skip


def may_ask(plan: Plan, goal_id: str, event: events.Event, actor: Actor) -> bool:
    """Return whether an agent that works on a goal may have this recorded."""
    return (
        isinstance(event, _ASKED)
        and event.goal_id == goal_id
        and actor.kind is ActorKind.AGENT
        and not why_forged(plan, event, actor)
        and getattr(event, "status", "") != CheckpointStatus.COMPLETE
    )


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
