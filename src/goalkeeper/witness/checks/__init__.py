"""The kinds of checks, a module for those that belong together."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.contract.check_kinds import Check
    from goalkeeper.witness.check_context import Place, Seen


def carried_out(check: Check, place: Place) -> Seen:
    """What it sees there. With every answer in the cache no kind of check is ever loaded."""
    from goalkeeper.witness.checks.table import CHECKS  # noqa: PLC0415  dear

    return CHECKS[check.kind](check, place)
