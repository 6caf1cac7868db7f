"""What is known of a goal that no command settles alone."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.contracts import choose_goal
from goalkeeper.app.handle import CommandResult
from goalkeeper.app.queries.proof import suggest_completion
from goalkeeper.app.verifying import Verification
from goalkeeper.core.decode import plain


def show_verification(seen: Verification) -> dict[str, Any]:
    summary = seen.summary
    return {
        "ok": seen.is_verified,
        "goal_id": seen.goal.id,
        "tree": seen.judgement.tree,
        "checks": {
            "flags": list(summary.flags),
            "all_passed": summary.all_passed,
            "total": summary.total,
            "passed": summary.passed,
            "unevaluatable": summary.unevaluatable,
        },
        "criteria": [{"id": c.id, "verdict": c.verdict, "reason": c.reason} for c in seen.criteria],
        "findings": [plain(finding) for finding in seen.judgement.blocking_findings],
        "questions": [
            {
                "id": c.id,
                "question": c.check.main_option,
                "answered": c.id in seen.answered_criteria,
            }
            for c in seen.contract.criteria
            if c.id in summary.questions
        ],
        "needs_judgement": [name for name in summary.manual if name not in seen.answered_criteria],
        "steps": [{"step": s.stage, "state": s.state, "note": s.note} for s in seen.stages],
        "diagnostics": [plain(each) for each in seen.diagnostics],
        "overridden": list(seen.overridden),
        "uncovered": list(seen.uncovered),
    }


def show_confirmation(result: CommandResult, criterion: str) -> dict[str, Any]:
    shown = {"ok": True, "goal_id": result.goal_ids[0], "criterion": criterion}
    return {**shown, "repeated": not result.changed}


def show_settlement(result: CommandResult, said: str) -> dict[str, Any]:
    """Show how a goal was settled; `said` is what came of the hypothesis."""
    goal = choose_goal(result.plan, result.goal_ids[0])
    shown = {"ok": True, "goal_id": goal.id, "result": said, "status": goal.status}
    return {**shown, "changed": result.changed}


def suggest_after_verification(seen: Verification) -> str:
    goal = seen.goal
    if seen.is_verified:
        return suggest_completion(goal)
    if "checks_failed" in seen.summary.flags or seen.judgement.blocking_findings:
        return f"goalkeeper why {goal.id}"
    asked = [name for name in seen.summary.questions if name not in seen.answered_criteria]
    if asked:
        return f"goalkeeper verify --goal-id {goal.id} --answers FILE (goalkeeper schema answers)"
    left = [name for name in seen.summary.manual if name not in seen.answered_criteria]
    if left:
        confirm = f"goalkeeper verify --goal-id {goal.id} --criterion {left[0]} --confirm"
        return f"{confirm} --evidence <what was seen> (a human's command)"
    return f"goalkeeper why {goal.id}"
