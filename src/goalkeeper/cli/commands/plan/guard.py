"""`guard`: may an agent ask, or pause?"""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN, Verb
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.guards import Interruption, refuse_interruption

VERBS = {
    "ask": Verb("May a question be put to the user now?", "goalkeeper guard ask", RUN, JSON),
    "pause": Verb("May the run be paused now?", "goalkeeper guard pause", RUN, JSON),
}


def run(args: argparse.Namespace, app: App) -> Reply:
    refused = refuse_interruption(app.plan(args.run), Interruption(args.verb))
    if refused:
        return refusal(refused)
    return Reply({"ok": True, "action": args.verb, "allowed": True}, (f"{args.verb}: allowed",))
