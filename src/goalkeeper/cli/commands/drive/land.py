"""`land`: proven work comes to the user's branch; nothing changes if it does not fit."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.queries.drives import find_proven_work
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import Goal, Plan, Refused
from goalkeeper.core.plan.receipts import GOAL, find_fresh, format_trailers
from goalkeeper.loop.landing import ProvenBranch, land_branches

OPTIONS = (RUN, JSON)


def run(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    found = find_proven_work(plan)
    if not found:
        said = f"Nothing of run {plan.run_id} was proven in a worktree of goalkeeper's."
        return refusal(Refused("nothing-proven", said, _elsewhere(app, plan)))
    branches = [
        ProvenBranch(place.branch, base.commit, place.commit, _message(plan, goal))
        for place, goal, base in found
    ]
    trees = wiring.open_witness(app, run_id=plan.run_id).trees
    landed = land_branches(app.root, trees.lent_environment, branches)
    if isinstance(landed, Refused):
        return refusal(landed)
    worktrees = wiring.open_worktrees(app, plan.run_id)
    for place, _, _ in found:
        worktrees.remove_worktree(place)
    names = [branch.branch for branch in branches]
    _, _, last = found[-1]
    is_proven = trees.resolve_revision(landed.commit).tree == last.tree
    data = {"ok": True, "branches": names, "how": landed.how, "commit": landed.commit,
            "is_proven_tree": is_proven}  # fmt: skip
    verb = "is" if len(names) == 1 else "are"
    page = [f"{', '.join(names)} {verb} in ({landed.how}), HEAD is {landed.commit[:12]}."]
    if not is_proven:
        page.append("It has other files than were proven: no receipt holds for it.")
    return Reply(data, tuple(page), next="git log")


def _elsewhere(app: App, plan: Plan) -> str:
    """Say which other run has proven work, if one has."""
    for run_id in reversed(app.runs.ids()):
        if run_id != plan.run_id and find_proven_work(app.runs.named(run_id).read()):
            return f"goalkeeper land --run {run_id}"
    return "goalkeeper report"


def _message(plan: Plan, goal: Goal) -> str:
    issued = find_fresh(plan, GOAL, goal.id)
    named = format_trailers((goal.id,), issued.digest if issued else "")
    return f"{goal.title}\n\nGoalkeeper-Run: {plan.run_id}\n{named}"
