"""When a goal may be worked on. Moments are written as the ledger writes them, so texts compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from goalkeeper.core import moments, streaks
from goalkeeper.core.model import Goal, Timing

DEFAULT_HOURS = 24


def of(hypothesis: Mapping[str, Any] | None, recurring: Mapping[str, Any] | None) -> Timing:
    """As a contract has it."""
    asked = hypothesis or {}
    return Timing(
        _interval(recurring) if recurring is not None else 0,
        str(asked.get("id") or ""),
        _moment(asked.get("resolves_no_earlier_than")),
        _moment(asked.get("resolves_by")),
    )


def of_frozen(contract: str) -> Timing | None:
    """As a contract has it that was frozen as JSON; nothing, if it is no contract."""
    try:
        plain = json.loads(contract)
        hypothesis, recurring = plain.get("hypothesis"), plain.get("recurring")
        return of(hypothesis, recurring) if hypothesis or recurring is not None else None
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None  # what was written was written


def _interval(recurring: Mapping[str, Any]) -> int:
    days = recurring.get("remind_days")
    return int(recurring.get("interval_hours") or (24 * days if days else DEFAULT_HOURS))


def _moment(text: str | None) -> str:
    """Without a zone it is UTC."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
        return moments.written(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return ""


def waits_until(goal: Goal, at: str) -> str:
    """The moment before which the goal is not started; empty when it may be."""
    timing = goal.timing
    if timing is None:
        return ""
    if timing.opens > at:
        return timing.opens
    if not goal.is_recurring or streaks.is_due(goal, at):
        return ""
    return streaks.due_at(goal)


def is_over(timing: Timing, at: str) -> bool:
    """Whether the time for which a hypothesis was asked has passed."""
    return bool(timing.closes) and at > timing.closes
