"""A run in memory, with the same manners as the one on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from goalkeeper.app.ports import Entry
from goalkeeper.core import codec
from goalkeeper.core.fold import apply, begin
from goalkeeper.core.plan import objective
from goalkeeper.core.plan.events import Event, PlanCreated
from goalkeeper.core.plan.model import Actor, Plan
from goalkeeper.errors import LockBusy
from goalkeeper.wire.canonical import compact


class MemoryTurn:
    def __init__(self, run: MemoryRun) -> None:
        self._run = run

    @property
    def plan(self) -> Plan:
        return self._run.folded()

    def append(self, events: tuple[Event, ...], *, at: str, actor: Actor) -> None:
        self._run.record(events, at=at, actor=actor)


class MemoryRun:
    def __init__(self, created: PlanCreated, *, at: str, actor: Actor) -> None:
        self.run_id = created.run_id
        self.warnings: list[str] = []
        self._entries: list[Entry] = []
        self._begun = begin(created, at)
        self._is_taken = False
        self.record((created,), at=at, actor=actor)

    def read(self) -> Plan:
        self._check_free()
        return objective.migrate_objective(self.folded())

    @contextmanager
    def writing(self) -> Iterator[MemoryTurn]:
        self._check_free()
        self._is_taken = True
        try:
            yield MemoryTurn(self)
        finally:
            self._is_taken = False

    def head(self) -> tuple[str, int]:
        return "", len(self._entries)

    def entries(self) -> Iterator[Entry]:
        self._check_free()
        yield from tuple(self._entries)

    def entries_from_end(self) -> Iterator[Entry]:
        yield from reversed([*self.entries()])

    def folded(self) -> Plan:
        plan = self._begun
        for entry in self._entries[1:]:
            plan = apply(plan, entry.event, entry.at)
        return plan

    def record(self, events: tuple[Event, ...], *, at: str, actor: Actor) -> None:
        first = len(self._entries) + 1
        self._entries += [
            Entry(first + index, at, actor, *_read_back(event), len(events) - index - 1)
            for index, event in enumerate(events)
        ]

    def _check_free(self) -> None:
        if self._is_taken:
            raise LockBusy(path=self.run_id, holder="a turn that is not over", waited_seconds=0)


def _read_back(event: Event) -> tuple[Event, str]:
    """The event as a ledger would give it back, and its kind."""
    kind, version, data = codec.encode_event(event)
    return codec.decode_event(kind, version, json.loads(compact(data).encode())), kind
