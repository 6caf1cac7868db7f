"""When an agent has ended: what changed although nobody at work may change it, and what may."""

from __future__ import annotations

from goalkeeper.core.contract.findings import Finding, FindingAnswer, Level
from goalkeeper.core.decide import Decided, decide
from goalkeeper.core.drive.fold import find_terms
from goalkeeper.core.plan import commands, events
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.model import HUMAN, Actor, ActorKind, Goal, GoalStatus, Plan

_NOTES = events.CommandRefused | events.AbbreviationRefused  # they change nothing


def decide_asked(
    plan: Plan, goal_id: str, event: events.Event, *, at: str, actor: Actor
) -> tuple[events.Event, ...]:
    """Decide what is recorded of an entry that an agent wrote while it worked on a goal.

    Nothing shows that a command of ours wrote it. So the rules are asked as that command asks them.
    What was answered is not among it: the answers are verified again.
    """
    goal = plan.find_goal(goal_id)
    is_own = getattr(event, "goal_id", "") == goal_id and actor.kind is ActorKind.AGENT
    if goal is None or not is_own:
        return ()
    if isinstance(event, _NOTES):
        return (event,)
    command = _find_command(goal, event)
    decision = decide(plan, command, at=at, actor=actor) if command else None
    return decision.events if isinstance(decision, Decided) else ()


def _find_command(goal: Goal, event: events.Event) -> commands.Command | None:
    """Find the command of which such an entry comes; None if an agent at work has none."""
    contract = goal.frozen.digest if goal.frozen else ""
    match event:
        case events.HonestExit(_, kind, evidence):
            return commands.GiveUp(goal.id, kind, evidence)
        case events.GoalCheckpointed(_, status, evidence):
            is_over = status is CheckpointStatus.COMPLETE
            return None if is_over else commands.Checkpoint(goal.id, status, evidence)
        case events.FindingAnswered(_, answer) if answer.by != HUMAN:
            about = answer.rule, Level.ASKING, answer.path
            found = (Finding(*about, message=m, content=answer.content) for m in answer.messages)
            return commands.AnswerFindings(goal.id, contract, tuple(found), answer.reason)
        case events.VerificationFailed(_, criteria, tree, problems, steps):
            return commands.RecordFailedAnswers(goal.id, contract, tree, criteria, problems, steps)
        case events.HypothesisDeferred():
            return commands.Defer(goal.id)
        case _:
            return None


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
