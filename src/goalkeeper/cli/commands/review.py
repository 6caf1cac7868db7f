"""`review`: the strict gate on work that is there already."""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from typing import Any

from goalkeeper import process
from goalkeeper.app.handle import handle
from goalkeeper.app.holding import verification
from goalkeeper.app.plans import Maker, create_plan, read_brief
from goalkeeper.app.reviewing import Reviewed, Said, Submission, review
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import DONE, NO, Reply, Table, refusal
from goalkeeper.core import commands
from goalkeeper.core.contract import Contract, read_text
from goalkeeper.core.gate import STRICT
from goalkeeper.core.model import Base, GoalStatus, Refused
from goalkeeper.errors import ContractInvalid, OutsideError, UsageError
from goalkeeper.storage.run import FileRun

ONLY, START = MODES = ("review-only", "review-start")
_DEFAULTS = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
_GH_SECONDS = 20.0
_FENCE = re.compile(r"^```contract *\n(.*?)^```", re.MULTILINE | re.DOTALL)


class NoPullRequest(OutsideError):
    """Pull request {number} cannot be read: {reason}."""

    code = "no-pull-request"
    hint = "fetch its branch, then: goalkeeper review --branch REF"


def configure(parser: Parser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--pr", type=int, metavar="N", help="a pull request; read through gh")
    said = "a branch; one that is part of HEAD is what HEAD is compared with. Default: the worktree"
    which.add_argument("--branch", metavar="REF", help=said)
    spec = "what was asked for: a contract, or text with a fenced one"
    parser.add_argument("--spec", metavar="PATH", default="", help=spec)
    how = "review-only: write nothing (default); review-start: record what is found as blockers"
    parser.add_argument("--mode", choices=MODES, default=ONLY, help=how)
    report = "what whoever tried to break it reports (goalkeeper lanes schema --role qa)"
    parser.add_argument("--executor-qa-json", metavar="JSON|PATH", default="", help=report)
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    qa = None
    if args.executor_qa_json:
        qa = inputs.json_object(app, args.executor_qa_json, "--executor-qa-json")
    contract = _contract(args, app)
    with tempfile.TemporaryDirectory(prefix="goalkeeper-review-") as evidence:
        witness = app.witness(evidence)
        base, candidate = _sides(args, app)
        verify = witness.settings(base).verify
        green = [f"V{number}" for number in range(1, len(verify) + 1)]
        work = Submission(base, candidate, contract, verification(verify, green), qa)
        reviewed = review(witness, work)
    recorded: tuple[str, ...] = ()
    if args.mode == START and reviewed.findings:
        started = _started(args, app, contract, reviewed)
        if isinstance(started, Refused):
            return refusal(started)
        recorded = started
    return _answer(reviewed, base, candidate, recorded)


def _contract(args: argparse.Namespace, app: App) -> Contract | None:
    """What the spec asks for; a text without a contract asks for nothing that can fail."""
    if not args.spec:
        return None
    text = inputs.text_file(app, args.spec, "the spec", limit_bytes=inputs.BRIEF_LIMIT_BYTES)
    fenced = _FENCE.findall(text)
    if not fenced and not re.search(r"^criteria *:", text, re.MULTILINE):
        return None
    read = read_text("\n".join(fenced[:1]) if fenced else text)
    if isinstance(read, Contract):
        return read if read.criteria else None
    raise ContractInvalid(source=args.spec, problems="; ".join(map(str, read)))


def _sides(args: argparse.Namespace, app: App) -> tuple[Base, Base]:
    """Where the work began, and what came of it."""
    trees = app.witness("").trees
    if args.pr is not None:
        target, head = _pull_request(args.pr, app)
        return trees.resolve(trees.fork(target, head)), trees.resolve(head)
    if args.branch:
        trees.resolve(args.branch)
        fork = trees.fork(args.branch, "HEAD")
        other = trees.resolve(args.branch)
        is_base = other.commit == fork
        return trees.resolve(fork), trees.snapshot() if is_base else other
    now = trees.snapshot()
    if not now.commit:
        problem = "there is no commit that the worktree could be compared with"
        raise UsageError(problem=f"review: {problem}", hint="git commit, then review the branch")
    forks = (trees.fork(name, "HEAD") for name in _DEFAULTS if trees.is_known(name))
    fork = next((found for found in forks if found and found != now.commit), now.commit)
    base = trees.resolve(fork)
    if base.tree == now.tree:
        problem = "nothing is changed here that could be reviewed"
        raise UsageError(problem=f"review: {problem}", hint="goalkeeper review --branch REF")
    return base, now


def _pull_request(number: int, app: App) -> tuple[str, str]:
    program = app.which("gh")
    if program is None:
        raise NoPullRequest(number=number, reason="gh is not installed")
    argv = [program, "pr", "view", str(number), "--json", "baseRefOid,headRefOid"]
    limits = process.Limits(seconds=_GH_SECONDS, free_mb=0)
    ran = process.run(argv, cwd=app.worktree, env=app.world.environ, limits=limits)
    if not isinstance(ran, process.Exited) or ran.code != 0:
        said = ran.reason if isinstance(ran, process.NotStarted) else ran.err.text.strip()
        raise NoPullRequest(number=number, reason=said or "gh gave no answer")
    try:
        told = json.loads(ran.out.text)
        return str(told["baseRefOid"]), str(told["headRefOid"])
    except (ValueError, KeyError, TypeError) as exc:
        raise NoPullRequest(number=number, reason="gh gave another answer") from exc


def _started(
    args: argparse.Namespace, app: App, contract: Contract | None, reviewed: Reviewed
) -> tuple[str, ...] | Refused:
    """The findings as one review blocker of the goal under review; the same ones only once."""
    chosen = app.run(args.run)
    if chosen is None or not chosen.read().is_live:
        made = _planned(args, app, contract)
        if isinstance(made, Refused):
            return made
        chosen = made
    plan = chosen.read()
    waiting = plan.with_status(GoalStatus.ACTIVE) + plan.with_status(GoalStatus.REVIEW_BLOCKED)
    goal = (*waiting, *plan.required)[0]
    told = "; ".join(f"{found.path}: {found.message}" for found in reviewed.findings)
    command = commands.RecordReviewBlockers(goal.id, "Settle what the review found", told, told)
    outcome = handle(chosen, command, actor=app.actor, clock=app.clock)
    return outcome.refused or outcome.goal_ids


def _planned(args: argparse.Namespace, app: App, contract: Contract | None) -> FileRun | Refused:
    world = app.world
    maker = Maker(app.runs, app.actor, app.clock, world.suffix, lambda: _sides(args, app)[0])
    fence = f"```contract\n{json.dumps(dict(contract.plain))}\n```\n" if contract else ""
    brief = f"@goal: What was reviewed\n{args.spec or 'The work under review'}\n\n{fence}"
    read_brief(brief, "the review")
    made = create_plan(maker, brief, source="the review", gate=STRICT)
    if isinstance(made, Refused):
        return made
    chosen = app.need_run(made.run.run_id)
    handle(chosen, commands.StartNext(), actor=app.actor, clock=app.clock)
    return chosen


def _answer(reviewed: Reviewed, base: Base, candidate: Base, recorded: tuple[str, ...]) -> Reply:
    found = reviewed.findings
    data: dict[str, Any] = {
        "ok": reviewed.said is Said.PASS,
        "verdict": reviewed.said,
        "contract": reviewed.strength,
        "base": base.as_dict(),
        "candidate": candidate.as_dict(),
        "isolation": reviewed.judgement.isolation,
        "criteria": [
            {"id": seen.id, "verdict": seen.verdict, "reason": seen.reason}
            for seen in reviewed.judgement.criteria
        ],
        "findings": [diagnostic.as_dict() for diagnostic in found],
        "blockers": list(recorded),
    }
    rows = tuple((d.path, d.code, d.message, d.mend) for d in found)
    page = (Table(("where", "code", "what", "mend"), rows),) if found else ()
    said = f"Verdict: {reviewed.said} (contract: {reviewed.strength})."
    blockers = (f"Recorded as {', '.join(recorded)}.",) if recorded else ()
    follow = ""
    if reviewed.said is Said.WEAK:
        follow = "goalkeeper review --spec FILE, with criteria that were red before the work"
    elif recorded:
        follow = "goalkeeper complete-goals"
    code = DONE if reviewed.said is Said.PASS else NO
    return Reply(data, (*page, said, *blockers), code, next=follow)
