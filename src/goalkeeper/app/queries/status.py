"""The state of a plan and its goals, and the reasons for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from goalkeeper.core.contract.criteria import CriterionStatus
from goalkeeper.core.decode import plain
from goalkeeper.core.moments import shorten_moment
from goalkeeper.core.plan import graph
from goalkeeper.core.plan.model import UNKNOWN, Classification, Goal, GoalStatus, Plan, name_author

if TYPE_CHECKING:  # most plans are driven by nobody
    from goalkeeper.core.drive.artifacts import ArtifactGate


def summarize_plan(plan: Plan, at: str) -> str:
    """Return one word for the whole plan."""
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
    """Say in a few words why the goal is not complete."""
    match goal.status:
        case GoalStatus.COMPLETE:
            return describe_left(goal)
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
        return f"{what} {shorten_moment(early)} UTC"
    if goal.blocks:
        return f"settles {goal.blocks}"
    return "due" if goal.is_recurring else "not started"


def describe_left(goal: Goal) -> str:
    """Say what is left to the user of a goal whose agent has done its own part."""
    left = "; ".join(goal.left_to_user)
    return f"open for the user: {left}" if left else ""


def _measure_proof(goal: Goal) -> str:
    """Say how many criteria of the active goal are met."""
    if not goal.iteration:
        return "not proven yet" if goal.frozen or goal.contract else "no contract yet"
    met = sum(state.status is CriterionStatus.PASS for state in goal.criteria)
    against = f", blocking findings: {goal.blocking}" if goal.blocking else ""
    broken = [state.id for state in goal.standing if not state.is_met]
    against += f", breaks {', '.join(broken)}" if broken else ""
    return f"{met} of {len(goal.criteria)} criteria met{against}"


def show_plan(plan: Plan, at: str, *, root: str, paths: Mapping[str, str]) -> dict[str, Any]:
    current = next(iter(plan.with_status(GoalStatus.ACTIVE)), None)
    return {
        "ok": True,
        "exists": True,
        "status": summarize_plan(plan, at),
        "run_id": plan.run_id,
        "root": root,
        "paths": dict(paths),
        "goal_mode": plan.mode,
        "objective": plan.objective,
        "author": plan.author or UNKNOWN,
        "next_action": graph.next_action(plan, at),
        "current_goal": _show_goal(plan, current, at) if current else None,
        "counts": count_goals(plan),
        "goal_tool": plan.tool,
        "handoff": plan.handoff or None,
        "drive": _show_drive(plan),
        "goals": [_show_goal(plan, goal, at) for goal in plan.goals],
    }


def show_no_plan(said: str, hint: str) -> dict[str, Any]:
    return {"ok": True, "exists": False, "status": "missing", "message": said, "hint": hint}


def _show_drive(plan: Plan) -> dict[str, Any] | None:
    if plan.drive is None:
        return None
    drive = plan.drive
    return {
        "agent": drive.agent,
        "running": plain(drive.running[0]) if drive.running else None,
        "paused_until": drive.paused_until or None,
        "ended": drive.ended or None,
        "detail": drive.detail,
        "artifact_gates": {
            line.goal_id: show_gate(line.closed_gate) for line in drive.lines if line.closed_gate
        },
    }


def show_gate(gate: ArtifactGate) -> dict[str, Any]:
    told = {"missing": list(gate.missing), "remediation": gate.remediation}
    return {"ok": gate.ok, **plain(gate), **told}


def _show_goal(plan: Plan, goal: Goal, at: str) -> dict[str, Any]:
    told: dict[str, Any] = {**plain(goal), "title": goal.title, "objective": goal.objective}
    frozen = told.pop("frozen", None)
    digest = {"contract_digest": frozen["digest"]} if frozen else {}
    by = {"contract_by": name_author(plan, goal)}
    return {**told, **digest, **by, "why": explain_goal(plan, goal, at)}
