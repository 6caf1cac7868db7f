"""A run in memory, with the same manners as the one on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from goalkeeper.app.ports import Entry
from goalkeeper.core import codec, objective
from goalkeeper.core.events import Event, PlanCreated
from goalkeeper.core.fold import apply
from goalkeeper.core.model import Actor, Plan


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
        self._entries: list[Entry] = []
        self.record((created,), at=at, actor=actor)

    def read(self) -> Plan:
        return objective.migrated(self.folded())

    @contextmanager
    def writing(self) -> Iterator[MemoryTurn]:
        yield MemoryTurn(self)

    def entries(self) -> Iterator[Entry]:
        yield from self._entries

    def folded(self) -> Plan:
        plan: Plan | None = None
        for entry in self._entries:
            plan = apply(plan, entry.event, entry.at)
        if plan is None:
            raise AssertionError("a run begins with plan_created")
        return plan

    def record(self, events: tuple[Event, ...], *, at: str, actor: Actor) -> None:
        for rest, event in zip(range(len(events) - 1, -1, -1), events, strict=True):
            kind, version, data = codec.encode(event)
            read_back = codec.decode(kind, version, data)
            self._entries.append(Entry(len(self._entries) + 1, at, actor, read_back, kind, rest))
