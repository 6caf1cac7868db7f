"""`goal`: the goal tool, as clients call it."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import CommandResult
from goalkeeper.app.queries.results import show_goal_tool
from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.options import JSON, RUN, Option, Verb
from goalkeeper.cli.pages.plan import goal_tool_page
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import ToolOp

VERBS = {
    "get": Verb("Show the goal that is held, and the one that should be.",
        "goalkeeper goal get --json", RUN, JSON),
    "create": Verb("Hold a goal; without --objective the plan's own.",
        "goalkeeper goal create --json", RUN, JSON,
        Option("--objective TEXT", "what to hold", default="")),
    "complete": Verb("Mark the goal complete, once the plan (or the story) is.",
        "goalkeeper goal complete --json", RUN, JSON),
    "drop": Verb("Let the goal go; the tool stays ready for the next.",
        "goalkeeper goal drop --json", RUN, JSON),
    "pause": Verb("Pause; only for a blocker classified human_blocked.",
        "goalkeeper goal pause --json", RUN, JSON),
    "resume": Verb("Go on with a paused goal.", "goalkeeper goal resume --json", RUN, JSON),
}  # fmt: skip


def run_get(args: argparse.Namespace, app: App) -> Reply:
    shown = show_goal_tool(app.plan(args.run))
    return Reply({"ok": True, **shown}, goal_tool_page(shown))


def run(args: argparse.Namespace, app: App) -> Reply:
    def answer(result: CommandResult) -> Reply:
        shown = show_goal_tool(result.plan)
        return Reply(shown, goal_tool_page(shown))

    command = commands.ChangeGoalTool(ToolOp(args.verb), getattr(args, "objective", ""))
    return act(args, app, command, answer)
