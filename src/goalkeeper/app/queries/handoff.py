"""The goal that is handed over, or what keeps the next goal from being started."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.queries.next_command import suggest_next
from goalkeeper.app.queries.status import explain_goal
from goalkeeper.core.plan import gate, goal_tool, graph, objective
from goalkeeper.core.plan.model import STRICT, Goal, GoalMode, GoalStatus, Plan, ToolStatus


def show_next_goal(plan: Plan, goal: Goal | None, at: str) -> dict[str, Any]:
    """Show the goal that was started, or if `goal` is None, what keeps the next one back."""
    waiting = _find_blocked(plan, at)
    failed = [g.id for g in plan.with_status(GoalStatus.FAILED)]
    shown: dict[str, Any] = {
        "all_complete": plan.is_complete,
        "next_action": graph.next_action(plan, at),
        "objective": objective.expected_objective(plan) or None,
    }
    if goal:
        shown |= {"goal_id": goal.id, "goal_status": goal.status, "handoff": _hand_over(plan, goal)}
    elif waiting:
        shown |= {
            "blocked_goals": [
                {"id": g.id, "status": g.status, "evidence": g.evidence} for g in waiting
            ],
            "blocked_goal_ids": [g.id for g in waiting],
            "recovery_hints": [suggest_next(plan, at)],
        }
    early = graph.waiting_for_time(plan, at)
    if early and not goal:
        shown["not_before"] = {g.id: graph.not_before(g, at) for g in early}
    return shown | ({"failed_goal_ids": failed} if failed else {})


def _hand_over(plan: Plan, goal: Goal) -> dict[str, Any]:
    is_story = plan.mode is GoalMode.PER_STORY
    checkpoint = f"goalkeeper checkpoint --goal-id {goal.id} --status"
    before = [plan.find_goal(name) for name in goal.depends_on]
    output = graph.list_predecessor_evidence(plan, goal)
    return {
        "title": goal.title,
        "objective": goal.objective,
        "attempt": goal.attempts,
        "constraints": plan.constraints,
        "contract": goal.contract,
        "predecessors": [{"goal_id": g.id, "evidence": g.evidence} for g in before if g],
        **({"predecessor_output": output} if output else {}),
        "commands": [
            *_list_tool_commands(plan, goal),
            *_list_proof_commands(plan, goal),
            f"{checkpoint} complete --evidence <what proves it>",
            *(["goalkeeper goal complete  # after that"] if is_story else []),
            f"{checkpoint} failed --evidence <what went wrong>",
            f"{checkpoint} blocked --evidence <what is in the way>",
        ],
    }


def _list_tool_commands(plan: Plan, goal: Goal) -> list[str]:
    """List what makes the goal tool hold the goal: of each story alone, or once for the plan."""
    other = goal_tool.find_other_story(plan, goal)
    if other:
        return [goal_tool.suggest_release(other), "goalkeeper goal create"]
    return [] if plan.tool.status is ToolStatus.ACTIVE else ["goalkeeper goal create"]


def _list_proof_commands(plan: Plan, goal: Goal) -> list[str]:
    """List what a goal needs before its checkpoint: a contract, and if it is strict, reviews."""
    named = f"--goal-id {goal.id}"
    is_bare = not goal.contract and goal.frozen is None
    freeze = [f"goalkeeper contract freeze {named} --file contract.yaml"] if is_bare else []
    reviews = [f"goalkeeper judge {named}", gate.suggest_lanes(plan, goal.id)]
    return [*freeze, *(reviews if plan.gate == STRICT else [])]


def explain_standstill(plan: Plan, at: str) -> str:
    """Say why no goal was started."""
    match graph.next_action(plan, at):
        case graph.NextAction.NONE:
            return "All goals are complete."
        case graph.NextAction.RETRY_FAILED:
            failed = ", ".join(g.id for g in plan.with_status(GoalStatus.FAILED))
            return f"Nothing is left to start; failed: {failed}."
        case graph.NextAction.WAIT:
            early = [
                f"{g.id} {explain_goal(plan, g, at)}" for g in graph.waiting_for_time(plan, at)
            ]
            return f"Nothing may be started yet: {'; '.join(early)}."
        case _:
            waiting = [
                f"{g.id} ({g.status}) {explain_goal(plan, g, at)}" for g in _find_blocked(plan, at)
            ]
            return "Blocked: " + "; ".join(waiting)


def _find_blocked(plan: Plan, at: str) -> tuple[Goal, ...]:
    """Find the goals that are in the way; at a dead end they expired, and others wait for them."""
    blocked = plan.with_status(GoalStatus.BLOCKED) + plan.with_status(GoalStatus.REVIEW_BLOCKED)
    if blocked or graph.next_action(plan, at) is not graph.NextAction.RESOLVE_BLOCKERS:
        return blocked
    return plan.with_status(GoalStatus.EXPIRED) + plan.with_status(GoalStatus.PENDING)
