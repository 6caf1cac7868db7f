"""`quality-gate`: what reviewers and testers hand in for the strict gate."""

from __future__ import annotations

import argparse
import json
import os

from goalkeeper import wiring
from goalkeeper.app.contracts import choose_goal, contract_of
from goalkeeper.app.gating import Assessor
from goalkeeper.app.queries.reviews import make_template, show_quality
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import GOAL_ID, JSON, RUN, Option, Verb
from goalkeeper.cli.pages.proof import quality_page
from goalkeeper.cli.reply import Reply, document, refusal
from goalkeeper.core.plan.gate import refuse_no_contract
from goalkeeper.core.review import shape
from goalkeeper.errors import InputUnreadable, UsageError
from goalkeeper.wire import layout

VERBS = {
    "init": Verb("Write a template with a row for each criterion, and nothing approved.",
        "goalkeeper quality-gate init --goal-id G001 --out gate.json", RUN, JSON, GOAL_ID,
        Option("--out PATH", "a new file; default: print it", default="")),
    "validate": Verb("Say everything that is in the way, as checkpoint would. Changes nothing.",
        "goalkeeper quality-gate validate --goal-id G001 --quality-gate-json gate.json",
        RUN, JSON, GOAL_ID,
        Option("--quality-gate-json JSON|PATH", "the quality gate; default: what lanes have said")),
    "schema": Verb("Print the JSON Schema of a quality gate.", "goalkeeper quality-gate schema",
        JSON),
}  # fmt: skip


def run_schema(_args: argparse.Namespace, _app: App) -> Reply:
    return document(shape.json_schema())


def run_validate(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    goal = choose_goal(chosen.read(), args.goal_id)
    if goal.frozen is None:
        return refusal(refuse_no_contract(goal))
    context = wiring.open_judge_context(app, chosen)
    given = {}
    if args.quality_gate_json is not None:
        given = inputs.json_object(app, args.quality_gate_json, "--quality-gate-json")
    assessor = Assessor(context, goal, context.witness.take_snapshot())
    shown = show_quality(goal, assessor.assess(given).quality)
    follow = f"goalkeeper judge --goal-id {goal.id}" if shown["ok"] else ""
    return Reply(shown, quality_page(shown["diagnostics"]), next=follow)


def run_init(args: argparse.Namespace, app: App) -> Reply:
    goal = choose_goal(app.need_run(args.run).read(), args.goal_id)
    contract = contract_of(goal)
    if contract is None:
        return refusal(refuse_no_contract(goal))
    blank = make_template(contract)
    if not args.out:
        return document(blank)
    path = inputs.confine_path(app, args.out)
    if inputs.is_inside(path, os.path.join(app.root, layout.STATE_DIR, layout.RUNS)):
        problem = f"quality-gate: {args.out} is goalkeeper's own"
        raise UsageError(problem=problem, hint="goalkeeper quality-gate init --out gate.json")
    check = f"goalkeeper quality-gate validate --goal-id {goal.id} --quality-gate-json {args.out}"
    try:
        with open(path, "x", encoding="utf-8") as file:
            json.dump(blank, file, indent=2)
            file.write("\n")
    except FileExistsError as exc:
        problem = f"quality-gate: {args.out} exists already, and nothing was written"
        raise UsageError(problem=problem, hint=f"name a new file, or check it: {check}") from exc
    except OSError as exc:
        what, hint = "the template", "name a new file; nothing was written"
        reason = exc.strerror or str(exc)
        raise InputUnreadable(what=what, path=args.out, reason=reason, hint=hint) from exc
    said = f"Wrote {args.out}; fill it in, every word of it is read."
    return Reply({"ok": True, "goal_id": goal.id, "path": path}, (said,), next=check)
