"""What a judgement says of a goal, and what is not met yet."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.app.judging import Ruling
from goalkeeper.app.queries.gate_command import suggest_gate
from goalkeeper.core.contract import advice
from goalkeeper.core.contract.criteria import CriterionStatus
from goalkeeper.core.decide import is_at_work
from goalkeeper.core.plan import gate


def show_judgement(context: JudgeContext, ruling: Ruling) -> dict[str, Any]:
    goal, judgement = ruling.goal, ruling.judgement
    is_met = gate.is_proven_by(goal, judgement)
    states = {state.id: state for state in goal.criteria}
    return {
        "ok": is_met,
        "goal_id": goal.id,
        "iteration": goal.iteration,
        "tree": judgement.tree,
        "isolation": judgement.isolation,
        "criteria": [
            {
                "id": c.id,
                "status": states[c.id].status,
                "verdict": c.verdict,
                "fail_count": states[c.id].fail_count,
                "reason": c.reason,
                "evidence": c.evidence,
                "cached": c.cached,
            }
            for c in judgement.criteria
        ],
        "findings": [finding.as_dict() for finding in judgement.findings],
        "decision": goal.decision,
        "verdict": "PASS" if is_met else "FAIL",
        "remaining": _list_remaining(context, ruling),
    }


def suggest_after(context: JudgeContext, ruling: Ruling, *, is_met: bool) -> str:
    if is_at_work(ruling.plan, context.actor):
        return "end your turn: it is proven then" if is_met else "go on; nothing was recorded"
    goal = ruling.goal
    return suggest_gate(ruling.plan, goal) if is_met else f"goalkeeper why {goal.id}"


def _list_remaining(context: JudgeContext, ruling: Ruling) -> list[dict[str, Any]]:
    """What is not met yet, as the loop hands it on."""
    found = []
    for state in ruling.goal.criteria:
        criterion = ruling.contract.find_criterion(state.id)
        if criterion is None or state.is_met:
            continue
        regressed = state.status is CriterionStatus.REGRESSED
        told: dict[str, Any] = {
            "id": state.id,
            "reason": state.reason,
            "suggested_action": advice.suggest_next_step(criterion, state),
            "fail_count": state.fail_count,
            "regression": regressed,
        }
        if regressed:
            paths = context.witness.list_changed(state.passed_tree, ruling.judgement.tree)
            told["previous_pass_iteration"] = state.passed_at
            told["files_changed_since"] = None if paths is None else list(paths)
        found.append(told)
    return found
