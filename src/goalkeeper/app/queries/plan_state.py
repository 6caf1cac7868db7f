"""Where a plan and its goals stand, and why."""

from __future__ import annotations

from goalkeeper.core.contract.criteria import CriterionStatus
from goalkeeper.core.plan import graph
from goalkeeper.core.plan.model import Classification, Goal, GoalStatus, Plan


def summarize_plan(plan: Plan, at: str) -> str:
    """One word for the whole plan."""
    if plan.closed:
        return "closed"
    if plan.is_complete:
        return "complete"
    if plan.handoff:
        return "handoff"
    for status in (GoalStatus.ACTIVE, GoalStatus.FAILED):
        if plan.with_status(status):
            return str(status)
    if graph.next_goal(plan, retry_failed=False, at=at):
        return "pending"
    return "waiting" if graph.waiting_for_time(plan, at) else "blocked"


def count_goals(plan: Plan) -> dict[str, int]:
    return {status: len(plan.with_status(status)) for status in GoalStatus}


def explain_goal(plan: Plan, goal: Goal, at: str) -> str:
    """Why the goal is not complete, in a few words."""
    match goal.status:
        case GoalStatus.COMPLETE:
            return ""
        case GoalStatus.EXPIRED:
            return goal.evidence
        case GoalStatus.SUPERSEDED:
            by = ", ".join(goal.superseded_by)
            return f"replaced by {by}" if by else f"no longer required: {goal.evidence}"
        case GoalStatus.REVIEW_BLOCKED:
            return "waits for " + ", ".join(g.id for g in plan.goals if g.blocks == goal.id)
        case GoalStatus.PENDING:
            return _explain_wait(plan, goal, at)
        case GoalStatus.ACTIVE:
            return f"attempt {goal.attempts}, {_measure_proof(goal)}"
        case GoalStatus.FAILED | GoalStatus.BLOCKED:
            human = (
                "only a human can act: "
                if goal.classification == Classification.HUMAN_BLOCKED
                else ""
            )
            return human + goal.evidence


def _explain_wait(plan: Plan, goal: Goal, at: str) -> str:
    waits = [name for name in goal.depends_on if not graph.is_satisfied(plan, name)]
    if waits:
        dead = [f"{before.id} is {before.status}" for before in graph.dead_ends(plan, goal)]
        end = f" (DEAD END: {', '.join(dead)})" if dead else ""
        return "waits for " + ", ".join(waits) + end
    early = graph.not_before(goal, at)
    if early:
        what = "next due" if goal.is_recurring and goal.streak else "not before"
        return f"{what} {early[:16].replace('T', ' ')} UTC"
    if goal.blocks:
        return f"settles {goal.blocks}"
    return "due" if goal.is_recurring else "not started"


def _measure_proof(goal: Goal) -> str:
    """How far the active goal is, by its criteria."""
    if not goal.iteration:
        return "not proven yet" if goal.frozen or goal.contract else "no contract yet"
    met = sum(state.status is CriterionStatus.PASS for state in goal.criteria)
    against = f", blocking findings: {goal.blocking}" if goal.blocking else ""
    return f"{met} of {len(goal.criteria)} criteria met{against}"
