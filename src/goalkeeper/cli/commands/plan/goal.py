"""`goal`: the goal tool, as clients call it."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import CommandResult
from goalkeeper.app.queries.results import show_goal_tool
from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.pages.plan import goal_tool_page
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import ToolOp

_GET = "get"
_SUMMARIES = {
    _GET: "Show the goal that is held, and the one that should be.",
    ToolOp.CREATE: "Hold a goal; without --objective the plan's own.",
    ToolOp.COMPLETE: "Mark the goal complete, once the plan (or the story) is.",
    ToolOp.DROP: "Let the goal go; the tool stays ready for the next.",
    ToolOp.PAUSE: "Pause; only for a blocker classified human_blocked.",
    ToolOp.RESUME: "Go on with a paused goal.",
}


def configure(parser: Parser) -> None:
    for verb, summary in _SUMMARIES.items():
        added = parser.verb(str(verb), summary=summary, example=f"goalkeeper goal {verb} --json")
        if verb == ToolOp.CREATE:
            added.add_argument("--objective", default="", metavar="TEXT", help="what to hold")


def run(args: argparse.Namespace, app: App) -> Reply:
    if args.verb == _GET:
        shown = show_goal_tool(app.plan(args.run))
        return Reply({"ok": True, **shown}, goal_tool_page(shown))

    def answer(result: CommandResult) -> Reply:
        shown = show_goal_tool(result.plan)
        return Reply(shown, goal_tool_page(shown))

    command = commands.ChangeGoalTool(ToolOp(args.verb), getattr(args, "objective", ""))
    return act(args, app, command, answer)
