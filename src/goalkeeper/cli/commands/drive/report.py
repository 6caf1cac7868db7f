"""`report`: what came of driving agents through a plan."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.loop import report


def configure(parser: Parser) -> None:
    formats = ("markdown", "junit")
    said = "how to write it (default: markdown)"
    parser.add_argument("--format", choices=formats, default="markdown", help=said)
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    data = {"ok": True, **report.data(plan)}
    if args.format == "junit":
        return Reply(data, (), raw=report.junit(plan).encode())
    return Reply(data, (report.markdown(plan),))
