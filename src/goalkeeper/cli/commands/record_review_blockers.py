"""`record-review-blockers`: findings about a goal become work that comes first."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import handle
from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser, words
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core import commands
from goalkeeper.core.model import clip_title


def configure(parser: Parser) -> None:
    parser.add_argument("--goal-id", required=True, metavar="ID", help="the goal under review")
    words(
        parser,
        "--title",
        required=False,
        help="title of the blocker (default: Resolve review blockers)",
    )
    words(parser, "--objective", help="what would settle it")
    words(parser, "--evidence", help="the findings")
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    title = clip_title(args.title or "Resolve review blockers")
    command = commands.RecordReviewBlockers(
        args.goal_id, title, args.objective.strip(), args.evidence
    )
    outcome = handle(chosen, command, actor=app.actor, clock=app.clock)
    if outcome.refused:
        return refusal(outcome.refused)
    blocker = outcome.goal_ids[0]
    data = {
        "ok": True,
        "goal_id": blocker,
        "blocked_goal_id": args.goal_id,
        "repeated": not outcome.changed,
        "goals_path": chosen.files.goals,
    }
    said = "Recorded review blocker" if outcome.changed else "Already recorded as"
    page = (f"{said} {blocker} for {args.goal_id}.", "  next: goalkeeper complete-goals")
    return Reply(data, page, warnings=tuple(chosen.warnings))
