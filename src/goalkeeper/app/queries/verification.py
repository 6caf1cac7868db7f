"""What is known of a goal that no command settles alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.app.contracts import JudgeContext, base_for, choose_goal, contract_of
from goalkeeper.app.handle import CommandResult
from goalkeeper.app.queries.proof import suggest_completion
from goalkeeper.app.queries.why import show_answered
from goalkeeper.app.stored_answers import list_stored
from goalkeeper.app.verifying import Verification, refuse_no_question, refuse_unasked
from goalkeeper.core.answers.template import Background, make_template
from goalkeeper.core.decode import plain
from goalkeeper.core.plan.model import Goal, Refused

_MOST_MISSING = 5


def show_verification(seen: Verification, known: Background) -> dict[str, Any]:
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
        "findings": [plain(finding) for finding in seen.judgement.open_findings],
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
        "stored": [each for each in show_answered(seen.goal) if each["step"] in seen.stored],
        "failed_before": list(seen.goal.failed_answers),
        "lessons": list(known.lessons),
        "missing_criteria": list(known.missing_criteria),
        "left_to_user": list(seen.goal.left_to_user),
    }


def show_template(context: JudgeContext, goal: Goal, known: Background) -> dict[str, Any] | Refused:
    """Show a file of answers for a goal, ready to be filled in."""
    contract = contract_of(goal)
    if contract is None:
        return refuse_no_question(goal)
    if not any(c.check.kind == "question" for c in contract.criteria):
        return refuse_unasked(goal)
    base, now = base_for(context.run.read(), goal), context.witness.take_snapshot()
    changed = context.witness.list_changed(base.tree, now.tree) or ()
    filled = known.replace(changed=changed, stored=list_stored(context, goal, contract, now))
    return {"ok": True, "goal_id": goal.id, "template": make_template(goal, contract, filled)}


def find_missing_criteria(
    rows: Sequence[Mapping[str, Any]], run_id: str, goal: Goal
) -> tuple[str, ...]:
    """Find what checklists found wrong with this goal, or with another of the same title."""
    found = [
        str(item)
        for row in rows
        if row.get("title") == goal.title
        or (row.get("run_id"), row.get("goal_id")) == (run_id, goal.id)
        for item in row.get("items") or ()
    ]
    return tuple(dict.fromkeys(found))[-_MOST_MISSING:]


def show_confirmation(result: CommandResult, criterion: str) -> dict[str, Any]:
    shown = {"ok": True, "goal_id": result.goal_ids[0], "criterion": criterion}
    return {**shown, "repeated": not result.changed}


def show_settlement(result: CommandResult, said: str) -> dict[str, Any]:
    """Show how a goal was settled; `said` is what came of the hypothesis."""
    goal = choose_goal(result.plan, result.goal_ids[0])
    shown = {"ok": True, "goal_id": goal.id, "result": said, "status": goal.status}
    return {**shown, "asked_again_at": goal.waits_until or None, "changed": result.changed}


def suggest_after_verification(seen: Verification) -> str:
    goal = seen.goal
    if seen.is_verified:
        return suggest_completion(goal)
    if "checks_failed" in seen.summary.flags or seen.judgement.open_findings:
        return f"goalkeeper why {goal.id}"
    asked = [name for name in seen.summary.questions if name not in seen.answered_criteria]
    if asked:
        return f"goalkeeper verify --template {goal.id} > FILE, fill it in, then --answers FILE"
    left = [name for name in seen.summary.manual if name not in seen.answered_criteria]
    if left:
        confirm = f"goalkeeper verify --goal-id {goal.id} --criterion {left[0]} --confirm"
        return f"{confirm} --evidence <what was seen> (a human's command)"
    return f"goalkeeper why {goal.id}"
