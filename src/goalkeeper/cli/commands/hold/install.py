"""`install`: hooks, commands and skills into a client."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from goalkeeper.bootstrap import App
from goalkeeper.cli import hooking
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.clients.install.installing import Change, changes
from goalkeeper.clients.install.parts import Parts, parts, scopes
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
    wanted = changes(made.files)  # what cannot be used is refused before anything is made
    if not args.dry_run:
        wanted = _installed(args, app, made)
    needed = [change.path for change in wanted if change.is_needed]
    data = {"ok": True, "client": args.client, "scope": args.scope, "changed": needed}
    said = tuple(_said(wanted, "Would write" if args.dry_run else "Wrote"))
    page = said or ("Already installed; nothing changed.",)
    follow = _again(args) if args.dry_run else made.next
    return Reply(data, page, next=follow, warnings=tuple(_doubled(args, app)))


def _installed(args: argparse.Namespace, app: App, made: Parts) -> tuple[Change, ...]:
    with hooking.alone(app):
        wanted = changes(made.files)  # again: another process may have changed them meanwhile
        hooking.record(app, args.client, args.scope).install(wanted)
    return wanted


def _again(args: argparse.Namespace) -> str:
    scope = "" if args.scope == "user" else f" --scope {args.scope}"
    return f"goalkeeper install {args.client}{scope}"


def _doubled(args: argparse.Namespace, app: App) -> Iterator[str]:
    for scope in scopes(args.client):
        if scope != args.scope and hooking.record(app, args.client, scope).exists:
            yield (
                f"it is installed for the {scope}, too: its hooks run twice and count once; "
                f"goalkeeper uninstall {args.client} --scope {scope}"
            )


def _said(wanted: tuple[Change, ...], verb: str) -> Iterator[str]:
    """Files of ours by their folder, the user's one by one."""
    needed = [change for change in wanted if change.is_needed]
    yield from hooking.summary(verb, [each.path for each in needed if not each.is_merged])
    for change in needed:
        if change.is_merged:
            yield f"{verb} {change.path}" + (" (what was there is kept)" if change.before else "")
