"""`clean`: remove what nothing needs any more."""

from __future__ import annotations

import argparse
from functools import partial

from goalkeeper import wiring
from goalkeeper.app.cleaning import Garbage, remove_garbage
from goalkeeper.bootstrap import App, read_lock_timeout
from goalkeeper.cli.inputs import is_confirmed
from goalkeeper.cli.options import JSON, Option, switch
from goalkeeper.cli.pages.disk import write_size
from goalkeeper.cli.parsing import parse_days
from goalkeeper.cli.reply import Page, Reply, Table, refusal
from goalkeeper.core.plan.model import Refused
from goalkeeper.core.plan.rights import refuse_giving_up

OPTIONS = (
    switch("--dry-run", "say what would be removed, no more"),
    Option("--runs-older-than DAYS", "also branches of runs that ended so many days ago, whose "
        "proven work has not landed; a human's word", dest="older_than", type=parse_days),
    switch("--yes", "do not ask, also on a terminal"),
    JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    refused = refuse_giving_up(app.actor) if args.older_than is not None else None
    if refused:
        return refusal(refused)
    find = partial(wiring.find_garbage, app, asked_days=args.older_than)
    if args.dry_run:
        listed = tuple(find())
        total = sum(each.size for each in listed)
        data = {"ok": True, "bytes": total, "would_remove": [*map(_show, listed)]}
        page = _make_page(listed, f"Would free {write_size(total)}.")
        older = "" if args.older_than is None else f" --runs-older-than {args.older_than}"
        return Reply(data, page, next=f"goalkeeper clean{older}" if listed else "")
    agreed = None
    if args.older_than is not None and not args.yes and app.world.stdin.isatty():
        listed = tuple(find())
        if listed and not _is_agreed(app, listed):
            return refusal(Refused("declined", "Nothing was removed.", "goalkeeper clean"))
        agreed = {(each.what, each.path) for each in listed}
    timeout = read_lock_timeout(app.world.environ)
    with wiring.hold_user_lock(app, "clean", timeout_seconds=timeout):
        # What was shown may be needed again by now: whoever was asked took their time.
        found = (each for each in find() if agreed is None or (each.what, each.path) in agreed)
        done = remove_garbage(found)
    data = {"ok": True, "bytes": done.size, "removed": [*map(_show, done.removed)],
            "failed": list(done.failed)}  # fmt: skip
    page = _make_page(done.removed, f"Freed {write_size(done.size)}.")
    return Reply(data, page, warnings=tuple(f"not removed: {why}" for why in done.failed))


def _is_agreed(app: App, listed: tuple[Garbage, ...]) -> bool:
    rows = [f"  {each.what}  {each.path}" for each in listed]
    said = "This is removed for good:"
    return is_confirmed(app.world, said, *rows, "Remove it?", default=False)


def _show(garbage: Garbage) -> dict[str, object]:
    return {"what": garbage.what, "path": garbage.path, "bytes": garbage.size}


def _make_page(listed: tuple[Garbage, ...], total: str) -> Page:
    if not listed:
        return ("There is nothing to remove.",)
    rows = tuple((write_size(each.size), each.what, each.path) for each in listed)
    return Table(("SIZE", "WHAT", "WHERE"), rows), total
