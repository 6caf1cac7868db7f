"""`judge`: the witness judges every criterion of a goal."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.judging import judge
from goalkeeper.app.queries.proof import show_judgement, suggest_after
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import ANY_ISOLATION, GOAL_ID, JSON, RUN, OneOf, Option, switch
from goalkeeper.cli.pages.proof import judgement_page
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import Refused

OPTIONS = (
    GOAL_ID,
    OneOf(Option("--tree TREE", "judge this tree, not the working tree"),
        Option("--commit COMMIT", "judge this commit")),
    switch("--no-cache", "run every check anew"), ANY_ISOLATION, RUN, JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    context = wiring.open_judge_context(app, chosen, args.isolation)
    named = args.tree or args.commit
    candidate = context.witness.resolve_revision(named) if named else None
    ruling = judge(context, args.goal_id, candidate=candidate, cached=not args.no_cache)
    warnings = tuple(chosen.warnings)
    if isinstance(ruling, Refused):
        return refusal(ruling).replace(warnings=warnings)
    shown = show_judgement(context, ruling)
    is_met = shown["ok"]
    page, follow = judgement_page(ruling, shown), suggest_after(context, ruling, is_met=is_met)
    return Reply(shown, page, next=follow, warnings=warnings)
