"""What a contract and a judgement say of a goal, and the command that the goal needs next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from goalkeeper.app.contracts import ContractCheck, JudgeContext
from goalkeeper.app.judging import Ruling
from goalkeeper.app.queries.next_command import suggest_drive
from goalkeeper.core.contract import advice
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.contract.cures import suggest_cure
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.decode import plain
from goalkeeper.core.plan import gate
from goalkeeper.core.plan.model import (
    STRICT,
    Actor,
    ActorKind,
    Base,
    Goal,
    GoalStatus,
    Plan,
    name_author,
)
from goalkeeper.core.plan.rights import is_at_work, is_onlooker
from goalkeeper.core.review.lane import NEEDED

if TYPE_CHECKING:  # who judges rates no contract, and answers nothing
    from goalkeeper.app.answering import LetStand
    from goalkeeper.app.contract_rating import ContractRating


def suggest_completion(goal: Goal) -> str:
    named = f"--goal-id {goal.id} --status complete"
    return f"goalkeeper checkpoint {named} --evidence <what was done>"


def suggest_proof(plan: Plan, goal: Goal) -> str:
    """Suggest what brings a goal through its gate: a judgement, reviews, then the checkpoint."""
    met = goal.iteration and all(state.is_met for state in goal.table) and not goal.blocking
    return suggest_gate(plan, goal) if met else f"goalkeeper judge --goal-id {goal.id}"


def suggest_gate(plan: Plan, goal: Goal) -> str:
    """Suggest the next step for a goal whose criteria are met."""
    asked = {lane.role for lane in goal.lanes}
    if plan.gate == STRICT and not asked.issuperset(NEEDED):
        return gate.suggest_lanes(plan, goal.id)
    return suggest_completion(goal)


def show_check(checked: ContractCheck, goal_id: str, *, changed: bool) -> dict[str, Any]:
    contract, examined = checked.contract, checked.examined
    return {
        "ok": checked.is_fit,
        "goal_id": goal_id,
        "digest": contract.digest,
        "changed": changed,
        "base": plain(checked.base),
        "isolation": examined.isolation,
        "criteria": [
            {
                "id": r.criterion.id, "look": r.look, "fit": r.is_fit, "reason": r.reason,
                "cure": suggest_cure(r),
            }
            for r in checked.rows
        ],
        "protected": examined.protected,
        "may_change": contract.may_change,
        "brings_tests": contract.brings_tests,
        "notes": examined.notes,
    }  # fmt: skip


def show_rating(rated: ContractRating, goal_id: str = "") -> dict[str, Any]:
    """Show a check with what trying the contract on more trees has added."""
    shown = show_check(rated.checked, goal_id, changed=False)
    for row in shown["criteria"]:
        found = rated.rows.get(row["id"])
        if found:
            flaw = {"rule": found.rule, "reason": found.reason} if found.rule else None
            row.update(fit=found.is_sound, flaw=flaw, noticed=found.noticed)
    notes = (*rated.checked.examined.notes, *rated.notes)
    return {
        **shown, "ok": rated.is_fit, "reference": rated.reference, "faults": rated.faults,
        "noticed": rated.noticed, "notes": notes,
    }  # fmt: skip


def suggest_after_check(plan: Plan, goal: Goal, checked: ContractCheck, file: str | None) -> str:
    frozen = goal.frozen
    if not checked.is_fit:
        return ""
    named = f"--goal-id {goal.id}" + (f" --file {file}" if file else "")
    if frozen is None:
        return f"goalkeeper contract freeze {named}"
    if frozen.digest != checked.contract.digest:
        return f"goalkeeper contract amend {named} --reason <why>"
    return suggest_proof(plan, goal)


def show_audit(
    goal: Goal, base: Base, candidate: Base, findings: Sequence[Finding]
) -> dict[str, Any]:
    return {
        "ok": not any(each.is_open for each in findings),
        "goal_id": goal.id,
        "base": plain(base),
        "tree": candidate.tree,
        "findings": [each.as_dict() for each in findings],
    }


def show_contract(plan: Plan, goal: Goal, contract: Contract, actor: Actor) -> dict[str, Any]:
    frozen = goal.frozen
    return {
        "ok": True,
        "goal_id": goal.id,
        "frozen": frozen is not None,
        "digest": contract.digest,
        "author": name_author(plan, goal),
        "base": frozen.base if frozen else None,
        "contract": _hide_held_out(actor, contract),
    }


def _hide_held_out(actor: Actor, contract: Contract) -> dict[str, Any]:
    """An agent does not learn which files are held out, nor what is done with them."""
    if actor.kind is ActorKind.HUMAN:
        return dict(contract.plain)
    criteria = [
        {"id": c.id, "text": c.text, "held_out": True} if c.held_out else c.to_plain()
        for c in contract.criteria
    ]
    return {**contract.plain, "criteria": criteria}


def show_judgement(context: JudgeContext, ruling: Ruling) -> dict[str, Any]:
    goal, judgement = ruling.goal, ruling.judgement
    is_met = gate.is_proven_by(goal, judgement)
    states = {state.id: state for state in goal.table}
    return {
        "ok": is_met,
        "goal_id": goal.id,
        "iteration": goal.iteration,
        "tree": judgement.tree,
        "isolation": judgement.isolation,
        "conditions": judgement.conditions,
        "criteria": [_show_judged(c, states[c.id]) for c in judgement.criteria],
        "standing": [_show_judged(c, states[c.id]) for c in judgement.standing],
        "findings": [finding.as_dict() for finding in judgement.findings],
        "decision": goal.decision,
        "verdict": "PASS" if is_met else "FAIL" if judgement.has_failed else "UNKNOWN",
        "remaining": _list_remaining(context, ruling),
    }


def _show_judged(judged: Judged, state: CriterionState) -> dict[str, Any]:
    return {
        "id": judged.id,
        "status": state.status,
        "verdict": judged.verdict,
        "fail_count": state.fail_count,
        "reason": judged.reason,
        "evidence": judged.evidence,
        "cached": judged.cached,
    }


def show_let_stand(answered: LetStand) -> dict[str, Any]:
    return {
        "ok": True,
        "goal_id": answered.goal.id,
        "repeated": not answered.changed,
        "findings": [finding.as_dict() for finding in answered.findings],
    }


def suggest_after_answer(context: JudgeContext, answered: LetStand) -> str:
    if is_at_work(answered.plan, context.actor):
        return "end your turn: your files are judged then"
    drive = answered.plan.drive
    line = drive.line(answered.goal.id) if drive else None
    if drive and line and line.is_under_way:
        return suggest_drive(drive)
    return suggest_proof(answered.plan, answered.goal)


def suggest_after(context: JudgeContext, ruling: Ruling, *, is_met: bool) -> str:
    if is_at_work(ruling.plan, context.actor):
        return "end your turn: it is proven then" if is_met else "go on; nothing was recorded"
    if ruling.goal.status is GoalStatus.COMPLETE:
        return "goalkeeper receipt list; nothing was recorded: the goal is complete"
    goal, drive = ruling.goal, ruling.plan.drive
    follow = suggest_gate(ruling.plan, goal) if is_met else f"goalkeeper why {goal.id}"
    if is_onlooker(ruling.plan, goal.id, ruling.judgement.tree, context.actor):
        is_over = drive and drive.ended
        ended, elsewhere = (
            "the run ended with other files than lie here",
            "it is worked on elsewhere",
        )
        why = ended if is_over else elsewhere
        return f"{follow}; nothing was recorded: {why}"
    return follow


def _list_remaining(context: JudgeContext, ruling: Ruling) -> list[dict[str, Any]]:
    """List what is not met yet, in the form that the loop passes on."""
    found = []
    for state in ruling.goal.table:
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


def describe_looks(
    goal: Goal, read_kept: Callable[[str], Mapping[str, Any] | None]
) -> dict[str, Any]:
    """Describe, for every criterion, what was run for its last verdict and which probes looked."""
    told = []
    for state in goal.criteria:
        kept = (read_kept(state.evidence) if state.evidence else None) or {}
        runs = [run["facts"]["side"] for run in kept.get("runs", ())]
        told.append(
            {
                "id": state.id,
                "status": state.status,
                "reason": state.reason,
                "runs": list(dict.fromkeys(runs)),
                "probes": list(kept.get("probes", ())),
            }
        )
    return {"ok": True, "goal_id": goal.id, "criteria": told}
