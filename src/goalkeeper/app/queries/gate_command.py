"""The command that brings a goal through its gate."""

from __future__ import annotations

from goalkeeper.core.drive.lane import NEEDED
from goalkeeper.core.plan.gate import STRICT
from goalkeeper.core.plan.model import Goal, Plan


def suggest_completion(goal: Goal) -> str:
    named = f"--goal-id {goal.id} --status complete"
    return f"goalkeeper checkpoint {named} --evidence <what was done>"


def suggest_proof(plan: Plan, goal: Goal) -> str:
    """What brings a goal through its gate: a judgement, reviews, and then the checkpoint."""
    met = goal.iteration and all(state.is_met for state in goal.criteria) and not goal.blocking
    return suggest_gate(plan, goal) if met else f"goalkeeper judge --goal-id {goal.id}"


def suggest_gate(plan: Plan, goal: Goal) -> str:
    """For a goal whose criteria are met."""
    asked = {lane.role for lane in goal.lanes}
    if plan.gate == STRICT and not asked.issuperset(NEEDED):
        return f"goalkeeper lanes run --goal-id {goal.id}"
    return suggest_completion(goal)
