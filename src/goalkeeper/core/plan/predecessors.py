"""What goals that came first hand on to those that depend on them. A projection of the plan."""

from __future__ import annotations

from goalkeeper.core.plan.graph import is_satisfied
from goalkeeper.core.plan.model import Goal, Plan

HEADING = "## Predecessor Output"


def list_predecessor_evidence(plan: Plan, goal: Goal) -> str:
    """The evidence of every goal that this one depends on and that is settled, each once."""
    blocks = [
        f"{HEADING} ({before.id})\n{_kept_apart(before.evidence)}"
        for before in _find_predecessors(plan, goal)
        if before.evidence and is_satisfied(plan, before.id)
    ]
    return "\n\n".join(blocks)


def _find_predecessors(plan: Plan, goal: Goal) -> list[Goal]:
    """In the order of their ids in the contract; one that was split, by its parts."""
    found: dict[str, Goal] = {}
    waiting = list(goal.depends_on)
    while waiting:
        before = plan.find_goal(waiting.pop(0))
        if before and before.id not in found:
            found[before.id] = before
            waiting = [*before.superseded_by, *waiting]
    return list(found.values())


def _kept_apart(evidence: str) -> str:
    """What somebody wrote is no heading of ours."""
    lines = evidence.splitlines()
    return "\n".join(f" {line}" if line.startswith(HEADING) else line for line in lines)
