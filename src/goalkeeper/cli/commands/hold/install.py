"""`install` puts hooks, commands and skills into a client."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from goalkeeper.bootstrap import App
from goalkeeper.cli import hooking
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.clients.install.files import InstallChange
from goalkeeper.clients.install.parts import Parts, plan_changes
from goalkeeper.clients.table import find_install
from goalkeeper.errors import UsageError


def configure(parser: Parser) -> None:
    hooking.add_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would change, no more")
    parser.common(run=False)


def run(args: argparse.Namespace, app: App) -> Reply:
    scopes = find_install(args.client).scopes
    if args.scope not in scopes:
        problem = f"{args.client} is installed for the user only"
        raise UsageError(problem=problem, hint=f"goalkeeper install {args.client}")
    made = scopes[args.scope](hooking.make_setting(app))
    wanted = plan_changes(made.files)  # what cannot be used is refused before anything is made
    if not args.dry_run:
        wanted = _install(args, app, made)
    needed = [change.path for change in wanted if change.is_needed]
    data = {"ok": True, "client": args.client, "scope": args.scope, "changed": needed}
    said = tuple(_list_changes(wanted, "Would write" if args.dry_run else "Wrote"))
    page = said or ("Already installed; nothing changed.",)
    follow = _repeat_command(args) if args.dry_run else made.next
    return Reply(data, page, next=follow, warnings=tuple(_warn_of_others(args, app)))


def _install(args: argparse.Namespace, app: App, made: Parts) -> tuple[InstallChange, ...]:
    with hooking.lock_installs(app):
        wanted = plan_changes(made.files)  # again: another process may have changed them meanwhile
        hooking.find_record(app, args.client, args.scope).install(wanted)
    return wanted


def _repeat_command(args: argparse.Namespace) -> str:
    scope = "" if args.scope == "user" else f" --scope {args.scope}"
    return f"goalkeeper install {args.client}{scope}"


def _warn_of_others(args: argparse.Namespace, app: App) -> Iterator[str]:
    for scope in find_install(args.client).scopes:
        if scope != args.scope and hooking.find_record(app, args.client, scope).exists:
            yield (
                f"it is installed for the {scope}, too: its hooks run twice and count once; "
                f"goalkeeper uninstall {args.client} --scope {scope}"
            )


def _list_changes(wanted: tuple[InstallChange, ...], verb: str) -> Iterator[str]:
    """Files of ours by their folder, the user's one by one."""
    needed = [change for change in wanted if change.is_needed]
    yield from hooking.summarize_files(verb, [each.path for each in needed if not each.is_merged])
    for change in needed:
        if change.is_merged:
            yield f"{verb} {change.path}" + (" (what was there is kept)" if change.before else "")
