"""`report`: what came of driving agents through a plan."""

from __future__ import annotations

import argparse

from goalkeeper.app.queries.drives import show_report
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN, Option
from goalkeeper.cli.pages.report import report_junit, report_markdown
from goalkeeper.cli.reply import Reply

OPTIONS = (
    Option("--format", "how to write it (default: markdown)", choices=("markdown", "junit"),
        default="markdown"), RUN, JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    data = {"ok": True, **show_report(plan)}
    if args.format == "junit":
        return Reply(data, (), raw=report_junit(plan).encode())
    return Reply(data, (report_markdown(plan),))
