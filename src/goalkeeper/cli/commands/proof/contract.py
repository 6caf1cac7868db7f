"""`contract`: check, show, freeze, amend."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.contract_rating import ContractRater, ContractRating, look_at_base
from goalkeeper.app.contract_runs import ContractRuns
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
from goalkeeper.app.queries.proof import (
    show_check,
    show_contract,
    show_rating,
    suggest_after_check,
)
from goalkeeper.app.trials import WitnessPort
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import GOAL_ID, ISOLATION, JSON, RUN, Option, Verb, switch
from goalkeeper.cli.pages.proof import check_page, contract_page
from goalkeeper.cli.parsing import parse_words
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.moments import DAY_SECONDS
from goalkeeper.core.plan import freezing, gate
from goalkeeper.core.plan.model import ActorKind, Base, Goal, Plan, Refused
from goalkeeper.system.scratch import make_scratch

_NOW = "now"
_FAULT_SECONDS = 120  # a fault may loop for ever
_INTO_A_BRIEF = (
    "put it under its @goal into a brief, in a ```contract fence; goalkeeper run --brief-file BRIEF"
)

_FILE = Option("--file PATH", "a contract in YAML; default: the brief's")
_BASE = Option("--base REV|now", "measure against this commit, or the tree as it is now (a "
    "human's choice)", default="")  # fmt: skip
_STABLE = switch("--stable", "run it three times, in another order, time zone and locale, too")
_REFERENCE = Option("--reference REV|now", "a solution: a branch, a commit, or the tree as it is "
    "now; all must be green there, and faults made of it be noticed", default="")  # fmt: skip
VERBS = {
    "check": Verb("Run every criterion on the base tree: can it fail? Records nothing. With --file "
        "it needs no plan: the base is the working tree then.",
        "goalkeeper contract check --file contract.yaml --stable --reference my-branch",
        RUN, JSON, GOAL_ID, _FILE, _BASE, _STABLE, _REFERENCE, ISOLATION),
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


def run_check(args: argparse.Namespace, app: App) -> Reply:
    if _needs_no_plan(args, app):
        with make_scratch("check") as evidence:
            return _check_alone(args, app, wiring.open_witness(app, evidence))
    return run(args, app)


def _needs_no_plan(args: argparse.Namespace, app: App) -> bool:
    """Return whether a contract is checked for itself: no goal is named, and none is open."""
    if not args.file or args.goal_id or args.run:
        return False
    plan = app.plan(None)
    return plan is None or not plan.is_live


def _check_alone(args: argparse.Namespace, app: App, witness: WitnessPort) -> Reply:
    contract = _read_file(args, app)
    runs = _open_runs(args, app, witness, _find_tree(witness, args.base or _NOW))
    rated = _rate_contract(args, runs, look_at_base(runs, contract))
    shown = show_rating(rated)
    return Reply(shown, check_page(shown), next=_INTO_A_BRIEF if rated.is_fit else "")


def _open_runs(
    args: argparse.Namespace, app: App, witness: WitnessPort, base: Base
) -> ContractRuns:
    return ContractRuns(
        witness, base, args.isolation, app.tell_progress, DAY_SECONDS, _FAULT_SECONDS
    )


def _rate_contract(
    args: argparse.Namespace, runs: ContractRuns, checked: ContractCheck
) -> ContractRating:
    reference = _find_tree(runs.witness, args.reference) if args.reference else None
    return ContractRater(runs, checked, reference, args.stable).rate_contract()


def _find_tree(witness: WitnessPort, named: str) -> Base:
    return witness.take_snapshot() if named == _NOW else witness.resolve_revision(named)


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
        rated = _rate_contract(args, _open_runs(args, app, context.witness, base), checked)
        shown = show_rating(rated, goal.id)
        follow = suggest_after_check(plan, goal, checked, args.file) if rated.is_fit else ""
        return Reply(shown, check_page(shown), next=follow)
    if args.verb == "freeze":
        result = freeze(context, goal, checked)
    else:
        result = amend(context, goal, checked, args.reason)
    told = _reply_to_change(goal, checked, result, args.verb)
    return told.replace(warnings=tuple(chosen.warnings))


def _tell_changed_settings(app: App, context: JudgeContext, base: Base, goal: Goal) -> None:
    """Warn where the settings of the checkout are others than those of the base, which count."""
    if wiring.read_settings(app).witness != context.witness.settings_of(base).witness:
        app.tell(
            "[witness] of config.toml was changed after the plan was made, and the base's counts; "
            f"a human may take it over: goalkeeper contract freeze --goal-id {goal.id} --base now"
        )


def _read_contract(args: argparse.Namespace, app: App, goal: Goal) -> Contract | None:
    return contract_of(goal) if args.file is None else _read_file(args, app)


def _read_file(args: argparse.Namespace, app: App) -> Contract:
    limit = inputs.BRIEF_LIMIT_BYTES
    return read_contract(inputs.text_file(app, args.file, "--file", limit_bytes=limit), args.file)


def _choose_base(
    args: argparse.Namespace, context: JudgeContext, plan: Plan, goal: Goal
) -> Base | Refused:
    if not args.base:
        return require_base(context, plan, goal)
    if context.actor.kind is not ActorKind.HUMAN and args.verb != "check":
        return freezing.refuse_amendment_by(goal.id, context.actor)
    return _find_tree(context.witness, args.base)


def _reply_to_change(
    goal: Goal, checked: ContractCheck, result: CommandResult | Refused, verb: str
) -> Reply:
    refused = result if isinstance(result, Refused) else result.refused
    shown = show_check(checked, goal.id, changed=not isinstance(result, Refused) and result.changed)
    page = check_page(shown)
    if refused:
        told = refusal(refused)
        return told.replace(page=(*page, *told.page), data={**told.data, "contract": shown})
    said = {"freeze": "Frozen", "amend": "Amended"}[verb]
    done = f"{said}: {goal.id}, contract {checked.contract.digest[:12]}."
    return Reply(shown, (*page, done), next="goalkeeper complete-goals")
