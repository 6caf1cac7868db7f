"""`due`: recurring goals, what is due, and how many cycles were achieved in a row."""

from __future__ import annotations

import argparse

from goalkeeper.app.queries.due import show_due
from goalkeeper.bootstrap import App
from goalkeeper.cli.pages.plan import due_page
from goalkeeper.cli.reply import DONE, NO, Reply


def run(args: argparse.Namespace, app: App) -> Reply:
    shown = show_due(app.need_run(args.run).read(), app.clock())
    is_due = shown["ok"]
    follow = "goalkeeper complete-goals" if is_due else ""
    return Reply(shown, due_page(shown["goals"]), DONE if is_due else NO, next=follow)
