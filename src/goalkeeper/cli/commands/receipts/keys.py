"""`keys`: what receipts are signed with."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import ActorKind, Refused
from goalkeeper.errors import UsageError
from goalkeeper.wiring.stores import open_keys

_VERBS = {
    "list": ("Which keys there are, and which signs.", "goalkeeper keys list"),
    "rotate": (
        "Make a new key that signs from now on; a human's to do.",
        "goalkeeper keys rotate",
    ),
    "export": (
        "Print a public key, for those who verify.",
        "goalkeeper keys export > goalkeeper.pub",
    ),
}


def configure(parser: Parser) -> None:
    for name, (summary, example) in _VERBS.items():
        verb = parser.verb(name, summary=summary, example=example, run=False)
        if name == "export":
            said = "the key; default: the one that signs"
            verb.add_argument("--key-id", default="", metavar="ID", help=said)


def run(args: argparse.Namespace, app: App) -> Reply:
    match args.verb:
        case "list":
            return _list(app)
        case "rotate":
            return _rotate(app)
        case _:
            return _export(args, app)


def _list(app: App) -> Reply:
    current, names = open_keys(app).find_current_id(), open_keys(app).list_ids()
    data = {"ok": True, "current": current or None, "keys": names}
    lines = [f"{'*' if name == current else ' '} {name}" for name in names]
    return Reply(data, tuple(lines) or ("There is no key yet; the first receipt makes one.",))


def _rotate(app: App) -> Reply:
    if app.actor.kind is not ActorKind.HUMAN:
        said = f"Keys are a human's; this call counts as {app.actor.kind} ({app.actor.how})."
        return refusal(Refused("keys-need-human", said, "ask a human to run it in a terminal"))
    name = open_keys(app).rotate_key()
    data = {"ok": True, "current": name}
    return Reply(data, (f"Key {name} signs from now on.",), next="goalkeeper keys export")


def _export(args: argparse.Namespace, app: App) -> Reply:
    name = args.key_id or open_keys(app).find_current_id()
    found = open_keys(app).read_public_key(name) if name in open_keys(app).list_ids() else b""
    if not found:
        problem = f"there is no key {name}" if name else "there is no key yet"
        raise UsageError(problem=problem, hint="goalkeeper keys list")
    return Reply({"ok": True, "key_id": name, "pem": found.decode()}, (found.decode().rstrip(),))
