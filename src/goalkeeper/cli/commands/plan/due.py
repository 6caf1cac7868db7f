"""`due`: recurring goals, what is due, and how many cycles were achieved in a row."""

from __future__ import annotations

import argparse

from goalkeeper.app.queries.due import show_due
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN
from goalkeeper.cli.pages.plan import due_page
from goalkeeper.cli.reply import Reply

OPTIONS = (RUN, JSON)


def run(args: argparse.Namespace, app: App) -> Reply:
    shown = show_due(app.need_run(args.run).read(), app.clock())
    follow = "goalkeeper complete-goals" if shown["ok"] else ""
    return Reply(shown, due_page(shown["goals"], shown["not_before"]), next=follow)
