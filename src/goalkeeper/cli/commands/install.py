"""`install`: hooks, commands and skills into a client."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from goalkeeper.agents.install.installing import Change, changes
from goalkeeper.agents.install.parts import parts, scopes
from goalkeeper.bootstrap import App
from goalkeeper.cli import hooking
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.errors import UsageError


def configure(parser: Parser) -> None:
    hooking.options(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would change, no more")
    parser.common(run=False)


def run(args: argparse.Namespace, app: App) -> Reply:
    if args.scope not in scopes(args.client):
        problem = f"{args.client} is installed for the user only"
        raise UsageError(problem=problem, hint=f"goalkeeper install {args.client}")
    made = parts(args.client, args.scope, hooking.setting(app))
    wanted = changes(made.files)
    needed = [change.path for change in wanted if change.is_needed]
    if not args.dry_run:
        hooking.record(app, args.client, args.scope).install(wanted)
    data = {"ok": True, "client": args.client, "scope": args.scope, "changed": needed}
    said = [*_said(wanted, "Would write" if args.dry_run else "Wrote")]
    both = [
        scope
        for scope in scopes(args.client)
        if scope != args.scope and hooking.record(app, args.client, scope).exists
    ]
    doubled = tuple(
        f"it is installed for the {scope}, too: its hooks run twice and count once; "
        f"goalkeeper uninstall {args.client} --scope {scope}"
        for scope in both
    )
    follow = f"goalkeeper install {args.client}" if args.dry_run else made.next
    page = tuple(said) or ("Nothing to do: it is installed as it is.",)
    return Reply(data, page, next=follow, warnings=doubled)


def _said(wanted: tuple[Change, ...], verb: str) -> Iterator[str]:
    """Files of ours by their folder, the user's one by one."""
    ours = [change.path for change in wanted if change.is_needed and not change.is_merged]
    if len(ours) > 1:
        yield f"{verb} {len(ours)} files below {os.path.commonpath(ours)}"
    elif ours:
        yield f"{verb} {ours[0]}"
    for change in wanted:
        if change.is_needed and change.is_merged:
            yield f"{verb} {change.path}" + (" (what was there is kept)" if change.before else "")
