"""`status`: the plan as it stands."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply, Table
from goalkeeper.cli.views import counts, drive_command, next_command, summary, why
from goalkeeper.core.decode import plain
from goalkeeper.core.plan import graph
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan, ToolStatus
from goalkeeper.errors import RunBoundElsewhere
from goalkeeper.storage.run import FileRun

NEW_PLAN = 'goalkeeper create-goals --brief "<what you want>"'
_WHY_WIDTH = 60


def configure(parser: Parser) -> None:
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    try:
        chosen = app.run(args.run)
    except RunBoundElsewhere as other:
        return _missing(f"This session has no plan. {other.message}", other.hint)
    if chosen is None:
        return _missing(f"There is no plan in {app.root} yet.", NEW_PLAN)
    plan = chosen.read()
    if plan.closed and not args.run:
        return _missing(f"Run {plan.run_id} is closed: {plan.closed}.", NEW_PLAN)
    drive = None if plan.is_complete else plan.drive
    follow = drive_command(drive) if drive and not drive.ended else next_command(plan, app.clock())
    return Reply(_data(plan, chosen, app), _page(plan, app.clock()), next=follow)


def _missing(said: str, hint: str) -> Reply:
    data = {"ok": True, "exists": False, "status": "missing", "message": said, "hint": hint}
    return Reply(data, (said,), next=hint)


def _data(plan: Plan, chosen: FileRun, app: App) -> dict[str, object]:
    current = next(iter(plan.with_status(GoalStatus.ACTIVE)), None)
    files, at = chosen.files, app.clock()
    return {
        "ok": True,
        "exists": True,
        "status": summary(plan, at),
        "run_id": plan.run_id,
        "root": app.root,
        "paths": {
            "dir": files.dir,
            "brief_path": files.brief,
            "goals_path": files.goals,
            "ledger_path": files.ledger,
        },
        "goal_mode": plan.mode,
        "objective": plan.objective,
        "next_action": graph.next_action(plan, at),
        "current_goal": _goal(plan, current, at) if current else None,
        "counts": counts(plan),
        "goal_tool": plan.tool,
        "handoff": plan.handoff or None,
        "drive": _drive(plan),
        "goals": [_goal(plan, goal, at) for goal in plan.goals],
    }


def _drive(plan: Plan) -> dict[str, object] | None:
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


def _goal(plan: Plan, goal: Goal, at: str) -> dict[str, object]:
    told = plain(goal)
    frozen = told.pop("frozen", None)
    digest = {"contract_digest": frozen["digest"]} if frozen else {}
    return {**told, **digest, "why": why(plan, goal, at)}


def _board(plan: Plan) -> tuple[str | Table, ...]:
    """The criteria of goals that are being worked on."""
    rows = tuple(
        (goal.id, state.id, state.status, str(state.fail_count), _short(state.reason))
        for goal in plan.goals
        if not goal.is_over
        for state in goal.criteria
    )
    return (Table(("goal", "criterion", "status", "failed", "seen last"), rows),) if rows else ()


def _page(plan: Plan, at: str) -> tuple[str | Table, ...]:
    tally = ", ".join(f"{number} {status}" for status, number in counts(plan).items() if number)
    rows = tuple((g.id, g.status, g.title, _short(why(plan, g, at))) for g in plan.goals)
    paused = ", paused" if plan.tool.status is ToolStatus.PAUSED else ""
    return (
        f"run {plan.run_id}: {summary(plan, at)}{paused} ({tally})",
        Table(("goal", "status", "title", "why"), rows),
        *_board(plan),
        *_driven(plan),
    )


def _driven(plan: Plan) -> tuple[str, ...]:
    drive = plan.drive
    if drive is None:
        return ()
    if drive.ended:
        return (f"driven by {drive.agent}, ended: {drive.ended} {drive.detail}".rstrip(),)
    phases = (f"{at.goal_id} iteration {at.iteration}, {at.phase}" for at in drive.running)
    now = "; ".join(phases) or "between two steps"
    paused = f", paused until {drive.paused_until}" if drive.paused_until else ""
    return (f"driven by {drive.agent}: {now}{paused}",)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _WHY_WIDTH else flat[: _WHY_WIDTH - 3] + "..."
