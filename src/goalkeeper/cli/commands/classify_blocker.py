"""`classify-blocker`: who can act on it."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import handle
from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser, words
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core import commands
from goalkeeper.core.model import Classification


def configure(parser: Parser) -> None:
    parser.add_argument(
        "--classification", required=True, choices=[str(c) for c in Classification],
        help="human_blocked: only a human can act; resolvable: anything else",
    )  # fmt: skip
    words(parser, "--evidence", help="the specific dependency")
    parser.add_argument("--goal-id", default="", metavar="ID", help="the goal it blocks")
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    classification = Classification(args.classification)
    command = commands.ClassifyBlocker(classification, args.evidence, args.goal_id)
    outcome = handle(chosen, command, actor=app.actor, clock=app.clock)
    if outcome.refused:
        return refusal(outcome.refused)
    data = {
        "ok": True,
        "event": "blocker_classified",
        "classification": classification,
        "goal_id": args.goal_id or None,
        "goals_path": chosen.files.goals,
    }
    if classification is Classification.HUMAN_BLOCKED:
        next_step = "goalkeeper goal pause (last resort), or go on with another goal"
    else:
        next_step = "resolve it and go on; a resolvable blocker never pauses the run"
    page = (f"Classified as {classification}.", f"  next: {next_step}")
    return Reply(data, page, warnings=tuple(chosen.warnings))
