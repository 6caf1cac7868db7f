"""What a drive would do, and what comes after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalkeeper.core.drive.state import Budget, Reason
from goalkeeper.core.plan import ids
from goalkeeper.core.plan.model import NewGoal, Plan

# What has nothing to do with the work: another go may be all that it takes.
_LATER = {Reason.RATE_LIMITED, Reason.OUTAGE, Reason.STALLED, Reason.CRASHED, Reason.FAILED}


def list_goals_to_drive(plan: Plan | None, new: Sequence[NewGoal]) -> dict[str, str]:
    """Goals by id, each with its status and title; `new` are those of a brief without a plan."""
    if plan is None:
        return {ids.goal_id(number): f"new: {each.title}" for number, each in enumerate(new, 1)}
    left = [goal for goal in plan.required_goals if goal.status != "complete"]
    return {goal.id: f"{goal.status}: {goal.title}" for goal in left}


def show_dry_run(run_id: str, agent: str, goals: Sequence[str], budget: Budget) -> dict[str, Any]:
    shown = {"ok": True, "dry_run": True, "run_id": run_id, "agent": agent}
    return {**shown, "goals": list(goals), "limits": budget.as_dict()}


def suggest_after_drive(plan: Plan, reason: Reason, *, again: str) -> str:
    """`again` is the command that goes on with what there is."""
    goal = next((goal for goal in plan.required_goals if goal.status != "complete"), None)
    match reason:
        case Reason.DONE:
            return "goalkeeper land"
        case Reason.BLOCKED if goal and goal.status == "failed":
            return "goalkeeper complete-goals --retry-failed"
        case Reason.BLOCKED | Reason.IMPOSSIBLE | Reason.NEEDS_HUMAN if goal:
            return f"goalkeeper unblock --goal-id {goal.id} --evidence <what changed>"
        case Reason.NO_CONTRACT if goal:
            verb = "check" if goal.contract else "freeze --file contract.yaml"
            return f"goalkeeper contract {verb} --goal-id {goal.id}"
        case Reason.NOT_DUE:
            return "goalkeeper due"
        case Reason.AUTH | Reason.AGENT_MISSING:
            return "goalkeeper agents probe"
        case _ if reason in _LATER:
            return again
        case _:
            return f"goalkeeper why {goal.id}" if goal else "goalkeeper status"
