"""The entries of the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from goalkeeper.app.ports import Entry, Run
from goalkeeper.core import codec
from goalkeeper.core.decode import plain
from goalkeeper.errors import UsageError


def list_entries(run: Run, *, goal: str, kind: str, since: str) -> dict[str, Any]:
    """List all entries, or those about a goal, of a kind, from a line or a time on."""
    found = _filter_entries(run.entries(), goal=goal, kind=kind, since=since)
    return {"ok": True, "run_id": run.run_id, "entries": [_show_entry(each) for each in found]}


def _filter_entries(
    entries: Iterator[Entry], *, goal: str, kind: str, since: str
) -> Iterator[Entry]:
    by_seq, moment = since.isdecimal(), since.removesuffix("Z")
    kinds = set()
    for entry in entries:
        kinds.add(entry.kind)
        if kind and entry.kind != kind:
            continue
        if goal and goal not in find_goal_ids(codec.encode_event(entry.event)[2]):
            continue
        if by_seq and entry.seq < int(since):
            continue
        if not by_seq and entry.at[: len(moment)] < moment:
            continue
        yield entry
    if kind and kind not in kinds | codec.EVENT_KINDS.keys():
        problem = f"there is no kind '{kind}'; this ledger has {', '.join(sorted(kinds))}"
        raise UsageError(problem=problem, hint="goalkeeper ledger show")


def find_goal_ids(data: dict[str, Any]) -> set[str]:
    """Find every goal id that an event names."""
    change = data.get("change", {})
    inner = [data.get(name, {}).get("goal_id") for name in ("running", "worktree")]
    named = {data.get("goal_id"), data.get("blocker_id"), change.get("goal_id"), *inner}
    return named | set(data.get("goal_ids", [])) | set(change.get("order", []))


def _show_entry(entry: Entry) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "at": entry.at,
        "kind": entry.kind,
        "v": entry.version,
        "actor": plain(entry.actor),
        "data": codec.encode_event(entry.event)[2],
    }
