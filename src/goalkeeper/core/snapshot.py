"""The plan as goals.json: readable, one goal a line, with the ledger position it stands for.

Everything in it follows from the ledger alone, so deleting it and rebuilding it gives the
same bytes.
"""

from __future__ import annotations

import json

from goalkeeper.core.decode import Malformed, decode, plain
from goalkeeper.core.plan.model import Plan
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value

VERSION = 1


class Position(Value):
    """Where in the ledger a plan stands: its last line, and where that line begins and ends."""

    seq: int
    start: int
    end: int
    head: str


class Snapshot(Value):
    plan: Plan
    position: Position


class _Versioned(Value):
    """All that is read of a snapshot which a newer goalkeeper wrote."""

    version: int


class SnapshotTooNew(ValueError):
    """Written by a newer goalkeeper; the argument is its version."""


def dump(snapshot: Snapshot) -> bytes:
    fields = plain(snapshot.plan)
    goals = ",\n".join(" " + compact(goal) for goal in fields.pop("goals", []))
    lines = [
        '{"version":' + str(VERSION),
        '"ledger":' + compact(snapshot.position.as_dict()),
        *(f"{compact(name)}:{compact(value)}" for name, value in fields.items()),
        '"goals":[\n' + goals + "\n]",
    ]
    return (",\n".join(lines) + "}\n").encode()


def load(data: bytes) -> Snapshot | None:
    """None when the bytes are not a snapshot; it can be rebuilt then."""
    try:
        raw = json.loads(data)
        version = decode(_Versioned, raw).version
    except (ValueError, RecursionError):
        return None
    if version > VERSION:
        raise SnapshotTooNew(version)
    try:
        return Snapshot(decode(Plan, raw), decode(Position, raw.get("ledger")))
    except Malformed:
        return None
