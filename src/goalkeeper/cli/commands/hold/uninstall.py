"""`uninstall` undoes what `install` did."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from goalkeeper.bootstrap import App
from goalkeeper.cli import hooking
from goalkeeper.cli.reply import Reply
from goalkeeper.clients.install.record import InstalledFile, NotInstalled


def run(args: argparse.Namespace, app: App) -> Reply:
    done = _uninstall(args, app)
    changed = [kept.path for kept in done]
    data = {"ok": True, "client": args.client, "scope": args.scope, "changed": changed}
    return Reply(data, tuple(_list_undone(done)) or ("There was nothing left.",))


def _uninstall(args: argparse.Namespace, app: App) -> tuple[InstalledFile, ...]:
    record = hooking.find_record(app, args.client, args.scope)
    if record.exists:
        with hooking.lock_installs(app):
            if record.exists:  # another process may have been faster
                return record.uninstall()
    raise NotInstalled(client=args.client, scope=args.scope)


def _list_undone(done: tuple[InstalledFile, ...]) -> Iterator[str]:
    """Files of ours by their folder, the user's one by one."""
    yield from hooking.summarize_files("Undid", [kept.path for kept in done if not kept.is_merged])
    yield from (f"Undid {kept.path}" for kept in done if kept.is_merged)
