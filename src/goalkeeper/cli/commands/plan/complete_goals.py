"""`complete-goals`: start the next goal and hand it over."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import CommandResult
from goalkeeper.app.queries.handoff import explain_standstill, show_next_goal
from goalkeeper.app.queries.next_command import suggest_next
from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.options import JSON, RUN, switch
from goalkeeper.cli.pages.plan import handoff_page
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands

OPTIONS = (switch("--retry-failed", "start a failed goal again if nothing else is left"), RUN, JSON)


def run(args: argparse.Namespace, app: App) -> Reply:
    def answer(result: CommandResult) -> Reply:
        plan, at = result.plan, app.clock()
        goal = plan.find_goal(result.goal_ids[0]) if result.goal_ids else None
        shown = show_next_goal(plan, goal, at)
        if goal:
            return Reply(shown, handoff_page(shown))
        return Reply(shown, (explain_standstill(plan, at),), next=suggest_next(plan, at))

    return act(args, app, commands.StartNext(args.retry_failed), answer)
