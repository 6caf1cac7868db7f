"""The command that a plan needs next."""

from __future__ import annotations

from goalkeeper.core.plan import graph
from goalkeeper.core.plan.model import GoalStatus, Plan

NEW_PLAN = 'goalkeeper create-goals --brief "<what you want>"'
TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.drive.state import Drive


def suggest_drive(drive: Drive) -> str:
    return f"goalkeeper run {drive.agent_options}"


def suggest_next(plan: Plan, at: str) -> str:
    match graph.next_action(plan, at):
        case graph.NextAction.EXECUTE_GOAL:
            at_work = [goal.id for goal in plan.with_status(GoalStatus.ACTIVE)]
            drive = plan.drive if plan.drive and plan.drive.ended else None
            is_driven = drive and any(drive.line(goal_id) for goal_id in at_work)
            return suggest_drive(drive) if drive and is_driven else "goalkeeper complete-goals"
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
