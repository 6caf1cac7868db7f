"""`audit`: what a reading of the change says. Runs no test."""

from __future__ import annotations

import argparse
import json

import goalkeeper
from goalkeeper.app.contracts import base_for, contract_of, find_goal
from goalkeeper.app.trials import Trial
from goalkeeper.bootstrap import App
from goalkeeper.cli.reply import Reply
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.sarif import write_sarif
from goalkeeper.wiring.judging import open_witness


def run(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    goal = find_goal(plan, args.goal_id)
    contract, base = contract_of(goal) or Contract(), base_for(plan, goal)
    witness = open_witness(app, run_id=plan.run_id)
    candidate = witness.resolve_revision(args.commit) if args.commit else witness.take_snapshot()
    findings = witness.audit_change(Trial(contract, base, witness.settings_of(base)), candidate)
    blocking = [f for f in findings if f.level is Level.BLOCKING]
    if args.sarif:
        document = write_sarif(findings, goalkeeper.__version__)
        return Reply({"ok": not blocking}, (), raw=(json.dumps(document, indent=2) + "\n").encode())
    data = {
        "ok": not blocking,
        "goal_id": goal.id,
        "base": base,
        "tree": candidate.tree,
        "findings": [f.as_dict() for f in findings],
    }
    said = f"{goal.id}, {base.tree[:12]} to {candidate.tree[:12]}: "
    said += f"{len(blocking)} blocking, {len(findings) - len(blocking)} advisory findings"
    page = (said, *(f"  {each.level} {each}" for each in findings))
    follow = f"goalkeeper explain {findings[0].rule}" if findings else ""
    return Reply(data, page, next=follow)
