"""Events to JSON objects and back: one explicit table, with a version per kind.

A kind keeps its meaning for ever. A new meaning is a new version, and the reader
of the old one stays here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goalkeeper.core.contract.criteria import Decision
from goalkeeper.core.contract.judgement import read_judgement
from goalkeeper.core.contract.timing import Timing
from goalkeeper.core.decode import Fields, Malformed, plain
from goalkeeper.core.plan import commands, events, steering
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.model import Base, Classification, Frozen, GoalMode, NewGoal, ToolStatus
from goalkeeper.core.review.assessed import Quality, Voice

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
    return kind_of(type(event)), VERSION, data


def decode(kind: str, version: int, raw: object) -> events.Event:
    """Raises Malformed when the data does not fit its kind, TooNew when we are too old."""
    fields = Fields(raw)
    known = _EVENTS if kind in _EVENTS else _seldom()
    if kind not in known:
        return events.Unknown(kind, fields.all())
    if version > VERSION:
        raise TooNew(f"{kind} v{version}")
    _, read = known[kind]
    return read(fields)


_SELDOM: dict[str, tuple[type[events.Event], Callable[[Fields], events.Event]]] = {}


def _seldom() -> dict[str, tuple[type[events.Event], Callable[[Fields], events.Event]]]:
    """Kinds that most ledgers hold none of, loaded when the first is met."""
    if not _SELDOM:
        from goalkeeper.core import drive_codec, verify_codec  # noqa: PLC0415  as above

        _SELDOM.update({**drive_codec.READERS, **verify_codec.READERS})
    return _SELDOM


def new_goal(f: Fields) -> NewGoal:
    return NewGoal(
        f.text("title", ""), f.text("objective", ""), f.texts("depends_on"),
        f.text("contract", ""),
        timing(f.inner("timing")) if f.has("timing") else None,
    )  # fmt: skip


def timing(f: Fields) -> Timing:
    return Timing(
        f.number("interval_hours", 0), f.text("hypothesis", ""), f.text("opens", ""),
        f.text("closes", ""),
    )  # fmt: skip


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
        base(f.inner("base")) if f.has("base") else None,
        f.text("gate", ""),
    )


def base(f: Fields) -> Base:
    return Base(f.text("tree"), f.text("commit", ""))


def frozen(f: Fields) -> Frozen:
    return Frozen(
        f.text("digest"), f.text("contract"), f.text("author", ""), base(f.inner("base")),
        f.text("protected", ""),
        f.texts("evidence"),
        f.texts("tools"),
    )  # fmt: skip


def _completed(f: Fields) -> events.GoalCompleted:
    judgement = read_judgement(f.inner("judgement")) if f.has("judgement") else None
    return events.GoalCompleted(
        f.text("goal_id"),
        f.text("evidence", ""),
        f.text("gate", ""),
        judgement,
        quality(f.inner("quality")) if f.has("quality") else None,
    )


def quality(f: Fields) -> Quality:
    return Quality(f.text("tree"), f.text("digest"), f.each("lanes", _voice))


def _voice(f: Fields) -> Voice:
    names = ("agent", "session", "model", "tree", "transcript", "answer")
    return Voice(f.text("role"), f.text("trust"), *(f.text(name, "") for name in names))


def _goal_judged(f: Fields) -> events.GoalJudged:
    return events.GoalJudged(
        f.text("goal_id"), f.number("iteration"), read_judgement(f.inner("judgement")),
        f.choice("decision", Decision),
    )  # fmt: skip


def _checkpointed(f: Fields) -> events.GoalCheckpointed:
    status = f.choice("status", CheckpointStatus)
    if status is CheckpointStatus.COMPLETE:
        raise Malformed("status is complete, which only goal_completed tells")
    return events.GoalCheckpointed(f.text("goal_id"), status, f.text("evidence", ""))


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

_EVENTS: dict[str, tuple[type[events.Event], Callable[[Fields], events.Event]]] = {
    "plan_created": (events.PlanCreated, _plan_created),
    "goal_started": (events.GoalStarted, lambda f: events.GoalStarted(f.text("goal_id"))),
    "goal_checkpointed": (events.GoalCheckpointed, _checkpointed),
    "contract_frozen": (
        events.ContractFrozen,
        lambda f: events.ContractFrozen(f.text("goal_id"), frozen(f.inner("frozen"))),
    ),
    "contract_amended": (
        events.ContractAmended,
        lambda f: events.ContractAmended(
            f.text("goal_id"), frozen(f.inner("frozen")), f.text("reason", "")
        ),
    ),
    "goal_judged": (events.GoalJudged, _goal_judged),
    "goal_completed": (events.GoalCompleted, _completed),
    "receipt_issued": (
        events.ReceiptIssued,
        lambda f: events.ReceiptIssued(
            f.text("kind", ""),
            f.text("goal_id", ""),
            f.text("digest", ""),
            f.text("tree", ""),
            f.text("contract", ""),
        ),
    ),
    "goal_unblocked": (
        events.GoalUnblocked,
        lambda f: events.GoalUnblocked(f.text("goal_id"), f.text("evidence", "")),
    ),
    "steering_accepted": (events.SteeringAccepted, _accepted),
    "steering_rejected": (events.SteeringRejected, _rejected),
    "review_blockers_recorded": (events.ReviewBlockersRecorded, _review_blockers),
    "blocker_classified": (events.BlockerClassified, _classified),
    "goal_tool_changed": (
        events.GoalToolChanged,
        lambda f: events.GoalToolChanged(f.choice("status", ToolStatus), f.text("objective", "")),
    ),
    "objective_migrated": (
        events.ObjectiveMigrated,
        lambda f: events.ObjectiveMigrated(f.text("old", ""), f.text("new", "")),
    ),
    "handoff_recorded": (
        events.HandoffRecorded,
        lambda f: events.HandoffRecorded(f.text("to", "")),
    ),
    "state_cleared": (events.StateCleared, lambda f: events.StateCleared(f.text("reason", ""))),
    "ledger_repaired": (
        events.LedgerRepaired,
        lambda f: events.LedgerRepaired(f.texts("actions")),
    ),
    "command_refused": (
        events.CommandRefused,
        lambda f: events.CommandRefused(
            f.text("command", ""), f.text("reason", ""), f.text("goal_id", "")
        ),
    ),
}

_KIND_OF: dict[type, str] = {shape: kind for kind, (shape, _) in _EVENTS.items()}


def kind_of(shape: type) -> str:
    if shape not in _KIND_OF:
        return next(kind for kind, (other, _) in _seldom().items() if other is shape)
    return _KIND_OF[shape]


def kinds() -> set[str]:
    """Every kind that this version knows."""
    return {*_EVENTS, *_seldom()}
