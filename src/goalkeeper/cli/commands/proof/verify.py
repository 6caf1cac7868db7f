"""`verify`: settle a goal that no command settles alone."""

from __future__ import annotations

import argparse
import json

from goalkeeper import wiring
from goalkeeper.app.contracts import choose_goal, contract_of
from goalkeeper.app.queries.next_command import suggest_next
from goalkeeper.app.queries.verification import (
    find_missing_criteria,
    show_confirmation,
    show_settlement,
    show_template,
    show_verification,
    suggest_after_verification,
)
from goalkeeper.app.verifying import Verification, confirm, settle, verify
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import ANY_ISOLATION, EVIDENCE, GOAL_ID, JSON, RUN, Option, switch
from goalkeeper.cli.pages.proof import missing_criteria_page, verification_page
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.answers import document as shape
from goalkeeper.core.answers.document import Answers
from goalkeeper.core.answers.procedure import StageResult
from goalkeeper.core.answers.template import Background
from goalkeeper.core.moments import shorten_moment
from goalkeeper.core.plan.model import Goal, Refused
from goalkeeper.errors import AnswersInvalid, GoalkeeperError, UsageError
from goalkeeper.storage.run import FileRun
from goalkeeper.wire.canonical import digest

ANSWERS_LIMIT_BYTES = 256 << 10
OPTIONS = (
    GOAL_ID,
    Option("--template GOAL", "print a file of answers for the goal, ready to be filled in",
        nargs="?", const=""),
    Option("--answers FILE|-", "answers as JSON; what was answered before need not be sent again"),
    Option("--result", "what came of a hypothesis; EXPIRED only after its resolves_by, "
        "PENDING puts it off",
        choices=StageResult, default=""),
    Option("--criterion ID", "with --confirm: a manual criterion, or one with a part for the user",
        default=""),
    switch("--confirm", "it is so (a human's word)"),
    EVIDENCE.replace(required=False, help="with --confirm: what was seen"),
    switch("--missing-criteria", "list what checklists found wrong and no contract asked for"),
    ANY_ISOLATION, RUN, JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    _check_options(args)
    if args.missing_criteria:
        rows = wiring.open_missing_criteria(app).read_rows()
        return Reply({"ok": True, "missing_criteria": rows}, missing_criteria_page(rows))
    chosen = app.need_run(args.run)
    if args.template is not None:
        return _print_template(args, app, chosen)
    answer = _settle_hypothesis if _is_about_hypothesis(args) else _verify_answers
    answer = _confirm_criterion if args.confirm else answer
    return answer(args, app, chosen).replace(warnings=tuple(chosen.warnings))


def _check_options(args: argparse.Namespace) -> None:
    confirms = (args.confirm, bool(args.criterion), args.evidence is not None)
    problem = ""
    if any(confirms) and not all(confirms):
        problem = "--criterion, --confirm and --evidence go together"
    elif args.confirm and (args.answers is not None or args.result):
        problem = "--confirm goes without --answers and --result"
    elif args.template is not None and (args.answers is not None or args.result or any(confirms)):
        problem = "--template goes without --answers, --result and --confirm"
    elif args.template and args.goal_id not in {"", args.template}:
        problem = f"--template {args.template} and --goal-id {args.goal_id} differ"
    elif args.answers is not None and _is_about_hypothesis(args):
        problem = f"--result {args.result} takes no --answers"
    if problem:
        raise UsageError(problem=f"verify: {problem}", hint="goalkeeper verify --help")


def _is_about_hypothesis(args: argparse.Namespace) -> bool:
    return args.result in {StageResult.EXPIRED, StageResult.PENDING}


def _confirm_criterion(args: argparse.Namespace, app: App, chosen: FileRun) -> Reply:
    outcome = confirm(
        wiring.open_judge_context(app, chosen), args.goal_id, args.criterion, args.evidence
    )
    if outcome.refused:
        return refusal(outcome.refused)
    shown = show_confirmation(outcome, args.criterion)
    said = "Already confirmed" if shown["repeated"] else "Confirmed"
    page = (f"{said}: {args.criterion} of {shown['goal_id']}, on the tree as it is now.",)
    return Reply(shown, page, next=f"goalkeeper judge --goal-id {shown['goal_id']}")


def _settle_hypothesis(args: argparse.Namespace, app: App, chosen: FileRun) -> Reply:
    outcome = settle(wiring.open_judge_context(app, chosen), args.goal_id, StageResult(args.result))
    if outcome.refused:
        return refusal(outcome.refused)
    shown = show_settlement(outcome, args.result)
    until = shown["asked_again_at"]
    more = f"; it is asked again from {shorten_moment(until)} UTC on" if until else ""
    more += "." if shown["changed"] else "; nothing was changed."
    page = (f"{shown['goal_id']} is {shown['status']}{more}",)
    return Reply(shown, page, next=suggest_next(outcome.plan, app.clock()))


def _verify_answers(args: argparse.Namespace, app: App, chosen: FileRun) -> Reply:
    answers = _read_answers(args, app)
    if args.result and answers is None:
        problem = f"verify: --result {args.result} needs --answers: what shows it?"
        raise UsageError(problem=problem, hint="goalkeeper verify --template")
    seen = verify(
        wiring.open_judge_context(app, chosen, args.isolation), args.goal_id, answers, args.result
    )
    if isinstance(seen, Refused):
        return refusal(seen)
    if seen.uncovered:
        _log_uncovered(app, chosen, seen, answers)
    known = _find_background(app, chosen, seen.goal)
    shown, page = show_verification(seen, known), verification_page(seen, known)
    return Reply(shown, page, next=suggest_after_verification(seen))


def _find_background(app: App, chosen: FileRun, goal: Goal) -> Background:
    """Find what earlier work teaches about the goal; it is told before anybody answers."""
    contract = contract_of(goal)
    lessons = wiring.open_memory(app, chosen.run_id).find_lessons(contract) if contract else ()
    rows = wiring.open_missing_criteria(app).read_rows()
    missing = find_missing_criteria(rows, chosen.run_id, goal)
    return Background(lessons=lessons, missing_criteria=missing)


def _print_template(args: argparse.Namespace, app: App, chosen: FileRun) -> Reply:
    goal = choose_goal(chosen.read(), args.template or args.goal_id)
    known = _find_background(app, chosen, goal)
    shown = show_template(wiring.open_judge_context(app, chosen), goal, known)
    if isinstance(shown, Refused):
        return refusal(shown)
    file = json.dumps(shown["template"], indent=2, ensure_ascii=False) + "\n"
    return Reply(shown, (), raw=None if args.json else (file.encode(),))


def _read_answers(args: argparse.Namespace, app: App) -> Answers | None:
    if args.answers is None:
        return None
    limit, what = ANSWERS_LIMIT_BYTES, "--answers"
    text = (
        inputs.standard_input(app, what, limit_bytes=limit)
        if args.answers == "-"
        else inputs.text_file(app, args.answers, what, limit_bytes=limit)
    )
    read = shape.read_answers(inputs.parse_json(text, what))
    if isinstance(read, Answers):
        return read
    source = "standard input" if args.answers == "-" else args.answers
    raise AnswersInvalid(source=source, problems="; ".join(map(str, read)))


def _log_uncovered(app: App, chosen: FileRun, seen: Verification, answers: Answers | None) -> None:
    """Log missing criteria. The decision was made before, and does not depend on it."""
    told = {
        "run_id": chosen.run_id,
        "goal_id": seen.goal.id,
        "title": seen.goal.title,
        "artifact": answers.q1.artifact if answers and answers.q1 else "",
        "items": list(seen.uncovered),
    }
    try:
        wiring.open_missing_criteria(app).append_row(
            {"id": digest(told)[:16], "at": app.clock(), **told}
        )
    except GoalkeeperError as exc:
        chosen.warnings.append(f"not logged as missing criteria: {exc.message}")
