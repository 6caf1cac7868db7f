"""`why`: what is unproven of a goal, since when, what was tried, and what would prove it."""

from __future__ import annotations

import argparse
import os

from goalkeeper.app.contracts import choose_goal
from goalkeeper.app.queries.status import describe_left
from goalkeeper.app.queries.why import (
    find_open_goal,
    show_settled,
    show_without_contract,
    suggest_for_user,
)
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN, Option
from goalkeeper.cli.pages.proof import why_page
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan.model import GoalStatus
from goalkeeper.wire import layout

OPTIONS = (Option("goal GOAL", "the goal, such as G001"), RUN, JSON)


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    goal = choose_goal(plan, args.goal)
    if goal.status in {GoalStatus.COMPLETE, GoalStatus.EXPIRED}:
        page = [f"{goal.id} is {goal.status}: {goal.evidence}"]
        page += [f"  {describe_left(goal)}"] if goal.left_to_user else []
        return Reply(show_settled(goal), tuple(page), next=suggest_for_user(goal))
    found = find_open_goal(chosen, plan, goal, app.clock())
    if found is None:
        shown = show_without_contract(goal)
        said = f"{goal.id} has no contract: nothing says what would prove it."
        return Reply(shown, (said,), next=shown["hint"])
    folder = os.path.relpath(os.path.join(chosen.files.dir, layout.EVIDENCE), app.root)
    return Reply(found.document, why_page(found, folder), next=found.suggest_next(app.actor))
