"""`due`: recurring goals, what is due, and how many cycles were achieved in a row."""

from __future__ import annotations

import argparse
from typing import Any

from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import DONE, NO, Reply, Table
from goalkeeper.core.plan import streaks
from goalkeeper.core.plan.model import Streak
from goalkeeper.core.plan.streaks import Due


def configure(parser: Parser) -> None:
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    at = app.clock()
    found = [streaks.look(g, at) for g in app.need_run(args.run).read().asked if g.is_recurring]
    due = [each for each in found if each.is_due]
    data = {"ok": bool(due), "now": at, "goals": [_told(each) for each in found]}
    code = DONE if due else NO
    if not found:
        said = "No goal of this plan recurs; a contract says so: recurring: {interval_hours: 24}"
        return Reply(data, (said,), code)
    odd = tuple(f"{each.goal.id}: {each.anomaly}" for each in found if each.anomaly)
    follow = "goalkeeper complete-goals" if due else ""
    return Reply(data, (_table(found), *odd), code, next=follow)


def _told(due: Due) -> dict[str, Any]:
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


def _table(found: list[Due]) -> Table:
    rows = tuple(
        (each.goal.id, _when(each), *_counts(each.goal.streak or Streak()), each.goal.title)
        for each in found
    )
    return Table(("goal", "due", "streak", "longest", "cycles", "title"), rows)


def _when(due: Due) -> str:
    if not due.due_at:
        return "now"
    if not due.is_due:
        return f"{due.due_at[:16].replace('T', ' ')} UTC"
    late = f"overdue by {due.overdue_hours:g} h" if due.overdue_hours else "now"
    return f"{late}, streak lost" if due.is_missed else late


def _counts(streak: Streak) -> tuple[str, str, str]:
    return str(streak.current), str(streak.longest), str(streak.count)
