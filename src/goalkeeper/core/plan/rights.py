"""Who may change a plan: whoever is driven changes nothing, and agents close no human's plan."""

from __future__ import annotations

from collections.abc import Container

from goalkeeper.core.plan import commands
from goalkeeper.core.plan.actors import explain_actor
from goalkeeper.core.plan.guards import Interruption, opens_questions, refuse_interruption
from goalkeeper.core.plan.model import Actor, ActorKind, GoalStatus, Plan, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:  # most commands drive nothing
    from goalkeeper.core.drive.phases import Depth

# An agent at work may ask for these about its own goal.
_WORKERS = (
    commands.GiveUp | commands.Checkpoint | commands.RecordStep | commands.RecordAnswers
    | commands.RecordFailedAnswers | commands.ClaimAbbreviation | commands.Defer
    | commands.AnswerFindings
)  # fmt: skip


def is_at_work(plan: Plan, actor: Actor) -> bool:
    """Return whether this agent works in a drive: it may look, but change no plan."""
    drive = plan.drive
    busy = bool(drive and drive.running and not drive.ended)
    return busy and actor.kind is ActorKind.AGENT


def is_onlooker(plan: Plan, goal_id: str, tree: str, actor: Actor) -> bool:
    """Return whether this actor judges something else than the drive of the goal works on.

    Whoever judges a goal that is complete only looks, too.
    """
    goal = plan.find_goal(goal_id)
    if goal and goal.status is GoalStatus.COMPLETE:
        return True
    line = plan.drive.line(goal_id) if plan.drive else None
    elsewhere = bool(line and line.is_under_way and line.tree != tree)
    return is_at_work(plan, actor) or (elsewhere and actor.kind is not ActorKind.ENGINE)


def refuse_actor(plan: Plan, command: commands.Command, actor: Actor) -> Refused | None:
    """Say why this is not for this actor to ask; return None when it is."""
    if is_at_work(plan, actor):
        return _refuse_driven(plan, command)
    if actor.kind is not ActorKind.AGENT:
        return None
    if isinstance(command, commands.RecordHandoff) and opens_questions(command.to):
        return refuse_interruption(plan, Interruption.PAUSE)  # it waits for a human just so
    if isinstance(command, commands.CloseRun) and plan.author != ActorKind.AGENT:
        said = f"An agent did not make the plan of run {plan.run_id}, so no agent closes it."
        hint = f"ask a human to run it; {explain_actor(actor)}"
        return Refused("plan-of-a-human", said, hint, {"run": plan.run_id})
    return None


def refuse_confirming(actor: Actor) -> Refused | None:
    """Say why this actor may not confirm what strangers wrote; return None if it may."""
    if actor.kind is ActorKind.HUMAN:
        return None
    said = "Only a human confirms settings or state that somebody else may have written."
    hint = f"ask a human to run it; {explain_actor(actor)}"
    return Refused("trust-needs-human", said, hint)


def refuse_giving_up(actor: Actor) -> Refused | None:
    """Say why this actor may not remove proven work; return None if it may."""
    if actor.kind is not ActorKind.AGENT:
        return None
    said = "Only a human gives up work that is proven and has not landed."
    hint = f"ask a human to run it; {explain_actor(actor)}"
    return Refused("giving-up-needs-human", said, hint)


def choose_depth(plan: Plan | None, asked: Depth, given: Container[str]) -> Depth:
    """Choose the depth that is given, else that of the drive before: nobody shortens unasked."""
    before = plan.drive if plan else None
    return before.depth if before and "depth" not in given else asked


def refuse_shorter_depth(plan: Plan, depth: Depth, actor: Actor) -> Refused | None:
    """Say why this actor may not have the iterations of the run shortened."""
    if actor.kind is not ActorKind.AGENT or not (plan.drive and plan.drive.is_shortened_by(depth)):
        return None
    said = (
        f"Run {plan.run_id} is worked in full iterations, and only a human shortens them; "
        f"{explain_actor(actor)}."
    )
    return Refused("abridged", said, f"goalkeeper run --run {plan.run_id} --depth full")


def _refuse_driven(plan: Plan, command: commands.Command) -> Refused | None:
    """An agent that a drive has at work may look, and give up; the plan is not its to change."""
    if isinstance(command, commands.RecordJudgement):
        return None
    running = plan.drive.running if plan.drive else ()
    worked = [phase.goal_id for phase in running if not phase.is_review]  # reviewers give up none
    if isinstance(command, _WORKERS) and command.goal_id in worked:
        return None
    return _refuse(plan)


def refuse_at_work(plan: Plan, actor: Actor) -> Refused | None:
    """Say why an agent at work may not ask for this; return None if it is not at work."""
    return _refuse(plan) if is_at_work(plan, actor) else None


def _refuse(plan: Plan) -> Refused:
    own = [phase.goal_id for phase in plan.drive.running] if plan.drive else []
    said = "While goalkeeper drives you, plan and settings are not yours to change."
    hint = f"goalkeeper judge --goal-id {' or '.join(own)}, or end your turn: your files are judged"
    return Refused("driven", said, hint)
