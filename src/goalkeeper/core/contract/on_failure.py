"""What follows when the witness does not prove the work on a goal."""

from __future__ import annotations

import json
from enum import StrEnum


class OnFailure(StrEnum):
    REVERT = "revert"  # what was done is thrown away, and the drive stops
    RETRY = "retry"  # the agent tries again while its budget lasts; then the drive stops
    SKIP = "skip"  # the drive goes on with the next goal
    ESCALATE = "escalate"  # the drive stops at once, and a human is asked


def read_frozen_policy(contract: str) -> OnFailure:
    """Read the policy of a contract that was frozen as JSON; without one, work is tried again."""
    if '"on_failure"' not in contract:
        return OnFailure.RETRY
    try:
        return OnFailure(json.loads(contract)["on_failure"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return OnFailure.RETRY  # a contract that was frozen is not refused later
