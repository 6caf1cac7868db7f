"""`guard`: may an agent ask, or pause?"""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.guards import Interruption, refuse_interruption


def run(args: argparse.Namespace, app: App) -> Reply:
    refused = refuse_interruption(app.plan(args.run), Interruption(args.verb))
    if refused:
        return refusal(refused)
    return Reply({"ok": True, "action": args.verb, "allowed": True}, (f"{args.verb}: allowed",))
