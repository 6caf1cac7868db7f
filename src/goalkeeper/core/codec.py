"""Events to JSON objects and back: one explicit table, with a version per kind.

A kind keeps its meaning for ever. A new meaning is a new version, and the reader
of the old one stays here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goalkeeper.core import commands, events, steering
from goalkeeper.core.commands import CheckpointStatus
from goalkeeper.core.fields import Fields, Malformed, plain
from goalkeeper.core.model import Classification, GoalMode, NewGoal, ToolStatus

VERSION = 1  # of every kind so far


class TooNew(ValueError):
    """An event of a known kind in a version this goalkeeper cannot read."""


def encode(event: events.Event) -> tuple[str, int, dict[str, Any]]:
    """The event's kind, version and data."""
    if isinstance(event, events.Unknown):
        return event.kind, VERSION, dict(event.data)
    data: dict[str, Any] = plain(event)
    if isinstance(event, events.SteeringAccepted | events.SteeringRejected):
        data["change"] = {"kind": steering.kind_of(event.change), **plain(event.change)}
    return KIND_OF[type(event)], VERSION, data


def decode(kind: str, version: int, raw: object) -> events.Event:
    """Raises Malformed when the data does not fit its kind, TooNew when we are too old."""
    fields = Fields(raw)
    read = _READERS.get(kind)
    if read is None:
        return events.Unknown(kind, fields.all())
    if version > VERSION:
        raise TooNew(f"{kind} v{version}")
    return read(fields)


def new_goal(f: Fields) -> NewGoal:
    return NewGoal(
        f.text("title", ""), f.text("objective", ""), f.texts("depends_on"), f.text("contract", "")
    )


def _plan_created(f: Fields) -> events.PlanCreated:
    return events.PlanCreated(
        f.text("run_id"),
        f.text("brief", ""),
        f.choice("mode", GoalMode),
        f.text("objective", ""),
        f.text("constraints", ""),
        f.each("goals", new_goal),
        f.text("session", ""),
        f.text("replaces", ""),
        f.text("reason", ""),
    )


def _checkpointed(f: Fields) -> events.GoalCheckpointed:
    return events.GoalCheckpointed(
        f.text("goal_id"), f.choice("status", CheckpointStatus), f.text("evidence", "")
    )


def _change(f: Fields) -> commands.Change:
    kind = f.text("kind")
    read = _CHANGES.get(kind)
    if read is None:
        raise Malformed(f"change.kind {kind} is not a kind of steering")
    return read(f)


def _accepted(f: Fields) -> events.SteeringAccepted:
    return events.SteeringAccepted(
        _change(f.inner("change")),
        f.text("evidence", ""),
        f.text("rationale", ""),
        f.text("key", ""),
        f.text("request", ""),
        f.texts("goal_ids"),
        f.number("revision"),
    )


def _rejected(f: Fields) -> events.SteeringRejected:
    return events.SteeringRejected(
        _change(f.inner("change")),
        f.text("evidence", ""),
        f.text("rationale", ""),
        f.text("reason", ""),
    )


def _review_blockers(f: Fields) -> events.ReviewBlockersRecorded:
    return events.ReviewBlockersRecorded(
        f.text("goal_id"), f.text("blocker_id"), f.text("title", ""), f.text("objective", ""),
        f.text("evidence", ""),
    )  # fmt: skip


def _classified(f: Fields) -> events.BlockerClassified:
    return events.BlockerClassified(
        f.choice("classification", Classification), f.text("evidence", ""), f.text("goal_id", "")
    )


_CHANGES: dict[str, Callable[[Fields], commands.Change]] = {
    "add_subgoal": lambda f: commands.AddSubgoal(new_goal(f.inner("goal"))),
    "split_subgoal": lambda f: commands.SplitSubgoal(
        f.text("goal_id", ""), f.each("replacements", new_goal)
    ),
    "reorder_pending": lambda f: commands.ReorderPending(f.texts("order")),
    "revise_pending_wording": lambda f: commands.RevisePendingWording(
        f.text("goal_id", ""), f.text("title", ""), f.text("objective", "")
    ),
    "annotate_ledger": lambda _: commands.AnnotateLedger(),
    "mark_blocked_superseded": lambda f: commands.MarkBlockedSuperseded(f.text("goal_id", "")),
}

_READERS: dict[str, Callable[[Fields], events.Event]] = {
    "plan_created": _plan_created,
    "goal_started": lambda f: events.GoalStarted(f.text("goal_id")),
    "goal_checkpointed": _checkpointed,
    "goal_completed": lambda f: events.GoalCompleted(f.text("goal_id"), f.text("evidence", "")),
    "goal_unblocked": lambda f: events.GoalUnblocked(f.text("goal_id"), f.text("evidence", "")),
    "steering_accepted": _accepted,
    "steering_rejected": _rejected,
    "review_blockers_recorded": _review_blockers,
    "blocker_classified": _classified,
    "goal_tool_changed": lambda f: events.GoalToolChanged(
        f.choice("status", ToolStatus), f.text("objective", "")
    ),
    "objective_migrated": lambda f: events.ObjectiveMigrated(f.text("old", ""), f.text("new", "")),
    "handoff_recorded": lambda f: events.HandoffRecorded(f.text("to", "")),
    "state_cleared": lambda f: events.StateCleared(f.text("reason", "")),
    "ledger_repaired": lambda f: events.LedgerRepaired(f.texts("actions")),
    "command_refused": lambda f: events.CommandRefused(
        f.text("command", ""), f.text("reason", ""), f.text("goal_id", "")
    ),
}

KIND_OF: dict[type, str] = {
    events.PlanCreated: "plan_created",
    events.GoalStarted: "goal_started",
    events.GoalCheckpointed: "goal_checkpointed",
    events.GoalCompleted: "goal_completed",
    events.GoalUnblocked: "goal_unblocked",
    events.SteeringAccepted: "steering_accepted",
    events.SteeringRejected: "steering_rejected",
    events.ReviewBlockersRecorded: "review_blockers_recorded",
    events.BlockerClassified: "blocker_classified",
    events.GoalToolChanged: "goal_tool_changed",
    events.ObjectiveMigrated: "objective_migrated",
    events.HandoffRecorded: "handoff_recorded",
    events.StateCleared: "state_cleared",
    events.LedgerRepaired: "ledger_repaired",
    events.CommandRefused: "command_refused",
}
