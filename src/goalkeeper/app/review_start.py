"""What a review found becomes work: a plan for it, and a blocker of the goal under review."""

from __future__ import annotations

import json
from collections.abc import Sequence

from goalkeeper.app.handle import handle
from goalkeeper.app.ports import Clock, Run
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Actor, Goal, GoalStatus, Refused
from goalkeeper.core.review.assessed import Diagnostic


def make_review_brief(spec: str, contract: Contract | None) -> str:
    """`spec` is the path of what was asked for, if somebody gave it."""
    fenced = ""
    if contract is not None:
        # It becomes a goal of its own, and there is no other that it could depend on.
        plain = {name: value for name, value in contract.plain.items() if name != "depends_on"}
        fenced = f"```contract\n{json.dumps(plain)}\n```\n"
    asked = f"By {spec}." if spec else "Nobody gave a spec."
    return f"@goal: What was reviewed\n{asked}\n\n{fenced}"


def record_findings(
    run: Run, findings: Sequence[Diagnostic], *, actor: Actor, clock: Clock
) -> tuple[str, ...] | Refused:
    """The findings as one review blocker of the goal under review; the same ones only once."""
    goal = _find_goal_under_review(run, actor, clock)
    told = "; ".join(map(str, findings))
    command = commands.RecordReviewBlockers(goal.id, "Settle what the review found", told, told)
    result = handle(run, command, actor=actor, clock=clock)
    return result.refused or result.goal_ids


def _find_goal_under_review(run: Run, actor: Actor, clock: Clock) -> Goal:
    """The goal at work, or the one that waits for a review; not what was recorded against it."""
    plan = run.read()
    waiting = plan.with_status(GoalStatus.ACTIVE) + plan.with_status(GoalStatus.REVIEW_BLOCKED)
    if not waiting:
        plan = handle(run, commands.StartNext(), actor=actor, clock=clock).plan
        waiting = plan.with_status(GoalStatus.ACTIVE)
    goal = (*waiting, *plan.required_goals)[0]
    while goal.blocks:
        goal = plan.find_goal(goal.blocks) or goal.replace(blocks="")
    return goal
