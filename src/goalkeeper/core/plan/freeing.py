"""Which contracts may free protected files, and for whom."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.core.plan.model import AGENT, EXAMINER, HUMAN, Goal, Plan, Refused, name_author


def refuse_freeing(goal: Goal, paths: Sequence[str], known: Collection[str]) -> Refused | None:
    """Say why an agent's own contract may not free these paths; `known` are files of the base.

    It may free tests that it is going to write; what others wrote, and what decides how tests run,
    is not its to free.
    """
    free = [p for p in paths if role_of_path(p) in {Role.TEST, Role.DATA} and not {*p} & {*"*?[!"}]
    bad = [path for path in paths if path in known or path not in free]
    if not bad:
        return None
    said = f"A contract that an agent writes for itself cannot free {', '.join(bad[:3])}."
    hint = "name new test files one by one in may_change, or ask a human to freeze it"
    return Refused("freeing-needs-human", said, hint, {"goal_id": goal.id, "paths": bad})


def is_freed_for(judged: Plan, plan: Plan, goal: Goal) -> bool:
    """Return whether what a goal of one plan was free to change counts for another plan.

    It does if a human freed it, or if agents made both plans.
    """
    is_agents = judged.author == plan.author == AGENT
    return is_agents or name_author(plan, goal) in {HUMAN, EXAMINER}
