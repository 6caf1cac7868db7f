"""`why`: what is unproven of a goal, since when, what was tried, and what would prove it."""

from __future__ import annotations

import argparse
import os

from goalkeeper.app.contracts import choose_goal
from goalkeeper.app.queries.next_command import suggest_next, suggest_plan
from goalkeeper.app.queries.status import describe_left, show_no_plan, summarize_plan
from goalkeeper.app.queries.why import (
    find_open_goal,
    find_pressing_goal,
    show_settled,
    show_without_contract,
    suggest_for_user,
)
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN, Option
from goalkeeper.cli.pages.proof import why_page
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan
from goalkeeper.storage.run import FileRun
from goalkeeper.wire import layout

OPTIONS = (
    Option(
        "goal GOAL",
        "the goal, such as G001; default: the one that matters most now",
        nargs="?",
        default="",
    ),
    RUN,
    JSON,
)

_ALL_COMPLETE = "All goals are complete: nothing is unproven."


def run(args: argparse.Namespace, app: App) -> Reply:
    if args.goal:
        chosen = app.need_run(args.run)
        plan = chosen.read()
        return _explain_goal(app, chosen, plan, choose_goal(plan, args.goal))
    found = app.run(args.run)
    if found is None:
        said = f"There is no plan in {app.root} yet."
        hint = suggest_plan(app.actor)
        return Reply(show_no_plan(said, hint), (said,), next=hint)
    plan = found.read()
    goal = None if plan.closed else find_pressing_goal(plan, app.clock())
    if goal is None:
        said = f"Run {plan.run_id} is closed: {plan.closed}." if plan.closed else _ALL_COMPLETE
        hint = suggest_plan(app.actor) if plan.closed else suggest_next(plan, app.clock())
        shown = {"ok": True, "goal_id": None, "status": summarize_plan(plan, app.clock())}
        return Reply({**shown, "message": said, "hint": hint}, (said,), next=hint)
    return _explain_goal(app, found, plan, goal)


def _explain_goal(app: App, chosen: FileRun, plan: Plan, goal: Goal) -> Reply:
    if goal.status in {GoalStatus.COMPLETE, GoalStatus.EXPIRED}:
        page = [f"{goal.id} is {goal.status}: {goal.evidence}"]
        page += [f"  {describe_left(goal)}"] if goal.left_to_user else []
        return Reply(show_settled(goal), tuple(page), next=suggest_for_user(goal))
    found = find_open_goal(chosen, plan, goal, app.clock())
    if found is None:
        shown = show_without_contract(plan, goal)
        said = f"{goal.id} has no contract: nothing says what would prove it."
        return Reply(shown, (said,), next=shown["hint"])
    folder = os.path.relpath(os.path.join(chosen.files.dir, layout.EVIDENCE), app.root)
    return Reply(found.document, why_page(found, folder), next=found.suggest_next(app.actor))
