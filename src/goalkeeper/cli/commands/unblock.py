"""`unblock`: a blocked goal is active again."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import handle
from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser, words
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core import commands


def configure(parser: Parser) -> None:
    parser.add_argument("--goal-id", required=True, metavar="ID", help="the blocked goal")
    words(parser, "--evidence", help="what changed")
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    command = commands.Unblock(args.goal_id, args.evidence)
    outcome = handle(chosen, command, actor=app.actor, clock=app.clock)
    if outcome.refused:
        return refusal(outcome.refused)
    data = {"ok": True, "goal_id": args.goal_id, "goals_path": chosen.files.goals}
    page = (f"{args.goal_id} is active again.", "  next: goalkeeper complete-goals")
    return Reply(data, page, warnings=tuple(chosen.warnings))
