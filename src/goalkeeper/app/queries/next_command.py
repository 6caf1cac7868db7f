"""The command that a plan needs next."""

from __future__ import annotations

from goalkeeper.core.plan import graph
from goalkeeper.core.plan.model import Actor, ActorKind, GoalStatus, Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.drive.state import Drive


def suggest_plan(actor: Actor) -> str:
    """Suggest how a plan is made: people have an agent driven, and agents write goals down."""
    is_human = actor.kind is ActorKind.HUMAN
    command = "run" if is_human else "create-goals --brief"
    return f'goalkeeper {command} "<what you want>"'


def suggest_drive(drive: Drive) -> str:
    return f"goalkeeper run {drive.agent_options}"


def suggest_draft(plan: Plan) -> str:
    """Suggest what goes on with a draft that nobody has accepted; empty if there is none."""
    pending = plan.with_status(GoalStatus.PENDING)
    is_open = any(goal.examiners and not goal.drafted_contract for goal in pending)
    return "goalkeeper run" if is_open else ""


def suggest_next(plan: Plan, at: str) -> str:
    match graph.next_action(plan, at):
        case graph.NextAction.EXECUTE_GOAL:
            at_work = [goal.id for goal in plan.with_status(GoalStatus.ACTIVE)]
            drive = plan.drive if plan.drive and plan.drive.ended else None
            is_driven = drive and any(drive.line(goal_id) for goal_id in at_work)
            if drive and is_driven:
                return suggest_drive(drive)
            return suggest_draft(plan) or "goalkeeper complete-goals"
        case graph.NextAction.RETRY_FAILED:
            return "goalkeeper complete-goals --retry-failed"
        case graph.NextAction.RESOLVE_BLOCKERS:
            blocked = next(iter(plan.with_status(GoalStatus.BLOCKED)), None)
            if blocked is None and plan.with_status(GoalStatus.EXPIRED):
                return "goalkeeper create-goals --archive <why> --brief <what is wanted instead>"
            goal_id = blocked.id if blocked else "<id>"
            return f"goalkeeper unblock --goal-id {goal_id} --evidence <what changed>"
        case graph.NextAction.WAIT:
            return "goalkeeper due"
        case graph.NextAction.NONE:
            is_waiting = plan.drive and plan.drive.lines and not plan.landed
            return "goalkeeper land" if is_waiting else "goalkeeper ledger verify"
