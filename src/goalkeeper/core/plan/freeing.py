"""Which contracts may free protected files, and for whom."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence

from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.core.plan.model import (
    AGENT,
    EXAMINER,
    HUMAN,
    SELF_WRITTEN,
    Goal,
    Plan,
    Refused,
    name_author,
)


def refuse_freeing(goal: Goal, paths: Sequence[str], known: Collection[str]) -> Refused | None:
    """Say why an agent's own contract may not free these paths; `known` are files of the base.

    It may free tests that it is going to write; what others wrote, and what decides how tests run,
    is not its to free.
    """
    bad = [path for path in paths if _is_others(path, known)]
    if not bad:
        return None
    said = f"A contract that an agent writes for itself cannot free {', '.join(bad[:3])}."
    hint = "name new test files one by one in may_change, or ask a human to freeze it"
    return Refused("freeing-needs-human", said, hint, {"goal_id": goal.id, "paths": bad})


def _is_others(path: str, known: Collection[str]) -> bool:
    """Return whether a path is more than one new file of tests or of their data."""
    is_plain = posixpath.normpath(path) == path and not {*path} & {*"*?[!:"}
    name = path.rpartition("/")[2]
    if not is_plain or "." not in name or role_of_path(path) not in {Role.TEST, Role.DATA}:
        return True
    return any(each == path or each.startswith(f"{path}/") for each in known)


def keeps_tests(plan: Plan, goal: Goal) -> bool:
    """Return whether an agent wrote the contract for itself in a plan that somebody else made.

    Its work may bring new tests; those of the base are not its to change.
    """
    return plan.author != AGENT and name_author(plan, goal) == SELF_WRITTEN


def is_freed_for(judged: Plan, plan: Plan, goal: Goal) -> bool:
    """Return whether what a goal of one plan was free to change counts for another plan.

    It does if a human freed it, or if agents made both plans.
    """
    is_agents = judged.author == plan.author == AGENT
    return is_agents or name_author(plan, goal) in {HUMAN, EXAMINER}
