"""`ledger`: verify, show, export."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from functools import partial

from goalkeeper import wiring
from goalkeeper.app.handle import unknown_goal
from goalkeeper.app.queries.ledger import find_entries
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import JSON, RUN, Option, Verb
from goalkeeper.cli.pages.ledger import write_entries, write_entries_as_json
from goalkeeper.cli.parsing import parse_count
from goalkeeper.cli.reply import Reply
from goalkeeper.errors import UsageError
from goalkeeper.storage import upkeep
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import open_plain_file
from goalkeeper.wire.pattern import late_pattern

_PIECE_BYTES = 1 << 20
_TIME = late_pattern(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?", re.ASCII)
VERBS = {
    "verify": Verb("Check every line, what follows from them, and that evidence is there.",
        "goalkeeper ledger verify", RUN, JSON),
    "show": Verb("List what happened, oldest first.",
        "goalkeeper ledger show --goal G001 --kind goal_started --since 2026-11-15", RUN, JSON,
        Option("--goal ID", "only what is about this goal", default=""),
        Option("--kind KIND", "only this kind of event", default=""),
        Option("--since SEQ|TIME", "from this line or time on", default=""),
        Option("--last N", "only the last ones", type=parse_count, default=0)),
    "export": Verb("Write the verified ledger, byte for byte, to standard output or a file.",
        "goalkeeper ledger export --output ledger-copy.jsonl", RUN, JSON,
        Option("--output PATH", "a file in the repository", default="")),
}  # fmt: skip


def run_verify(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    verified = upkeep.verify_run(chosen)
    wiring.require_evidence(app, chosen)
    data = {"ok": True, "run_id": chosen.run_id, **verified.as_dict()}
    said = f"The ledger of run {chosen.run_id} is sound: {verified.entries} entries, "
    return Reply(data, (said + f"head {verified.head[:12]}.",))


def run_show(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    _check_filters(chosen, args)
    found = find_entries(chosen, goal=args.goal, kind=args.kind, since=args.since, last=args.last)
    as_json = write_entries_as_json(chosen.run_id, found)
    return Reply({}, (), raw=as_json if args.json else write_entries(found))


def _check_filters(chosen: FileRun, args: argparse.Namespace) -> None:
    """Raise an error for a filter that can match nothing: it is a mistake, not an empty answer."""
    plan = chosen.read()  # a ledger that cannot be read is told before anything is printed
    if args.goal and plan.find_goal(args.goal) is None:
        raise unknown_goal(plan, args.goal)
    if args.since and not (args.since.isdecimal() or _TIME.fullmatch(args.since)):
        problem = (
            f"--since takes a line number or a UTC time such as 2026-11-15T09:30: {args.since}"
        )
        raise UsageError(problem=problem, hint="goalkeeper ledger show --help")


def run_export(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    if args.json and not args.output:
        problem = "a ledger is many documents; with --json it goes to a file"
        raise UsageError(problem=problem, hint="goalkeeper ledger export --json --output PATH")
    verified = upkeep.verify_run(chosen)
    if not args.output:
        return Reply({}, (), raw=_read_pieces(chosen.files.ledger))
    target = _choose_new_file(args.output, app)
    with disk_errors("write", target):
        app.world.disk.write_new(target, _read_pieces(chosen.files.ledger))
    said = f"Wrote {verified.entries} entries to {args.output}."
    size = os.path.getsize(target)
    shown = {"ok": True, "output": target, "bytes": size, **verified.as_dict()}
    return Reply(shown, (said,))


def _read_pieces(path: str) -> Iterator[bytes]:
    with open_plain_file(path) as file:
        yield from iter(partial(file.read, _PIECE_BYTES), b"")


def _choose_new_file(path: str, app: App) -> str:
    target = inputs.confine_path(app, path)
    kept = (os.path.realpath(app.state.dir), os.path.join(app.root, ".git"))
    if os.path.lexists(target) or any(inputs.is_inside(target, place) for place in kept):
        problem = f"{path} exists or is not for exports; nothing is overwritten"
        raise UsageError(problem=problem, hint="name a new file in the repository")
    return target
