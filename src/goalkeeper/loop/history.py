"""What earlier runs came to, as far as it matters for a drive that begins."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.app.contracts import contract_of
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.drive.state import Reason
from goalkeeper.core.plan.model import GoalStatus, Plan
from goalkeeper.loop.memory import Memory
from goalkeeper.wire.value import Value


class History(Value):
    findings: tuple[str, ...] = ()  # the user is told, and the ledger keeps it
    blocked: Mapping[
        str, str
    ] = {}  # what earlier runs saw of a criterion, by names such as G001/C1


def read_history(plan: Plan, memory: Memory, before: Plan | None) -> History:
    """Read what is known; `before` is the last run of this repository that an agent worked on."""
    blocked = {
        f"{goal.id}/{name}": text
        for goal in plan.required_goals
        if goal.status is not GoalStatus.COMPLETE
        for name, text in memory.find_blocked(contract_of(goal) or Contract()).items()
    }
    told = [f"{name} in an earlier run: {text}" for name, text in blocked.items()]
    return History((*_describe_run(before), *told), blocked)


def _describe_run(plan: Plan | None) -> tuple[str, ...]:
    """Say why the run before ended and what it left; a run that is done left nothing."""
    drive = plan.drive if plan else None
    if plan is None or drive is None or drive.ended == Reason.DONE:
        return ()
    detail = f" ({drive.detail})" if drive.detail else ""
    states = [f"{s.status} {g.id}/{s.id}" for g in plan.asked_goals for s in g.criteria]
    left = f": {', '.join(states)}" if states else ""
    return (f"run {plan.run_id} ended as {drive.ended or 'interrupted'}{detail}{left}",)
