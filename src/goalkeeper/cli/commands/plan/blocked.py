"""`blocked`: the honest exit of an agent that cannot meet its goal."""

from __future__ import annotations

import argparse

from goalkeeper.app.contracts import find_goal
from goalkeeper.app.handle import CommandResult
from goalkeeper.bootstrap import App
from goalkeeper.cli import options
from goalkeeper.cli.acting import act
from goalkeeper.cli.parsing import Parser, words
from goalkeeper.cli.reply import Reply
from goalkeeper.core.drive.state import ExitKind
from goalkeeper.core.plan.commands import GiveUp


def configure(parser: Parser) -> None:
    options.goal(parser)
    kinds = [str(kind) for kind in ExitKind]
    parser.add_argument("--as", dest="kind", choices=kinds, default=str(ExitKind.BLOCKED),
                        help="blocked for now, impossible as asked, or in need of a human"
                        )  # fmt: skip
    words(parser, "--evidence", help="what was tried, and what is in the way")
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    goal = find_goal(plan, args.goal_id)
    command = GiveUp(goal.id, ExitKind(args.kind), args.evidence)

    def answer(outcome: CommandResult) -> Reply:
        data = {"goal_id": goal.id, "kind": args.kind, "changed": outcome.changed}
        page = (f"{goal.id} is recorded as {args.kind}. Stop working on it.",)
        return Reply(data, page, next="goalkeeper status")

    return act(args, app, command, answer)
