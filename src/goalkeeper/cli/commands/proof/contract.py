"""`contract`: check, show, freeze, amend."""

from __future__ import annotations

import argparse
import json
from typing import Any

from goalkeeper.app.contracts import (
    ContractCheck,
    JudgeContext,
    amend,
    base_for,
    check_contract,
    contract_of,
    find_goal,
    freeze,
    read_contract,
    refuse_amendment,
)
from goalkeeper.app.handle import CommandResult
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs, options, views
from goalkeeper.cli.parsing import Parser, words
from goalkeeper.cli.reply import DONE, NO, Reply, Table, refusal
from goalkeeper.config import GATE_ISOLATIONS
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.decode import plain
from goalkeeper.core.plan import gate
from goalkeeper.core.plan.model import Actor, ActorKind, Base, Goal, Plan, Refused
from goalkeeper.wiring.judging import open_judge_context

_EXAMPLE = "goalkeeper contract {} --goal-id G001"
_NOW = "now"


def configure(parser: Parser) -> None:
    checked = parser.verb(
        "check",
        summary="Run every criterion on the base tree: can it fail? Records nothing.",
        example=_EXAMPLE.format("check"),
    )
    shown = parser.verb(
        "show", summary="Show the contract that counts.", example=_EXAMPLE.format("show")
    )
    frozen = parser.verb(
        "freeze",
        summary="Check the contract and freeze it. Only a human can change it then.",
        example=_EXAMPLE.format("freeze") + " --file contract.yaml",
    )
    amended = parser.verb(
        "amend",
        summary="Change a frozen contract, for a reason (a human's command).",
        example=_EXAMPLE.format("amend") + " --file contract.yaml --reason 'the API changed'",
    )
    for verb in (checked, shown, frozen, amended):
        options.goal(verb)
    for verb in (checked, frozen, amended):
        verb.add_argument("--file", metavar="PATH", help="a contract in YAML; default: the brief's")
        verb.add_argument(
            "--base", default="", metavar="REV|now",
            help="measure against this commit, or the tree as it is now (a human's choice)",
        )  # fmt: skip
        options.isolation(verb, GATE_ISOLATIONS)
    words(amended, "--reason", help="why it has to change")


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    goal = find_goal(plan, args.goal_id)
    if args.verb == "show":
        return _show(goal, app.actor)
    court = open_judge_context(app, chosen, args.isolation)
    contract = _contract(args, app, goal)
    if contract is None:
        return refusal(gate.no_contract(goal))
    base = _base(args, court, plan, goal)
    if isinstance(base, Refused):
        return refusal(base)
    refused = refuse_amendment(court, goal, args.reason) if args.verb == "amend" else None
    if refused:
        return refusal(refused).replace(warnings=tuple(chosen.warnings))
    checked = check_contract(court, plan, goal, contract, base)
    if args.verb == "check":
        follow = _after_check(plan, checked, args.file)
        return _checked(checked, changed=False).replace(next=follow)
    outcome = (
        freeze(court, checked) if args.verb == "freeze" else amend(court, checked, args.reason)
    )
    return _settled(checked, outcome, args.verb).replace(warnings=tuple(chosen.warnings))


def _contract(args: argparse.Namespace, app: App, goal: Goal) -> Contract | None:
    if args.file is None:
        return contract_of(goal)
    limit = inputs.BRIEF_LIMIT_BYTES
    return read_contract(inputs.text_file(app, args.file, "--file", limit_bytes=limit), args.file)


def _base(args: argparse.Namespace, court: JudgeContext, plan: Plan, goal: Goal) -> Base | Refused:
    if not args.base:
        return base_for(plan, goal)
    if court.actor.kind is not ActorKind.HUMAN and args.verb != "check":
        return gate.needs_human(goal.id, court.actor)
    return court.witness.snapshot() if args.base == _NOW else court.witness.resolve(args.base)


def _settled(checked: ContractCheck, outcome: CommandResult | Refused, verb: str) -> Reply:
    refused = outcome if isinstance(outcome, Refused) else outcome.refused
    shown = _checked(checked, changed=not isinstance(outcome, Refused) and outcome.changed)
    if refused:
        told = refusal(refused)
        page = (*shown.page, *told.page)
        return told.replace(page=page, data={**told.data, "contract": shown.data})
    said = {"freeze": "Frozen", "amend": "Amended"}[verb]
    done = f"{said}: {checked.goal.id}, contract {checked.contract.digest[:12]}."
    return shown.replace(page=(*shown.page, done), next="goalkeeper complete-goals")


def _checked(checked: ContractCheck, *, changed: bool) -> Reply:
    goal, contract, examined = checked.goal, checked.contract, checked.examined
    data = {
        "ok": checked.is_fit,
        "goal_id": goal.id,
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
    page = (
        f"{goal.id} on base tree {checked.base.tree[:12]}, isolation {examined.isolation}:",
        _rows(checked),
        *_protected(checked),
        *(f"note: {note}" for note in examined.notes),
    )
    return Reply(data, page, DONE if checked.is_fit else NO)


def _after_check(plan: Plan, checked: ContractCheck, file: str | None) -> str:
    goal, frozen = checked.goal, checked.goal.frozen
    if not checked.is_fit:
        return ""
    named = f"--goal-id {goal.id}" + (f" --file {file}" if file else "")
    if frozen is None:
        return f"goalkeeper contract freeze {named}"
    if frozen.digest != checked.contract.digest:
        return f"goalkeeper contract amend {named} --reason <why>"
    return views.proof_command(plan, goal)


def _rows(checked: ContractCheck) -> Table:
    return Table(
        ("criterion", "on base", "", "seen"),
        tuple(
            (r.criterion.id, r.look, "ok" if r.is_fit else "refused", " ".join(r.reason.split()))
            for r in checked.rows
        ),
    )


def _protected(checked: ContractCheck) -> tuple[str | Table, ...]:
    """By reason, a few of each: a suite may have thousands of files."""
    by_reason: dict[str, list[str]] = {}
    for path, why in checked.examined.protected.items():
        by_reason.setdefault(why, []).append(path)
    if not by_reason:
        return ("Nothing is protected: no tests, harness or CI files were found.",)
    rows = tuple(
        (why, str(len(paths)), ", ".join(paths[:3]) + (", ..." if len(paths) > 3 else ""))  # noqa: PLR2004
        for why, paths in sorted(by_reason.items())
    )
    free = ", ".join(checked.contract.may_change)
    freed = (f"may change: {free}",) if free else ()
    return ("Protected, as they are in base:", Table(("why", "files", "such as"), rows), *freed)


def _seen_by(actor: Actor, contract: Contract) -> dict[str, Any]:
    """An agent does not learn which files are held out, nor what is done with them."""
    if actor.kind is ActorKind.HUMAN:
        return dict(contract.plain)
    criteria = [
        {"id": c.id, "text": c.text, "held_out": True} if c.held_out else c.plain()
        for c in contract.criteria
    ]
    return {**contract.plain, "criteria": criteria}


def _show(goal: Goal, actor: Actor) -> Reply:
    contract = contract_of(goal)
    if contract is None:
        return refusal(gate.no_contract(goal))
    frozen, shown = goal.frozen, _seen_by(actor, contract)
    data = {
        "ok": True,
        "goal_id": goal.id,
        "frozen": frozen is not None,
        "digest": contract.digest,
        "author": frozen.author if frozen else "brief",
        "base": frozen.base if frozen else None,
        "contract": shown,
    }
    state = f"frozen by {frozen.author}" if frozen else "not frozen yet"
    page = (
        f"{goal.id}: contract {contract.digest[:12]}, {state}",
        json.dumps(shown, indent=2, ensure_ascii=False),
    )
    return Reply(data, page)
