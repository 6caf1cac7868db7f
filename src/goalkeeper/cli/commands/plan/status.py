"""`status`: the plan as it stands."""

from __future__ import annotations

import argparse

from goalkeeper.app.queries.next_command import suggest_drive, suggest_next, suggest_plan
from goalkeeper.app.queries.status import show_no_plan, show_plan
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN
from goalkeeper.cli.pages.plan import status_page
from goalkeeper.cli.reply import Reply
from goalkeeper.errors import RunBoundElsewhere

OPTIONS = (RUN, JSON)


def run(args: argparse.Namespace, app: App) -> Reply:
    try:
        chosen = app.run(args.run)
    except RunBoundElsewhere as other:
        return _reply_without_plan(f"This session has no plan. {other.message}", other.hint)
    if chosen is None:
        return _reply_without_plan(f"There is no plan in {app.root} yet.", suggest_plan(app.actor))
    plan = chosen.read()
    if plan.closed and not args.run:
        return _reply_without_plan(
            f"Run {plan.run_id} is closed: {plan.closed}.", suggest_plan(app.actor)
        )
    at, files = app.clock(), chosen.files
    paths = {
        "dir": files.dir,
        "brief_path": files.brief,
        "goals_path": files.goals,
        "ledger_path": files.ledger,
    }
    drive = None if plan.is_complete else plan.drive
    follow = suggest_drive(drive) if drive and not drive.ended else suggest_next(plan, at)
    shown = show_plan(plan, at, root=app.root, paths=paths)
    return Reply(shown, status_page(shown, plan.drive.running if plan.drive else ()), next=follow)


def _reply_without_plan(said: str, hint: str) -> Reply:
    return Reply(show_no_plan(said, hint), (said,), next=hint)
