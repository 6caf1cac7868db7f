"""`classify-blocker`: who can act on it."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Classification


def run(args: argparse.Namespace, app: App) -> Reply:
    classification = Classification(args.classification)
    command = commands.ClassifyBlocker(classification, args.evidence, args.goal_id)
    data = {
        "event": "blocker_classified",
        "classification": classification,
        "goal_id": args.goal_id or None,
    }
    if classification is Classification.HUMAN_BLOCKED:
        next_step = "goalkeeper goal pause (last resort), or go on with another goal"
    else:
        next_step = "resolve it and go on; a resolvable blocker never pauses the run"
    reply = Reply(data, (f"Classified as {classification}.",), next=next_step)
    return act(args, app, command, lambda _: reply)
