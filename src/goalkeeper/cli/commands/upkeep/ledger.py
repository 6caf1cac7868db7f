"""`ledger`: verify, show, export."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from typing import Any

from goalkeeper.app.handle import unknown_goal
from goalkeeper.app.ports import Entry
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply, Table
from goalkeeper.core import codec
from goalkeeper.core.decode import plain
from goalkeeper.errors import UsageError
from goalkeeper.storage import upkeep
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.run import FileRun

_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?", re.ASCII)


def configure(parser: Parser) -> None:
    parser.verb(
        "verify",
        summary="Check every line, and that goals.json and brief.md follow from them.",
        example="goalkeeper ledger verify",
    )
    shown = parser.verb(
        "show",
        summary="List what happened, oldest first.",
        example="goalkeeper ledger show --goal G001 --kind goal_started --since 2026-11-15",
    )
    shown.add_argument("--goal", default="", metavar="ID", help="only what is about this goal")
    shown.add_argument("--kind", default="", metavar="KIND", help="only this kind of event")
    shown.add_argument("--since", default="", metavar="SEQ|TIME", help="from this line or time on")
    exported = parser.verb(
        "export",
        summary="Write the verified ledger, byte for byte, to standard output or a file.",
        example="goalkeeper ledger export --output ledger-copy.jsonl",
    )
    exported.add_argument("--output", default="", metavar="PATH", help="a file in the repository")


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    if args.verb == "verify":
        return _verify(chosen)
    if args.verb == "show":
        return _show(chosen, args)
    return _export(chosen, args, app)


def _verify(chosen: FileRun) -> Reply:
    verified = upkeep.verify(chosen)
    data = {"ok": True, "run_id": chosen.run_id, **verified.as_dict()}
    said = f"The ledger of run {chosen.run_id} is sound: {verified.entries} entries, "
    return Reply(data, (said + f"head {verified.head[:12]}.",))


def _show(chosen: FileRun, args: argparse.Namespace) -> Reply:
    _check_filters(chosen, args)
    matching = _matching(chosen.entries(), args)
    shown = [(entry, codec.encode_event(entry.event)[2]) for entry in matching]
    rows = tuple((str(e.seq), e.at[:19], e.actor.kind, e.kind, _about(data)) for e, data in shown)
    page = (Table(("seq", "at", "actor", "kind", "about"), rows),)
    entries = [_data(entry, data) for entry, data in shown]
    return Reply({"ok": True, "run_id": chosen.run_id, "entries": entries}, page)


def _check_filters(chosen: FileRun, args: argparse.Namespace) -> None:
    """A filter that can match nothing is a mistake, not an empty answer."""
    if args.goal:
        plan = chosen.read()
        if plan.goal(args.goal) is None:
            raise unknown_goal(plan, args.goal)
    if args.since and not (args.since.isdecimal() or _TIME.fullmatch(args.since)):
        problem = (
            f"--since takes a line number or a UTC time such as 2026-11-15T09:30: {args.since}"
        )
        raise UsageError(problem=problem, hint="goalkeeper ledger show --help")


def _matching(entries: Iterator[Entry], args: argparse.Namespace) -> Iterator[Entry]:
    by_seq = args.since.isdecimal()
    moment = args.since.removesuffix("Z")
    kinds = set()
    for entry in entries:
        kinds.add(entry.kind)
        if args.kind and entry.kind != args.kind:
            continue
        if args.goal and args.goal not in _goals(codec.encode_event(entry.event)[2]):
            continue
        if by_seq and entry.seq < int(args.since):
            continue
        if not by_seq and entry.at[: len(moment)] < moment:
            continue
        yield entry
    if args.kind and args.kind not in kinds | codec.KINDS.keys():
        problem = f"there is no kind '{args.kind}'; this ledger has {', '.join(sorted(kinds))}"
        raise UsageError(problem=problem, hint="goalkeeper ledger show")


def _goals(data: dict[str, Any]) -> set[str]:
    """Every goal id an event names."""
    change = data.get("change", {})
    inner = [data.get(name, {}).get("goal_id") for name in ("running", "worktree")]
    named = {data.get("goal_id"), data.get("blocker_id"), change.get("goal_id"), *inner}
    return named | set(data.get("goal_ids", [])) | set(change.get("order", []))


def _about(data: dict[str, Any]) -> str:
    goals = ", ".join(sorted(filter(None, _goals(data))))
    kind = data.get("change", {}).get("kind", "")
    said = data.get("reason") or data.get("evidence") or data.get("status") or ""
    said = said or "; ".join(data.get("actions", [])) or _phase(data)
    return " ".join(" ".join(filter(None, (goals, kind, said))).split())[:70]


def _phase(data: dict[str, Any]) -> str:
    """Of a drive: which phase of which iteration, and how it ended."""
    told = data.get("running", data)
    if "phase" not in told:
        return str(data.get("agent") or data.get("why") or "")
    ending = data.get("record", {}).get("ending", "")
    return f"{told['phase']} {told['iteration']} {ending}".strip()


def _data(entry: Entry, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "at": entry.at,
        "kind": entry.kind,
        "v": entry.version,
        "actor": plain(entry.actor),
        "data": data,
    }


def _export(chosen: FileRun, args: argparse.Namespace, app: App) -> Reply:
    if args.json and not args.output:
        problem = "a ledger is many documents; with --json it goes to a file"
        raise UsageError(problem=problem, hint="goalkeeper ledger export --json --output PATH")
    verified = upkeep.verify(chosen)
    with open(chosen.files.ledger, "rb") as file:
        data = file.read()
    if not args.output:
        return Reply({}, (), raw=data)
    target = _new_file(args.output, app)
    with disk_errors("write", target):
        app.world.disk.write_new(target, data)
    said = f"Wrote {verified.entries} entries to {args.output}."
    shown = {"ok": True, "output": target, "bytes": len(data), **verified.as_dict()}
    return Reply(shown, (said,))


def _new_file(path: str, app: App) -> str:
    target = inputs.confined(app, path)
    kept = (os.path.realpath(app.state.dir), os.path.join(app.root, ".git"))
    if os.path.lexists(target) or any(inputs.is_inside(target, place) for place in kept):
        problem = f"{path} exists or is not for exports; nothing is overwritten"
        raise UsageError(problem=problem, hint="name a new file in the repository")
    return target
