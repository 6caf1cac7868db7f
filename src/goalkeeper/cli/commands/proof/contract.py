"""`contract`: check, show, freeze, amend."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.contracts import (
    ContractCheck,
    JudgeContext,
    amend,
    check_contract,
    choose_goal,
    contract_of,
    freeze,
    read_contract,
    refuse_amendment,
    require_base,
)
from goalkeeper.app.handle import CommandResult
from goalkeeper.app.queries.proof import show_check, show_contract, suggest_after_check
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import GOAL_ID, ISOLATION, JSON, RUN, Option, Verb
from goalkeeper.cli.pages.proof import check_page, contract_page
from goalkeeper.cli.parsing import parse_words
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan import freezing, gate
from goalkeeper.core.plan.model import ActorKind, Base, Goal, Plan, Refused

_FILE = Option("--file PATH", "a contract in YAML; default: the brief's")
_BASE = Option("--base REV|now", "measure against this commit, or the tree as it is now (a "
    "human's choice)", default="")  # fmt: skip
VERBS = {
    "check": Verb("Run every criterion on the base tree: can it fail? Records nothing.",
        "goalkeeper contract check --goal-id G001", RUN, JSON, GOAL_ID, _FILE, _BASE, ISOLATION),
    "show": Verb("Show the contract that counts.", "goalkeeper contract show --goal-id G001",
        RUN, JSON, GOAL_ID),
    "freeze": Verb("Check the contract and freeze it. Only a human can change it then.",
        "goalkeeper contract freeze --goal-id G001 --file contract.yaml",
        RUN, JSON, GOAL_ID, _FILE, _BASE, ISOLATION),
    "amend": Verb("Change a frozen contract, for a reason (a human's command).",
        "goalkeeper contract amend --goal-id G001 --file contract.yaml --reason 'the API changed'",
        RUN, JSON, GOAL_ID, _FILE, _BASE, ISOLATION,
        Option("--reason TEXT", "why it has to change", type=parse_words, required=True)),
}  # fmt: skip


def run_show(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    goal = choose_goal(plan, args.goal_id)
    contract = contract_of(goal)
    if contract is None:
        return refusal(gate.refuse_no_contract(goal))
    shown = show_contract(plan, goal, contract, app.actor)
    return Reply(shown, contract_page(shown))


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    goal = choose_goal(plan, args.goal_id)
    context = wiring.open_judge_context(app, chosen, args.isolation)
    contract = _read_contract(args, app, goal)
    if contract is None:
        return refusal(gate.refuse_no_contract(goal))
    base = _choose_base(args, context, plan, goal)
    if isinstance(base, Refused):
        return refusal(base)
    refused = refuse_amendment(context, goal, args.reason) if args.verb == "amend" else None
    if refused:
        return refusal(refused).replace(warnings=tuple(chosen.warnings))
    _tell_changed_settings(app, context, base, goal)
    checked = check_contract(context, plan, goal, contract, base)
    if args.verb == "check":
        shown = show_check(checked, changed=False)
        follow = suggest_after_check(plan, checked, args.file)
        return Reply(shown, check_page(shown), next=follow)
    if args.verb == "freeze":
        result = freeze(context, checked)
    else:
        result = amend(context, checked, args.reason)
    return _reply_to_change(checked, result, args.verb).replace(warnings=tuple(chosen.warnings))


def _tell_changed_settings(app: App, context: JudgeContext, base: Base, goal: Goal) -> None:
    """Warn where the settings of the checkout are others than those of the base, which count."""
    if wiring.read_settings(app).witness != context.witness.settings_of(base).witness:
        app.tell(
            "[witness] of config.toml was changed after the plan was made, and the base's counts; "
            f"a human may take it over: goalkeeper contract freeze --goal-id {goal.id} --base now"
        )


def _read_contract(args: argparse.Namespace, app: App, goal: Goal) -> Contract | None:
    if args.file is None:
        return contract_of(goal)
    limit = inputs.BRIEF_LIMIT_BYTES
    return read_contract(inputs.text_file(app, args.file, "--file", limit_bytes=limit), args.file)


def _choose_base(
    args: argparse.Namespace, context: JudgeContext, plan: Plan, goal: Goal
) -> Base | Refused:
    if not args.base:
        return require_base(context, plan, goal)
    if context.actor.kind is not ActorKind.HUMAN and args.verb != "check":
        return freezing.refuse_amendment_by(goal.id, context.actor)
    if args.base == "now":
        return context.witness.take_snapshot()
    return context.witness.resolve_revision(args.base)


def _reply_to_change(checked: ContractCheck, result: CommandResult | Refused, verb: str) -> Reply:
    refused = result if isinstance(result, Refused) else result.refused
    shown = show_check(checked, changed=not isinstance(result, Refused) and result.changed)
    page = check_page(shown)
    if refused:
        told = refusal(refused)
        return told.replace(page=(*page, *told.page), data={**told.data, "contract": shown})
    said = {"freeze": "Frozen", "amend": "Amended"}[verb]
    done = f"{said}: {checked.goal.id}, contract {checked.contract.digest[:12]}."
    return Reply(shown, (*page, done), next="goalkeeper complete-goals")
