"""`land`: proven work comes to the user's branch; nothing changes if it does not fit."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.queries.drives import find_proven_work
from goalkeeper.app.standing import find_lost, refuse_landing
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import ISOLATION, JSON, RUN, switch
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.contract.findings import describe_let_stand
from goalkeeper.core.drive.events import RefsMoved
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Goal, Plan, Refused
from goalkeeper.core.plan.receipts import FINAL, GOAL, find_fresh, format_trailers
from goalkeeper.core.plan.rights import refuse_at_work
from goalkeeper.loop.landing import (
    ProvenBranch,
    find_landing_rules,
    join_chain,
    land_branches,
)

OPTIONS = (
    RUN, ISOLATION, switch("--unproven", "also what does not hold there; a human's word"),
    switch("--keep-history", "with the commits of all iterations, where your branch did not move"),
    JSON,
)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    if refused := refuse_at_work(plan, app.actor):
        return refusal(refused)
    found = find_proven_work(plan)
    if not found:
        said = f"Nothing of run {plan.run_id} was proven in a worktree of goalkeeper's."
        return refusal(Refused("nothing-proven", said, _elsewhere(app, plan)))
    trees = wiring.open_trees(app)
    branches = [
        ProvenBranch(
            place.branch,
            base.commit,
            place.commit,
            _message(plan, goal, is_last=goal is found[-1][1]),
        )
        for place, goal, base in found
    ]
    begun = [trees.find_tree(branches[0].start), *(each.start for each in branches[1:])]
    if plan.origin and begun != [plan.origin.tree, *(each.commit for each in branches[:-1])]:
        branches = join_chain(
            trees, branches, trees.commit_of(plan.origin), keep_history=args.keep_history
        )
    context = wiring.open_judge_context(app, chosen, args.isolation)
    moved = [m for e in chosen.entries() if isinstance(e.event, RefsMoved) for m in e.event.refs]
    rules = find_landing_rules(trees, plan, moved, app.redactor.clean_text)
    unproven: list[str] = []

    def refuse_commit(commit: str) -> Refused | None:
        """Prove what would land; the user's branch may have work that breaks it."""
        new = trees.resolve_revision(commit)
        is_certified = wiring.has_signed_receipt(app, chosen, new.tree)
        lost = find_lost(context, plan, rules, new, is_certified=is_certified)
        unproven.extend(lost)
        if not lost:
            return None
        begun, there = (
            {*context.witness.open_tree(each.tree).list_paths()}
            for each in (plan.origin or new, new)
        )
        left = sorted(begun - there)
        return refuse_landing(app.actor, lost, left, is_allowed=args.unproven)

    landed = land_branches(trees, branches, refuse_commit, keep_history=args.keep_history)
    if isinstance(landed, Refused):
        return refusal(landed)
    tree = trees.resolve_revision(landed.commit).tree
    context.handle(commands.RecordLanding(landed.commit, tree, tuple(unproven)))
    worktrees = wiring.open_worktrees(app, plan.run_id)
    for _, goal, _ in found:
        worktrees.remove_worktree(goal.id)
    wiring.clean_up(app)
    names = [branch.branch for branch in branches]
    _, _, last = found[-1]
    altered = list(landed.altered)
    is_proven = tree == last.tree and not unproven and not altered
    stands = [f"{goal.id} {describe_let_stand(f)}" for _, goal, _ in found for f in goal.let_stand]
    data = {"ok": not altered, "branches": names, "how": landed.how, "commit": landed.commit,
            "is_proven_tree": is_proven, "unproven": unproven, "altered": altered,
            "let_stand": stands}  # fmt: skip
    verb = "is" if len(names) == 1 else "are"
    page = [*stands, f"{', '.join(names)} {verb} in ({landed.how}), HEAD is {landed.commit[:12]}."]
    if altered:
        told = f"Your git settings wrote other bytes than were proven: {', '.join(altered[:5])}."
        return Reply(data, (*page, told), next="git config --show-origin --get-regexp filter")
    if unproven:
        page.append(f"What does not hold there: {', '.join(unproven)}.")
    elif not is_proven:
        page.append("All that was proven holds there, but no receipt is of these files.")
        others = context.witness.list_changed(last.tree, tree) or ()
        page.append(f"They differ in: {', '.join(others[:5])}; see goalkeeper help receipts.")
    left = [name for name in names if trees.find_commit(f"refs/heads/{name}")]
    if left:
        page.append("goalkeeper clean removes the branches with the iterations.")
    return Reply(data, tuple(page), next="git log")


def _elsewhere(app: App, plan: Plan) -> str:
    """Say which other run has proven work, if one has."""
    others = [each.run_id for each in wiring.read_other_plans(app, plan.run_id)
              if find_proven_work(each)]  # fmt: skip
    return f"goalkeeper land --run {others[-1]}" if others else "goalkeeper report"


def _message(plan: Plan, goal: Goal, *, is_last: bool) -> str:
    """Name the goal's receipt, and with the last goal that of the whole."""
    issued = find_fresh(plan, GOAL, goal.id)
    named = format_trailers((goal.id,), issued.digest if issued else "")
    final = find_fresh(plan, FINAL) if is_last else None
    whole = format_trailers((), final.digest) if final else ""
    return f"{goal.title}\n\nGoalkeeper-Run: {plan.run_id}\n{named}{whole}"
