"""`land`: proven work comes to the user's branch; nothing changes when it does not fit."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.drive import Worktree
from goalkeeper.core.model import Plan, Refused
from goalkeeper.loop import report
from goalkeeper.loop.landing import Proven, land


def configure(parser: Parser) -> None:
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    places = report.proven(plan)
    if not places:
        said = f"Nothing of run {plan.run_id} was proven in a worktree of goalkeeper's."
        return refusal(Refused("nothing-proven", said, "goalkeeper report"))
    branches = [_proven(plan, place) for place in places]
    landed = land(app.root, branches)
    if isinstance(landed, Refused):
        return refusal(landed)
    yard = app.yard(plan.run_id)
    for place in places:
        yard.remove(place)
    names = [place.branch for place in places]
    data = {"ok": True, "branches": names, "how": landed.how, "commit": landed.commit}
    verb = "is" if len(names) == 1 else "are"
    page = (f"{', '.join(names)} {verb} in ({landed.how}), HEAD is {landed.commit[:12]}.",)
    return Reply(data, page, next="git log")


def _proven(plan: Plan, place: Worktree) -> Proven:
    goal = plan.goal(place.goal_id)
    commit = goal.proven.commit if goal and goal.proven else ""
    return Proven(place.branch, commit, place.commit, _message(plan, place))


def _message(plan: Plan, place: Worktree) -> str:
    goal = plan.goal(place.goal_id)
    trailers = f"Goalkeeper-Run: {plan.run_id}\nGoalkeeper-Goal: {place.goal_id}\n"
    return f"{goal.title if goal else place.goal_id}\n\n{trailers}"
