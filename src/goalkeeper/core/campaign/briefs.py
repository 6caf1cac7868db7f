"""A brief becomes a master plan: each goal is a session of one step, with the goal's contract."""

from __future__ import annotations

import re

from goalkeeper.core.campaign.plan import PLAN_VERSION, MasterPlan, PlannedSession, PlannedStep
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.plan import ids
from goalkeeper.core.plan.brief import Brief, parse_brief
from goalkeeper.core.plan.model import NewGoal
from goalkeeper.core.problems import Problem
from goalkeeper.wire.pattern import late_pattern

_GOAL = late_pattern(r"^@goal(?:[:\s]|$)", re.MULTILINE)


def has_goals(text: str) -> bool:
    """Return whether a text is a brief with goals, and no master plan."""
    return _GOAL.search(text) is not None


def read_goals(text: str, path: str) -> MasterPlan | tuple[Problem, ...]:
    """Read a brief as a plan whose sessions are its goals."""
    brief = parse_brief(text)
    if not isinstance(brief, Brief):
        return brief
    bare = [goal.title for goal in brief.goals if not goal.contract]
    if bare:
        said = "has no contract, and nothing can land without one"
        return tuple(Problem(f"goal '{title}'", said) for title in bare)
    names = {ids.goal_id(n): f"S{n:02d}" for n in range(1, len(brief.goals) + 1)}
    sessions = tuple(
        _make_session(f"S{n:02d}", goal, names) for n, goal in enumerate(brief.goals, 1)
    )
    title = brief.goals[0].title if len(sessions) == 1 else f"{len(sessions)} goals"
    return MasterPlan(path, title, PLAN_VERSION, brief.constraints, sessions=sessions)


def _make_session(session_id: str, goal: NewGoal, names: dict[str, str]) -> PlannedSession:
    read = read_text(goal.contract)
    contract = read if isinstance(read, Contract) else Contract()
    step = PlannedStep(
        1, goal.title, contract.touch, goal.objective, contract=goal.contract,
        checkpoint=contract.checkpoint,
    )  # fmt: skip
    return PlannedSession(
        session_id,
        goal.title,
        (step,),
        depends_on=tuple(names[each] for each in goal.depends_on),
        touch=contract.touch,
        never=contract.never,
    )
