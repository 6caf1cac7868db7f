"""`guard`: may an agent ask, or pause?"""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.guards import Action, guard

_SUMMARIES = {
    Action.ASK: "May a question be put to the user now?",
    Action.PAUSE: "May the run be paused now?",
}


def configure(parser: Parser) -> None:
    for action, summary in _SUMMARIES.items():
        parser.verb(str(action), summary=summary, example=f"goalkeeper guard {action}")


def run(args: argparse.Namespace, app: App) -> Reply:
    refused = guard(app.plan(args.run), Action(args.verb))
    if refused:
        return refusal(refused)
    return Reply({"ok": True, "action": args.verb, "allowed": True}, (f"{args.verb}: allowed",))
