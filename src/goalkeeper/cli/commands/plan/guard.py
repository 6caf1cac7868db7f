"""`guard`: may an agent ask, or pause?"""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.guards import Interruption, refuse_interruption

_SUMMARIES = {
    Interruption.ASK: "May a question be put to the user now?",
    Interruption.PAUSE: "May the run be paused now?",
}


def configure(parser: Parser) -> None:
    for action, summary in _SUMMARIES.items():
        parser.verb(str(action), summary=summary, example=f"goalkeeper guard {action}")


def run(args: argparse.Namespace, app: App) -> Reply:
    refused = refuse_interruption(app.plan(args.run), Interruption(args.verb))
    if refused:
        return refusal(refused)
    return Reply({"ok": True, "action": args.verb, "allowed": True}, (f"{args.verb}: allowed",))
