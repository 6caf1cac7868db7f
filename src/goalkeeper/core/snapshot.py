"""The plan as goals.json: readable, one goal a line, with the ledger position it stands for.

Everything in it follows from the ledger alone, so deleting it and rebuilding it gives the
same bytes.
"""

from __future__ import annotations

import json
from typing import Any

from goalkeeper.core import codec
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.decode import Fields, Malformed, plain
from goalkeeper.core.plan.model import (
    Blocker,
    Classification,
    Goal,
    GoalMode,
    GoalStatus,
    Issued,
    Plan,
    SteeringKey,
    ToolGoal,
    ToolStatus,
)
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.drive.lane import Lane
    from goalkeeper.core.drive.state import Drive

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
        fields = Fields(json.loads(data))
        version = fields.number("version")
    except (ValueError, RecursionError):
        return None
    if version > VERSION:
        raise SnapshotTooNew(version)
    try:
        return _snapshot(fields)
    except Malformed:
        return None


def _snapshot(f: Fields) -> Snapshot:
    at = f.inner("ledger")
    position = Position(at.number("seq"), at.number("start"), at.number("end"), at.text("head"))
    return Snapshot(_plan(f), position)


def _plan(f: Fields) -> Plan:
    return Plan(
        f.text("run_id"),
        f.choice("mode", GoalMode),
        f.text("objective", ""),
        f.text("constraints", ""),
        f.each("goals", _goal),
        f.text("created_at"),
        f.text("updated_at"),
        f.text("session", ""),
        f.text("replaces", ""),
        codec.base(f.inner("base")) if f.has("base") else None,
        f.texts("aliases"),
        f.number("revision"),
        _tool(f.inner("tool")),
        _blocker(f.inner("blocker")) if f.has("blocker") else None,
        f.each("steering_keys", _key),
        f.text("handoff", ""),
        f.text("closed", ""),
        _drive(f.inner("drive")) if f.has("drive") else None,
        f.each("receipts", _issued),
        f.text("gate", ""),
    )


def _issued(f: Fields) -> Issued:
    return Issued(
        f.text("kind", ""), f.text("goal_id", ""), f.text("digest", ""), f.text("tree", ""),
        f.text("contract", ""), f.number("revision"),
    )  # fmt: skip


def _drive(f: Fields) -> Drive:
    from goalkeeper.core.drive_codec import drive  # noqa: PLC0415  most plans have none

    return drive(f)


def _goal(f: Fields) -> Goal:
    return Goal(
        f.text("id"),
        f.text("title", ""),
        f.text("objective", ""),
        f.choice("status", GoalStatus),
        f.text("created_at"),
        f.text("updated_at"),
        f.text("origin"),
        f.text("started_at", ""),
        f.text("completed_at", ""),
        f.text("evidence", ""),
        f.number("attempts"),
        f.texts("depends_on"),
        f.text("contract", ""),
        f.text("blocks", ""),
        f.texts("superseded_by"),
        f.text("classification", ""),
        codec.frozen(f.inner("frozen")) if f.has("frozen") else None,
        f.each("criteria", _criterion),
        f.number("iteration", 0),
        f.text("judgement", ""),
        f.number("blocking", 0),
        f.text("decision", ""),
        f.text("exit", ""),
        codec.base(f.inner("proven")) if f.has("proven") else None,
        _lanes(f) if f.has("lanes") else (),
        codec.quality(f.inner("quality")) if f.has("quality") else None,
        timing=codec.timing(f.inner("timing")) if f.has("timing") else None,
        **(_verified(f) if f.has("streak") or f.has("steps") or f.has("answers") else {}),
    )


def _lanes(f: Fields) -> tuple[Lane, ...]:
    from goalkeeper.core.drive_codec import lane  # noqa: PLC0415  as above

    return f.each("lanes", lane)


def _verified(f: Fields) -> dict[str, Any]:
    from goalkeeper.core import verify_codec as written  # noqa: PLC0415  most goals have none

    return {
        "streak": written.streak(f.inner("streak")) if f.has("streak") else None,
        "steps": f.each("steps", written.step),
        "answers": f.each("answers", written.answer),
    }


def _criterion(f: Fields) -> CriterionState:
    return CriterionState(
        f.text("id"),
        f.choice("status", CriterionStatus),
        f.number("fail_count"),
        f.number("error_streak"),
        f.number("regressions"),
        f.number("regressed_at"),
        f.number("passed_at"),
        f.text("passed_tree", ""),
        f.texts("failures"),
        f.number("failed"),
        f.text("reason", ""),
        f.text("evidence", ""),
        f.text("since", ""),
    )


def _tool(f: Fields) -> ToolGoal:
    return ToolGoal(f.choice("status", ToolStatus), f.text("objective", ""), f.text("since", ""))


def _blocker(f: Fields) -> Blocker:
    return Blocker(
        f.choice("classification", Classification),
        f.text("evidence", ""),
        f.text("goal_id", ""),
        f.number("revision"),
    )


def _key(f: Fields) -> SteeringKey:
    return SteeringKey(
        f.text("key", ""), f.text("request", ""), f.number("revision"), f.texts("goal_ids")
    )
