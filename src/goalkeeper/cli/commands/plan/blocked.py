"""`blocked`: the honest exit of an agent that cannot meet its goal."""

from __future__ import annotations

import argparse

from goalkeeper.app.contracts import find_goal
from goalkeeper.app.handle import CommandResult
from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.reply import Reply
from goalkeeper.core.drive.state import ExitKind
from goalkeeper.core.plan.commands import GiveUp


def run(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    goal = find_goal(plan, args.goal_id)
    command = GiveUp(goal.id, ExitKind(args.kind), args.evidence)

    def answer(outcome: CommandResult) -> Reply:
        data = {"goal_id": goal.id, "kind": args.kind, "changed": outcome.changed}
        page = (f"{goal.id} is recorded as {args.kind}. Stop working on it.",)
        return Reply(data, page, next="goalkeeper status")

    return act(args, app, command, answer)
