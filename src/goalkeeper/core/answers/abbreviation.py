"""An obligation cut short: allowed on grounds that the record bears out, and on no others."""

from __future__ import annotations

from goalkeeper.core.drive import context as drive_context
from goalkeeper.core.drive.context import ContextUse, Zone
from goalkeeper.core.plan.model import Goal, Refused

ROUTINE, TIGHT = "outcome routine", "zone tight"
CONDITIONS = (ROUTINE, TIGHT)
REASON = "abbreviation-untrue"


def refuse_untrue(
    goal: Goal, step: str, condition: str, context: ContextUse | None
) -> Refused | None:
    """Why the claim does not hold; None when it does."""
    why = _not_routine(goal) if condition == ROUTINE else _not_tight(condition, context)
    if not why:
        return None
    said = f"{step} of {goal.id} cannot be cut short by '{condition}': {why}."
    hint = f"answer {step} in full (goalkeeper schema answers)"
    return Refused(REASON, said, hint, {"goal_id": goal.id, "step": step, "why": why})


def _not_routine(goal: Goal) -> str:
    """Routine is what was done before, by the same contract."""
    if not goal.is_recurring:
        return "the goal does not recur"
    if goal.streak is None:
        return "no cycle of it was achieved yet"
    same = goal.frozen is not None and goal.streak.contract == goal.frozen.digest
    return "" if same else "the last cycle was achieved by another contract"


def _not_tight(condition: str, context: ContextUse | None) -> str:
    if condition != TIGHT:
        return f"the conditions are {', '.join(CONDITIONS)}"
    if context is None:
        return "goalkeeper has no record of the context"
    seen = drive_context.find_zone(context)
    if seen is None:
        return "the record of the context names no limit"
    return "" if seen is Zone.TIGHT else f"the record says zone {seen}"
