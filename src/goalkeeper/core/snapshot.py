"""The plan as goals.json, readable, with one goal a line and its position in the ledger.

Everything in it follows from the ledger alone, so deleting it and rebuilding it gives the same
bytes.
"""

from __future__ import annotations

import json
from typing import Any

from goalkeeper.core.decode import Malformed, decode, plain
from goalkeeper.core.plan.model import Plan
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value

# In version 1 a drive knew one goal at a time, in 2 no plan knew its origin, in 3 no goal knew
# what was left to the user, and no line of work what its phases left, in 4 no review blocker kept
# what the review saw, and in 5 no line of work knew what could not be checked.
VERSION = 6


class Position(Value):
    """The position of a plan in the ledger: its last line, and where that line begins and ends."""

    seq: int
    start: int
    end: int
    head: str


class Snapshot(Value):
    plan: Plan
    position: Position


class SnapshotTooNew(ValueError):
    """A newer goalkeeper wrote it; the argument is its version."""


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
    """Return None when the bytes are no snapshot of this version; it is rebuilt from the ledger."""
    raw, version = _read_version(data)
    if version > VERSION:
        raise SnapshotTooNew(version)
    if version < VERSION:
        return None
    try:
        return Snapshot(decode(Plan, raw), decode(Position, raw["ledger"]))
    except (Malformed, KeyError):
        return None


def read_outdated(data: bytes) -> Position | None:
    """Return the position that an older goalkeeper wrote; None for any other version."""
    raw, version = _read_version(data)
    try:
        return decode(Position, raw["ledger"]) if 0 < version < VERSION else None
    except (Malformed, KeyError):
        return None


def is_of(data: bytes, snapshot: Snapshot) -> bool:
    """Return whether the bytes are this snapshot, also as an older goalkeeper wrote it.

    Its drive, its origin and what reviews saw are not compared: they had another shape, or were
    not there.
    """
    today = dump(snapshot)
    if data == today or read_outdated(data) is None:
        return data == today
    reshaped = ("version", "drive", "origin", "author", "raised_by_cycles", "landed")
    then, now = json.loads(data), json.loads(today)
    for goal in now["goals"]:
        goal.pop("finding", None)
    return all(then.get(name) == now.get(name) for name in {*then, *now}.difference(reshaped))


def _read_version(data: bytes) -> tuple[dict[str, Any], int]:
    """Read the version, which is 0 when the bytes are no snapshot at all."""
    try:
        raw = json.loads(data)
        version = raw["version"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}, 0
    return (raw, version) if type(version) is int else ({}, 0)
