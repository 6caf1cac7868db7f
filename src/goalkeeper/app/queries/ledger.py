"""The entries of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from goalkeeper.app.ports import Entry, Run
from goalkeeper.core import codec
from goalkeeper.core.decode import plain
from goalkeeper.errors import UsageError


def find_entries(
    run: Run, *, goal: str, kind: str, since: str, last: int = 0
) -> Iterator[dict[str, Any]]:
    """Find all entries, or those about a goal, of a kind, from a line or a time on, or the last.

    They are read one by one as the caller takes them: a ledger may have a million.
    """
    if kind:
        _require_kind(run, kind)

    def choose(entries: Iterable[Entry]) -> Iterator[Entry]:
        return _filter_entries(entries, goal=goal, kind=kind, since=since)

    if last:
        newest = [*islice(choose(run.entries_from_end()), last)]
        return map(_show_entry, reversed(newest))
    return map(_show_entry, choose(run.entries()))


def _require_kind(run: Run, kind: str) -> None:
    """Raise an error for a kind that neither we nor the ledger know: it is a mistake."""
    if kind in codec.EVENT_KINDS:
        return
    kinds = {entry.kind for entry in run.entries()}
    if kind not in kinds:
        problem = f"there is no kind '{kind}'; this ledger has {', '.join(sorted(kinds))}"
        raise UsageError(problem=problem, hint="goalkeeper ledger show")


def _filter_entries(
    entries: Iterable[Entry], *, goal: str, kind: str, since: str
) -> Iterator[Entry]:
    by_seq, moment = since.isdecimal(), since.removesuffix("Z")
    for entry in entries:
        if kind and entry.kind != kind:
            continue
        if goal and goal not in find_goal_ids(codec.encode_event(entry.event)[2]):
            continue
        if by_seq and entry.seq < int(since):
            continue
        if not by_seq and entry.at[: len(moment)] < moment:
            continue
        yield entry


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
