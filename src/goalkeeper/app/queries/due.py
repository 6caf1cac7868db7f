"""Recurring goals: what is due, since when, and the streaks."""

from __future__ import annotations

from typing import Any

from goalkeeper.core.plan import graph, streaks
from goalkeeper.core.plan.model import Plan, Streak
from goalkeeper.core.plan.streaks import Due


def show_due(plan: Plan, at: str) -> dict[str, Any]:
    found = [streaks.look_at_due(goal, at) for goal in plan.asked_goals if goal.is_recurring]
    is_due = any(each.is_due for each in found)
    early = {goal.id: graph.not_before(goal, at) for goal in graph.waiting_for_time(plan, at)}
    shown = [_show_goal(each) for each in found]
    return {"ok": is_due, "now": at, "goals": shown, "not_before": early}


def _show_goal(due: Due) -> dict[str, Any]:
    goal, streak = due.goal, due.goal.streak or Streak()
    return {
        "goal_id": goal.id,
        "title": goal.title,
        "status": goal.status,
        "interval_hours": goal.timing.interval_hours if goal.timing else 0,
        "due": due.is_due,
        "due_at": due.due_at or None,
        "overdue_hours": due.overdue_hours,
        "missed": due.is_missed,
        "last_achieved_at": streak.last_at or None,
        "streak": streak.current,
        "longest": streak.longest,
        "cycles": streak.count,
        "anomaly": due.anomaly or None,
    }
