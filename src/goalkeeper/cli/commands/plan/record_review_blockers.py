"""`record-review-blockers`: findings about a goal become work that comes first."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import CommandResult
from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import clip_title


def run(args: argparse.Namespace, app: App) -> Reply:
    title = clip_title(args.title or "Resolve review blockers")
    command = commands.RecordReviewBlockers(
        args.goal_id, title, args.objective.strip(), args.evidence
    )
    return act(args, app, command, lambda outcome: _answer(outcome, args.goal_id))


def _answer(outcome: CommandResult, blocked: str) -> Reply:
    blocker = outcome.goal_ids[0]
    data = {"goal_id": blocker, "blocked_goal_id": blocked, "repeated": not outcome.changed}
    said = "Recorded review blocker" if outcome.changed else "Already recorded as"
    return Reply(data, (f"{said} {blocker} for {blocked}.",), next="goalkeeper complete-goals")
