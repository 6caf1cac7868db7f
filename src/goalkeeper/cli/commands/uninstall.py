"""`uninstall`: what `install` did, undone."""

from __future__ import annotations

import argparse

from goalkeeper.agents.install.installing import NotInstalled
from goalkeeper.bootstrap import App
from goalkeeper.cli import hooking
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply


def configure(parser: Parser) -> None:
    hooking.options(parser)
    parser.common(run=False)


def run(args: argparse.Namespace, app: App) -> Reply:
    record = hooking.record(app, args.client, args.scope)
    if not record.exists:
        raise NotInstalled(client=args.client, scope=args.scope)
    done = record.uninstall()
    data = {"ok": True, "client": args.client, "scope": args.scope, "changed": list(done)}
    return Reply(data, tuple(f"Undid {path}" for path in done) or ("There was nothing left.",))
