"""The objective that a client holds for a whole plan: it points to the plan, and lists no goals."""

from __future__ import annotations

from goalkeeper.core.plan.model import GoalMode, GoalStatus, Plan


def point_to_run(run_id: str) -> str:
    run = f".goalkeeper/runs/{run_id}"
    return (
        f"Complete the durable plan in {run}/goals.json, including goals added to it later, "
        f"under the constraints of its brief; progress and proof are in {run}/ledger.jsonl."
    )


def is_legacy(plan: Plan) -> bool:
    """Return whether the objective lists goals: old plans did, and every steer made it wrong."""
    return plan.mode is GoalMode.AGGREGATE and plan.objective != point_to_run(plan.run_id)


def migrate_objective(plan: Plan) -> Plan:
    """Return the plan with the pointer as its objective; the old one stays valid as an alias."""
    if not is_legacy(plan):
        return plan
    return plan.replace(
        objective=point_to_run(plan.run_id), aliases=(*plan.aliases, plan.objective)
    )


def expected_objective(plan: Plan) -> str:
    """Return what the goal tool should hold; empty when a per-story plan has no active goal."""
    if plan.mode is GoalMode.AGGREGATE:
        return plan.objective
    return next((goal.objective for goal in plan.with_status(GoalStatus.ACTIVE)), "")


def belongs_to(plan: Plan, objective: str) -> bool:
    """Return whether a goal-tool objective speaks of this plan, and not of something else."""
    own = {plan.objective, *plan.aliases}
    if plan.mode is GoalMode.PER_STORY:
        own |= {goal.objective for goal in plan.goals}
    return objective in own
