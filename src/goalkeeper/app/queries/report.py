"""What came of a drive: what is proven, what is not and why, and what it cost."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.contracts import contract_of
from goalkeeper.core.decode import plain
from goalkeeper.core.drive.state import Drive, Worktree
from goalkeeper.core.plan.model import Base, Goal, Plan


def show_report(plan: Plan) -> dict[str, Any]:
    drive = plan.drive
    return {
        "run_id": plan.run_id,
        "reason": drive.ended if drive else "",
        "detail": drive.detail if drive else "",
        "agent": drive.agent if drive else "",
        "began_at": drive.began_at if drive else "",
        "goals": [_show_goal(goal) for goal in plan.asked_goals],
        "spend": _show_spend(drive) if drive else {},
        "seconds": drive.milliseconds // 1000 if drive else 0,
        "branch": find_branch(plan),
        "paused_until": drive.paused_until if drive else "",
    }


def read_criterion_texts(goal: Goal) -> dict[str, str]:
    """What the criteria of a goal say, by id."""
    contract = contract_of(goal)
    return {c.id: c.text for c in contract.criteria} if contract else {}


def _show_goal(goal: Goal) -> dict[str, Any]:
    texts = read_criterion_texts(goal)
    return {
        "id": goal.id,
        "title": goal.title,
        "status": goal.status,
        "iterations": goal.iteration,
        "evidence": goal.evidence,
        "exit": goal.exit,
        "criteria": [{"text": texts.get(state.id, ""), **plain(state)} for state in goal.criteria],
        "blocking": goal.blocking,
    }


def _show_spend(drive: Drive) -> dict[str, Any]:
    spend = drive.total
    return {
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cached_tokens": spend.cached_tokens,
        "dollars": (spend.microdollars or 0) / 1e6,
        "unpriced_phases": drive.unpriced,
    }


def find_proven_work(plan: Plan) -> list[tuple[Worktree, Goal, Base]]:
    """Where proven goals were worked on, in the order of their completion, and what was proven."""
    lines = plan.drive.lines if plan.drive else ()
    places = {line.goal_id: line.worktree for line in lines}
    ordered = sorted((g for g in plan.goals if g.completed_at), key=lambda g: g.completed_at)
    return [(places[g.id], g, g.proven) for g in ordered if g.id in places and g.proven]


def find_branch(plan: Plan) -> str:
    """Of the last goal that is proven: it holds the work of all before it."""
    found = find_proven_work(plan)
    return found[-1][0].branch if found else ""


def describe_cost(drive: Drive) -> str:
    """Unknown is not nothing."""
    spend = drive.total
    dollars = f"${(spend.microdollars or 0) / 1e6:.2f}"
    known = f"at least {dollars}" if spend.microdollars else "cost unknown"
    unknown = drive.unpriced or drive.running  # what is under way costs something, too
    return f"{spend.tokens:,} tokens, {known if unknown else dollars}"
