"""What a contract says, and what its criteria show on the base tree."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.contracts import ContractCheck
from goalkeeper.app.queries.gate_command import suggest_proof
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.decode import plain
from goalkeeper.core.plan.model import Actor, ActorKind, Goal, Plan


def show_check(checked: ContractCheck, *, changed: bool) -> dict[str, Any]:
    contract, examined = checked.contract, checked.examined
    return {
        "ok": checked.is_fit,
        "goal_id": checked.goal.id,
        "digest": contract.digest,
        "changed": changed,
        "base": plain(checked.base),
        "isolation": examined.isolation,
        "criteria": [
            {"id": r.criterion.id, "look": r.look, "fit": r.is_fit, "reason": r.reason}
            for r in checked.rows
        ],
        "protected": examined.protected,
        "may_change": contract.may_change,
        "notes": examined.notes,
    }


def suggest_after_check(plan: Plan, checked: ContractCheck, file: str | None) -> str:
    goal, frozen = checked.goal, checked.goal.frozen
    if not checked.is_fit:
        return ""
    named = f"--goal-id {goal.id}" + (f" --file {file}" if file else "")
    if frozen is None:
        return f"goalkeeper contract freeze {named}"
    if frozen.digest != checked.contract.digest:
        return f"goalkeeper contract amend {named} --reason <why>"
    return suggest_proof(plan, goal)


def show_contract(goal: Goal, contract: Contract, actor: Actor) -> dict[str, Any]:
    frozen = goal.frozen
    return {
        "ok": True,
        "goal_id": goal.id,
        "frozen": frozen is not None,
        "digest": contract.digest,
        "author": frozen.author if frozen else "brief",
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
