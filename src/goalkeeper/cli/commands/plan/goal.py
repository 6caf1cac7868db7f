"""`goal`: the goal tool, as clients call it."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands, objective
from goalkeeper.core.plan.commands import ToolOp
from goalkeeper.core.plan.model import NO_TOOL_GOAL, Plan, ToolGoal

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
        plan = app.plan(args.run)
        shown = _shown(plan.tool if plan else NO_TOOL_GOAL, plan)
        return shown.replace(data={"ok": True, **shown.data})
    command = commands.ChangeGoalTool(ToolOp(args.verb), getattr(args, "objective", ""))
    return act(args, app, command, lambda outcome: _shown(outcome.plan.tool, outcome.plan))


def _shown(tool: ToolGoal, plan: Plan | None) -> Reply:
    expected = objective.expected(plan) if plan else ""
    data = {"goal": tool, "expected_objective": expected or None}
    lines = [f"Goal tool: {tool.status}"]
    if tool.objective:
        lines.append(f"Objective: {tool.objective}")
    if expected and expected != tool.objective:
        lines.append(f"Expected:  {expected}")
    return Reply(data, tuple(lines))
