"""The plan as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goalkeeper.app.queries.plan_state import count_goals, explain_goal, summarize_plan
from goalkeeper.core.decode import plain
from goalkeeper.core.plan import graph
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan


def show_plan(plan: Plan, at: str, *, root: str, paths: Mapping[str, str]) -> dict[str, Any]:
    current = next(iter(plan.with_status(GoalStatus.ACTIVE)), None)
    return {
        "ok": True,
        "exists": True,
        "status": summarize_plan(plan, at),
        "run_id": plan.run_id,
        "root": root,
        "paths": dict(paths),
        "goal_mode": plan.mode,
        "objective": plan.objective,
        "next_action": graph.next_action(plan, at),
        "current_goal": _show_goal(plan, current, at) if current else None,
        "counts": count_goals(plan),
        "goal_tool": plan.tool,
        "handoff": plan.handoff or None,
        "drive": _show_drive(plan),
        "goals": [_show_goal(plan, goal, at) for goal in plan.goals],
    }


def show_no_plan(said: str, hint: str) -> dict[str, Any]:
    return {"ok": True, "exists": False, "status": "missing", "message": said, "hint": hint}


def _show_drive(plan: Plan) -> dict[str, Any] | None:
    if plan.drive is None:
        return None
    drive = plan.drive
    return {
        "agent": drive.agent,
        "running": plain(drive.running[0]) if drive.running else None,
        "paused_until": drive.paused_until or None,
        "ended": drive.ended or None,
        "detail": drive.detail,
    }


def _show_goal(plan: Plan, goal: Goal, at: str) -> dict[str, Any]:
    told: dict[str, Any] = plain(goal)
    frozen = told.pop("frozen", None)
    digest = {"contract_digest": frozen["digest"]} if frozen else {}
    return {**told, **digest, "why": explain_goal(plan, goal, at)}
