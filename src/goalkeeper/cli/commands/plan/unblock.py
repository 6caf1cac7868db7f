"""`unblock`: a blocked goal is active again."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands


def run(args: argparse.Namespace, app: App) -> Reply:
    command = commands.Unblock(args.goal_id, args.evidence)
    page = (f"{args.goal_id} is active again.",)
    reply = Reply({"goal_id": args.goal_id}, page, next="goalkeeper complete-goals")
    return act(args, app, command, lambda _: reply)
