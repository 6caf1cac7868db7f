"""`let-stand`: a finding is answered with a reason that whoever reviews the change reads first."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.answering import answer_findings
from goalkeeper.app.queries.proof import show_let_stand, suggest_after_answer
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import GOAL_ID, JSON, RUN, Option
from goalkeeper.cli.parsing import parse_words
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import Refused

OPTIONS = (
    GOAL_ID,
    Option("--finding RULE", "the rule that a finding names", required=True),
    Option("--path PATH", "the file that it names; default: the only one with such a finding",
        default=""),
    Option("--reason TEXT", "what the change is for, and why it weakens nothing; an agent answers "
        "what is asked, a human also lets stand what blocks", type=parse_words, required=True),
    RUN, JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    context = wiring.open_judge_context(app, chosen)
    answered = answer_findings(context, args.goal_id, args.finding, args.path, args.reason)
    warnings = tuple(chosen.warnings)
    if isinstance(answered, Refused):
        return refusal(answered).replace(warnings=warnings)
    shown = show_let_stand(answered)
    said = "Already let stand" if shown["repeated"] else "Let stand"
    page = (
        f"{said}, for these bytes and no others:",
        *(f"  {finding.level} {finding}" for finding in answered.findings),
    )
    return Reply(shown, page, next=suggest_after_answer(context, answered), warnings=warnings)
