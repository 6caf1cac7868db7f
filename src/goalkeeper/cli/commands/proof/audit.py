"""`audit`: what a reading of the change says. It runs no test."""

from __future__ import annotations

import argparse

import goalkeeper
from goalkeeper import wiring
from goalkeeper.app.contracts import base_for, choose_goal, contract_of
from goalkeeper.app.queries.proof import show_audit
from goalkeeper.app.trials import Trial
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import GOAL_ID, JSON, RUN, Option, switch
from goalkeeper.cli.pages.proof import audit_page
from goalkeeper.cli.reply import Reply, document
from goalkeeper.core.contract.document import Contract
from goalkeeper.tamper.sarif import write_sarif

OPTIONS = (
    GOAL_ID,
    Option("--commit COMMIT", "audit this commit, not the working tree"),
    switch("--sarif", "answer with a SARIF 2.1.0 document"), RUN, JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    goal = choose_goal(plan, args.goal_id)
    contract, base = contract_of(goal) or Contract(), base_for(plan, goal)
    witness = wiring.open_judge_context(app, chosen).witness
    candidate = witness.resolve_revision(args.commit) if args.commit else witness.take_snapshot()
    trial = Trial(contract, base, witness.settings_of(base), finding_answers=goal.finding_answers)
    findings = witness.audit_change(trial, candidate)
    shown = show_audit(goal, base, candidate, findings)
    if args.sarif:
        sarif = write_sarif(findings, goalkeeper.__version__)
        return document(sarif).replace(data=shown)
    follow = f"goalkeeper explain {findings[0].rule}" if findings else ""
    return Reply(shown, audit_page(shown, findings), next=follow)
