"""`verify`: a goal that no command settles alone."""

from __future__ import annotations

import argparse
from typing import Any

from goalkeeper.app.contracts import find_goal
from goalkeeper.app.verifying import Verification, confirm, settle, verify
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs, options, views
from goalkeeper.cli.parsing import Parser, words
from goalkeeper.cli.reply import DONE, NO, Page, Reply, Table, refusal
from goalkeeper.config import ISOLATIONS
from goalkeeper.core.answers import document as shape
from goalkeeper.core.answers.document import Answers
from goalkeeper.core.answers.procedure import Result
from goalkeeper.core.decode import plain
from goalkeeper.core.plan.model import Refused
from goalkeeper.errors import AnswersInvalid, GoalkeeperError, UsageError
from goalkeeper.storage.run import FileRun
from goalkeeper.wire.canonical import digest
from goalkeeper.wiring.judging import open_judge_context
from goalkeeper.wiring.stores import open_missing_criteria

ANSWERS_LIMIT_BYTES = 256 << 10
_SHOWN_ROWS = 50


def configure(parser: Parser) -> None:
    options.goal(parser)
    parser.add_argument(
        "--answers", metavar="FILE|-", help="answers as JSON (goalkeeper schema answers)"
    )
    parser.add_argument(
        "--result", choices=[str(r) for r in Result], default="",
        help="what came of a hypothesis; EXPIRED only after its resolves_by",
    )  # fmt: skip
    parser.add_argument(
        "--criterion", default="", metavar="ID",
        help="with --confirm: the manual criterion that a human has looked at",
    )  # fmt: skip
    parser.add_argument("--confirm", action="store_true", help="it is so (a human's word)")
    words(parser, "--evidence", help="with --confirm: what was seen", required=False)
    parser.add_argument(
        "--missing-criteria", action="store_true",
        help="list what checklists found wrong and no contract asked for",
    )  # fmt: skip
    options.isolation(parser, ISOLATIONS)
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    _check(args)
    if args.missing_criteria:
        return _missing(app)
    chosen = app.need_run(args.run)
    answer = _confirmed if args.confirm else _settled if _is_settling(args) else _verified
    return answer(args, app, chosen).replace(warnings=tuple(chosen.warnings))


def _check(args: argparse.Namespace) -> None:
    confirms = (args.confirm, bool(args.criterion), args.evidence is not None)
    problem = ""
    if any(confirms) and not all(confirms):
        problem = "--criterion, --confirm and --evidence go together"
    elif args.confirm and (args.answers is not None or args.result):
        problem = "--confirm goes without --answers and --result"
    elif args.answers is not None and _is_settling(args):
        problem = f"--result {args.result} takes no --answers"
    if problem:
        raise UsageError(problem=f"verify: {problem}", hint="goalkeeper verify --help")


def _is_settling(args: argparse.Namespace) -> bool:
    return args.result in {Result.EXPIRED, Result.PENDING}


def _confirmed(args: argparse.Namespace, app: App, chosen: FileRun) -> Reply:
    outcome = confirm(open_judge_context(app, chosen), args.goal_id, args.criterion, args.evidence)
    if outcome.refused:
        return refusal(outcome.refused)
    goal_id = outcome.goal_ids[0]
    data = {"ok": True, "goal_id": goal_id, "criterion": args.criterion,
            "repeated": not outcome.changed}  # fmt: skip
    said = "Confirmed" if outcome.changed else "Already confirmed"
    page = (f"{said}: {args.criterion} of {goal_id}, on the tree as it is now.",)
    return Reply(data, page, next=f"goalkeeper judge --goal-id {goal_id}")


def _settled(args: argparse.Namespace, app: App, chosen: FileRun) -> Reply:
    outcome = settle(open_judge_context(app, chosen), args.goal_id, Result(args.result))
    if outcome.refused:
        return refusal(outcome.refused)
    goal = find_goal(outcome.plan, outcome.goal_ids[0])
    data = {"ok": True, "goal_id": goal.id, "result": args.result, "status": goal.status,
            "changed": outcome.changed}  # fmt: skip
    said = f"{goal.id} is {goal.status}" + ("." if outcome.changed else "; nothing was changed.")
    return Reply(data, (said,), next=views.next_command(outcome.plan, app.clock()))


def _verified(args: argparse.Namespace, app: App, chosen: FileRun) -> Reply:
    answers = _answers(args, app)
    if args.result and answers is None:
        problem = f"verify: --result {args.result} needs --answers: what shows it?"
        raise UsageError(problem=problem, hint="goalkeeper schema answers")
    seen = verify(
        open_judge_context(app, chosen, args.isolation), args.goal_id, answers, args.result
    )
    if isinstance(seen, Refused):
        return refusal(seen)
    if seen.uncovered:
        _log(app, chosen, seen, answers)
    code = DONE if seen.is_verified else NO
    return Reply(_data(seen), _page(seen), code, next=_next(seen))


def _answers(args: argparse.Namespace, app: App) -> Answers | None:
    if args.answers is None:
        return None
    limit, what = ANSWERS_LIMIT_BYTES, "--answers"
    text = (
        inputs.standard_input(app, what, limit_bytes=limit)
        if args.answers == "-"
        else inputs.text_file(app, args.answers, what, limit_bytes=limit)
    )
    read = shape.read(inputs.parsed(text, what))
    if isinstance(read, Answers):
        return read
    source = "standard input" if args.answers == "-" else args.answers
    raise AnswersInvalid(source=source, problems="; ".join(map(str, read)))


def _log(app: App, chosen: FileRun, seen: Verification, answers: Answers | None) -> None:
    """After the decision, which does not depend on it."""
    told = {
        "run_id": chosen.run_id,
        "goal_id": seen.goal.id,
        "title": seen.goal.title,
        "artifact": answers.q1.artifact if answers and answers.q1 else "",
        "items": list(seen.uncovered),
    }
    try:
        open_missing_criteria(app).append({"id": digest(told)[:16], "at": app.clock(), **told})
    except GoalkeeperError as exc:
        chosen.warnings.append(f"not logged as missing criteria: {exc.message}")


def _data(seen: Verification) -> dict[str, Any]:
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
        "findings": [plain(finding) for finding in seen.judgement.blocking],
        "questions": [
            {"id": c.id, "question": c.check.main, "answered": c.id in seen.answered}
            for c in seen.contract.criteria
            if c.id in summary.questions
        ],
        "needs_judgement": [name for name in summary.manual if name not in seen.answered],
        "steps": [{"step": s.step, "state": s.state, "note": s.note} for s in seen.steps],
        "diagnostics": [plain(each) for each in seen.diagnostics],
        "overridden": list(seen.overridden),
        "uncovered": list(seen.uncovered),
    }


def _page(seen: Verification) -> Page:
    summary, page = seen.summary, []
    checked = f"checks: {summary.passed} of {summary.total} passed"
    flags = f" ({', '.join(summary.flags)})" if summary.flags else ""
    page.append(f"{seen.goal.id} on tree {seen.judgement.tree[:12]}: {checked}{flags}")
    page += [f"  {c.id} {c.verdict}: {c.reason}" for c in seen.criteria]
    page += [f"  {finding}" for finding in seen.judgement.blocking]
    if seen.steps:
        page.append("steps: " + ", ".join(f"{each.step} {each.state}" for each in seen.steps))
    for each in seen.diagnostics:
        page += [f"{each.path}: {each.code}: {each.message}", f"  mend: {each.mend}"]
    page += [f"overridden: {each}" for each in seen.overridden]
    if seen.is_verified:
        page.append("Verified on this tree, and on no other.")
    return tuple(page)


def _next(seen: Verification) -> str:
    goal = seen.goal
    if seen.is_verified:
        return views.complete_command(goal)
    if "checks_failed" in seen.summary.flags or seen.judgement.blocking:
        return f"goalkeeper why {goal.id}"
    asked = [name for name in seen.summary.questions if name not in seen.answered]
    if asked:
        return f"goalkeeper verify --goal-id {goal.id} --answers FILE (goalkeeper schema answers)"
    left = [name for name in seen.summary.manual if name not in seen.answered]
    if left:
        confirm = f"goalkeeper verify --goal-id {goal.id} --criterion {left[0]} --confirm"
        return f"{confirm} --evidence <what was seen> (a human's command)"
    return f"goalkeeper why {goal.id}"


def _missing(app: App) -> Reply:
    rows = open_missing_criteria(app).rows()
    told = [
        (str(row.get("at", ""))[:16], str(row.get("goal_id", "")), str(item))
        for row in rows
        for item in _items(row)
    ]
    data = {"ok": True, "missing_criteria": rows}
    if not told:
        return Reply(data, ("Nothing was found that contracts left out.",))
    more = len(told) - _SHOWN_ROWS
    page: Page = (Table(("at", "goal", "no criterion asked"), tuple(told[-_SHOWN_ROWS:])),)
    return Reply(data, (*page, f"and {more} more") if more > 0 else page)


def _items(row: dict[str, Any]) -> list[Any]:
    items = row.get("items")
    return items if isinstance(items, list) else []
