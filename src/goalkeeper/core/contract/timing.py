"""What a contract says about time. A frozen contract is read from its plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from goalkeeper.core import moments
from goalkeeper.wire.value import Value

DEFAULT_HOURS = 24


class Timing(Value):
    """The time for work on a goal: again and again, or as a hypothesis between two moments."""

    interval_hours: int = 0  # 0 means that it does not recur
    hypothesis: str = ""  # the id of the hypothesis
    opens: str = ""  # it is not started before this moment
    closes: str = ""  # after this one it may be said to have expired

    def is_over(self, at: str) -> bool:
        """Return whether the time for which a hypothesis was asked has passed."""
        return bool(self.closes) and at > self.closes


def read_timing(
    hypothesis: Mapping[str, Any] | None, recurring: Mapping[str, Any] | None
) -> Timing:
    """Read the timing that a contract asks for."""
    asked = hypothesis or {}
    hours = 0
    if recurring is not None:
        days = recurring.get("remind_days")
        hours = int(recurring.get("interval_hours") or (24 * days if days else DEFAULT_HOURS))
    return Timing(
        hours,
        str(asked.get("id") or ""),
        _read_moment(asked.get("resolves_no_earlier_than")),
        _read_moment(asked.get("resolves_by")),
    )


def read_frozen_timing(contract: str) -> Timing | None:
    """Read the timing of a contract that was frozen as JSON; any other text has none."""
    if not any(f'"{name}"' in contract for name in ("hypothesis", "recurring")):
        return None
    try:
        plain = json.loads(contract)
        hypothesis, recurring = plain.get("hypothesis"), plain.get("recurring")
        return read_timing(hypothesis, recurring) if hypothesis or recurring is not None else None
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None  # a contract that was frozen is not refused later


def _read_moment(text: str | None) -> str:
    """Read a moment; without a zone it is UTC."""
    moment = moments.parse_moment(text, without_zone=True) if text else None
    return moments.format_moment(moment) if moment else ""


def read_frozen_criteria(contract: str) -> dict[str, Any]:
    """Return what each criterion of a frozen contract says, by id; any other text says nothing."""
    try:
        return {str(said["id"]): said for said in json.loads(contract)["criteria"]}
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}  # a contract that was frozen is not refused later
