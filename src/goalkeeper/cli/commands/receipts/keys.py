"""`keys`: what receipts are signed with."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, Option, Verb
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.actors import explain_actor
from goalkeeper.core.plan.model import ActorKind, Refused
from goalkeeper.errors import UsageError

VERBS = {
    "list": Verb("Which keys there are, and which signs.", "goalkeeper keys list", JSON),
    "rotate": Verb("Make a new key that signs from now on; a human's to do.",
        "goalkeeper keys rotate", JSON),
    "export": Verb("Print a public key, for those who verify.",
        "goalkeeper keys export > goalkeeper.pub", JSON,
        Option("--key-id ID", "the key; default: the one that signs", default="")),
}  # fmt: skip


def run_list(_args: argparse.Namespace, app: App) -> Reply:
    current, names = wiring.open_keys(app).find_current_id(), wiring.open_keys(app).list_ids()
    data = {"ok": True, "current": current or None, "keys": names}
    lines = [f"{'*' if name == current else ' '} {name}" for name in names]
    return Reply(data, tuple(lines) or ("There is no key yet; the first receipt makes one.",))


def run_rotate(_args: argparse.Namespace, app: App) -> Reply:
    if app.actor.kind is not ActorKind.HUMAN:
        said = f"Keys are a human's; {explain_actor(app.actor)}."
        return refusal(Refused("keys-need-human", said, "ask a human to run it in a terminal"))
    name = wiring.open_keys(app).rotate_key()
    data = {"ok": True, "current": name}
    return Reply(data, (f"Key {name} signs from now on.",), next="goalkeeper keys export")


def run_export(args: argparse.Namespace, app: App) -> Reply:
    keys = wiring.open_keys(app)
    name = args.key_id or keys.find_current_id()
    found = keys.read_public_key(name) if name in keys.list_ids() else b""
    if not found:
        problem = f"there is no key {name}" if name else "there is no key yet"
        raise UsageError(problem=problem, hint="goalkeeper keys list")
    pem = found.decode()
    return Reply({"ok": True, "key_id": name, "pem": pem}, tuple(pem.rstrip().split("\n")))
