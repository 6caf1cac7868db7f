"""The answers of commands that change the plan."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.handle import CommandResult
from goalkeeper.core.decode import plain
from goalkeeper.core.plan import commands, objective
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.model import NO_TOOL_GOAL, Plan


def show_checkpoint(result: CommandResult, goal_id: str, status: str) -> dict[str, Any]:
    plan = result.plan
    shown: dict[str, Any] = {
        "goal_id": goal_id,
        "status": status,
        "repeated": not result.changed,
        "all_complete": plan.is_complete,
        "incomplete_goal_ids": [g.id for g in plan.required_goals if g.status != "complete"],
    }
    goal = plan.find_goal(goal_id)
    if goal and goal.is_recurring and status == CheckpointStatus.COMPLETE:
        # A recurring goal is never complete; it is pending again.
        shown |= {"status": goal.status, "streak": plain(goal.streak)}
    started = next((each for each in result.goal_ids if each != goal_id), "")
    return shown | ({"next_goal_id": started} if result.changed and started else {})


def show_goal_tool(plan: Plan | None) -> dict[str, Any]:
    tool = plan.tool if plan else NO_TOOL_GOAL
    return {
        "goal": tool,
        "expected_objective": (objective.expected_objective(plan) if plan else "") or None,
    }


def show_steering(result: CommandResult, change: commands.Change) -> dict[str, Any]:
    shown = {"kind": change.kind, **_show_change(result, change)}
    return {**shown, "repeated": not result.changed}


def _show_change(result: CommandResult, change: commands.Change) -> dict[str, Any]:
    ids = list(result.goal_ids)
    match change:
        case commands.SplitSubgoal(goal_id):
            return {"goal_id": goal_id, "replacement_goal_ids": ids}
        case commands.ReorderPending():
            return {"order": ids}
        case commands.RevisePendingWording(goal_id, title, objective_):
            changed = [n for n, text in (("title", title), ("objective", objective_)) if text]
            return {"goal_id": goal_id, "changed_fields": changed}
        case commands.AddSubgoal() | commands.MarkBlockedSuperseded():
            return {"goal_id": ids[0]}
        case commands.AnnotateLedger():
            return {}
