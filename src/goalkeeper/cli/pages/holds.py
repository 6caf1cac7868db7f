"""Held sessions for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from goalkeeper.app.queries.holds import HeldSessions
from goalkeeper.cli.reply import Page, Table
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import Hold


def holds_page(found: HeldSessions) -> Page:
    unreadable = found.document["unreadable"]
    if not found.holds and not unreadable:
        return ("No session was held here.",)
    rows = [_hold_row(shown) for shown in found.document["holds"]]
    rows += [(name, "", "unreadable, NOT proven", "", "", "") for name in unreadable]
    head = ("CLIENT", "SESSION", "STATE", "BLOCKS", "RUN", "SEEN")
    described = map(_describe_hold, found.holds[:1], found.document["holds"])
    return (Table(head, tuple(rows)), *chain.from_iterable(described))


def _hold_row(shown: Mapping[str, Any]) -> tuple[str, ...]:
    seen = f"{shown['verdict']} {shown['tree'][:12]}".strip() if shown["verdict"] else "-"
    blocks = f"{shown['blocks']}/{shown['max_blocks']}"
    return shown["client"], shown["session"], shown["state"], blocks, shown["run_id"], seen


def _describe_hold(hold: Hold, shown: Mapping[str, Any]) -> Iterator[str]:
    """Say of one session what was asked for, what was seen, and how to leave."""
    verdict = hold.verdict
    seen = f"{verdict.outcome}: {verdict.text}" if verdict else "Nothing was judged yet."
    asked = hold.objective.splitlines()[0] if hold.objective else ""
    yield f"\n{hold.client} {hold.session}, in {hold.worktree}: {asked}"
    if shown["why"] and not hold.ended:
        yield f"{shown['state']}: {shown['why']}"
    yield seen
    if shown["state"] != wire.PROVEN:
        yield "NOT proven."
    if not hold.ended:
        yield 'To leave: say "stop ultrawork" there, or goalkeeper ulw off.'
