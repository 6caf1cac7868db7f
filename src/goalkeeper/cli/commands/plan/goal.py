"""`goal`: the goal tool, as clients call it."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import CommandResult
from goalkeeper.app.queries.results import show_goal_tool
from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.pages.plan import goal_tool_page
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import ToolOp


def run_get(args: argparse.Namespace, app: App) -> Reply:
    shown = show_goal_tool(app.plan(args.run))
    return Reply({"ok": True, **shown}, goal_tool_page(shown))


def run(args: argparse.Namespace, app: App) -> Reply:
    def answer(result: CommandResult) -> Reply:
        shown = show_goal_tool(result.plan)
        return Reply(shown, goal_tool_page(shown))

    command = commands.ChangeGoalTool(ToolOp(args.verb), getattr(args, "objective", ""))
    return act(args, app, command, answer)
