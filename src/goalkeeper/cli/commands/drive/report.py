"""`report`: what came of driving agents through a plan."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.queries.drives import show_report
from goalkeeper.app.standing import find_unkept
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN, Option
from goalkeeper.cli.pages.report import report_junit, report_page
from goalkeeper.cli.reply import Reply

OPTIONS = (
    Option("--format", "how to write it (default: markdown)", choices=("markdown", "junit"),
        default="markdown"), RUN, JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    unkept = find_unkept(wiring.open_judge_context(app, chosen).witness, plan)
    data = {"ok": True, **show_report(plan), "without_evidence": list(unkept)}
    if args.format == "junit":
        return Reply(data, (), raw=(report_junit(plan).encode(),))
    warnings = tuple(f"{name} counts as proven, and its evidence is gone" for name in unkept)
    return Reply(data, report_page(plan), warnings=warnings)
