"""`review`: the strict gate on work that is there already."""

from __future__ import annotations

import argparse
import json
import os
import tempfile

from goalkeeper.app.handle import handle
from goalkeeper.app.plans import PlanDeps, create_plan
from goalkeeper.app.queries.review import show_review, suggest_after_review
from goalkeeper.app.reviewing import ReviewResult, Submission, review
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.pages.review import review_page
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import DONE, NO, Reply, refusal
from goalkeeper.cli.review_trees import ReviewTrees, choose_trees
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.brief import read_spec
from goalkeeper.core.plan.gate import STRICT
from goalkeeper.core.plan.model import Goal, GoalStatus, Refused
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.errors import ContractInvalid
from goalkeeper.git.trees import Trees
from goalkeeper.hold.proof import make_verification
from goalkeeper.storage.run import FileRun
from goalkeeper.wire.value import Value
from goalkeeper.wiring.judging import open_witness
from goalkeeper.witness.witness import Witness

ONLY, START = MODES = ("review-only", "review-start")


class Spec(Value):
    """What was asked for, as somebody gives it. A text without a contract asks for nothing."""

    path: str = ""
    text: str = ""
    contract: Contract | None = None


def configure(parser: Parser) -> None:
    which = parser.add_mutually_exclusive_group()
    pr = "a pull request; read through gh"
    which.add_argument("--pr", type=_parse_number, metavar="N", default=None, help=pr)
    said = (
        "a branch; one that HEAD was made from is what the worktree is compared with. "
        "Default: the worktree, from where it left the default branch"
    )
    which.add_argument("--branch", metavar="REF", default=None, help=said)
    spec = "what was asked for: a contract, or text with a fenced one"
    parser.add_argument("--spec", metavar="PATH", default=None, help=spec)
    how = "review-only: write nothing (default); review-start: record what is found as blockers"
    parser.add_argument("--mode", choices=MODES, default=ONLY, help=how)
    report = "what whoever tried to break it reports (goalkeeper lanes schema --role qa)"
    parser.add_argument("--executor-qa-json", metavar="JSON|PATH", default=None, help=report)
    parser.common()


def _parse_number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of a pull request")
    return int(text)


def run(args: argparse.Namespace, app: App) -> Reply:
    qa = None
    if args.executor_qa_json is not None:
        qa = inputs.json_object(app, args.executor_qa_json, "--executor-qa-json")
    spec = _read_spec(args, app)
    chosen = app.run(args.run) if args.mode == START else None
    with tempfile.TemporaryDirectory(prefix="goalkeeper-review-") as evidence:
        witness = open_witness(app, evidence)
        both = choose_trees(app, witness.trees, pr=args.pr, branch=args.branch)
        contract = spec.contract or _derive_contract(witness, both)
        against = _find_changed_spec(spec, app, witness.trees, both)
        is_derived = spec.contract is None
        work = Submission(both.base, both.candidate, contract, is_derived, qa, against)
        reviewed = review(witness, work)
    if args.mode == ONLY or not reviewed.findings:
        return _make_reply(reviewed, work)
    live = chosen if chosen and chosen.read().is_live else _make_run(app, spec, both)
    recorded = live if isinstance(live, Refused) else _record_blockers(app, live, reviewed)
    if not isinstance(recorded, Refused):
        return _make_reply(reviewed, work, recorded)
    # What was found is told also when it cannot be recorded.
    shown, told = _make_reply(reviewed, work), refusal(recorded)
    return told.replace(page=(*shown.page, *told.page), data={**told.data, "review": shown.data})


def _make_reply(reviewed: ReviewResult, work: Submission, blockers: tuple[str, ...] = ()) -> Reply:
    shown, follow = show_review(reviewed, work, blockers), suggest_after_review(reviewed, blockers)
    return Reply(shown, review_page(shown), DONE if shown["ok"] else NO, next=follow)


def _read_spec(args: argparse.Namespace, app: App) -> Spec:
    if args.spec is None:
        return Spec()
    text = inputs.text_file(app, args.spec, "the spec", limit_bytes=inputs.BRIEF_LIMIT_BYTES)
    read = read_spec(text)
    if isinstance(read, tuple):
        raise ContractInvalid(source=args.spec, problems="; ".join(map(str, read)))
    return Spec(inputs.confined(app, args.spec), text, read)


def _derive_contract(witness: Witness, both: ReviewTrees) -> Contract:
    """Nobody gave a contract: the project's own checks, which must stay green."""
    verify = witness.settings(both.base).verify
    return make_verification(verify, [f"V{number}" for number in range(1, len(verify) + 1)])


def _find_changed_spec(
    spec: Spec, app: App, trees: Trees, both: ReviewTrees
) -> tuple[Diagnostic, ...]:
    """Work that changed what it is reviewed by."""
    if not spec.path:
        return ()
    path = os.path.relpath(spec.path, os.path.realpath(app.worktree))
    old, new = (trees.entries(side.tree).get(path) for side in (both.base, both.candidate))
    if old is None or new is None or old.id == new.id:
        return ()
    theirs = trees.blobs([new.id]).get(new.id, b"").replace(b"\r\n", b"\n")
    if theirs != spec.text.replace("\r\n", "\n").encode():
        return ()
    said = f"{path} is the spec as the work changed it"
    mend = f"review it by the spec as it was: git show {both.base.commit[:12]}:{path}"
    return (Diagnostic("spec", "spec-changed", said, mend),)


def _record_blockers(
    app: App, chosen: FileRun, reviewed: ReviewResult
) -> tuple[str, ...] | Refused:
    """The findings as one review blocker of the goal under review; the same ones only once."""
    goal = _find_goal_under_review(app, chosen)
    told = "; ".join(map(str, reviewed.findings))
    command = commands.RecordReviewBlockers(goal.id, "Settle what the review found", told, told)
    outcome = handle(chosen, command, actor=app.actor, clock=app.clock)
    return outcome.refused or outcome.goal_ids


def _make_run(app: App, spec: Spec, both: ReviewTrees) -> FileRun | Refused:
    maker = PlanDeps(app.runs, app.actor, app.clock, app.world.suffix, lambda: both.base)
    asked = f"By {os.path.relpath(spec.path, app.root)}." if spec.path else "Nobody gave a spec."
    brief = f"@goal: What was reviewed\n{asked}\n\n{_fence_contract(spec.contract)}"
    made = create_plan(maker, brief, source="the review", gate=STRICT)
    return made if isinstance(made, Refused) else app.need_run(made.run.run_id)


def _fence_contract(contract: Contract | None) -> str:
    """As a goal of its own has it: there is no other that it could depend on."""
    if contract is None:
        return ""
    plain = {name: value for name, value in contract.plain.items() if name != "depends_on"}
    return f"```contract\n{json.dumps(plain)}\n```\n"


def _find_goal_under_review(app: App, chosen: FileRun) -> Goal:
    """The goal at work, or the one that waits for a review; not what was recorded against it."""
    plan = chosen.read()
    waiting = plan.with_status(GoalStatus.ACTIVE) + plan.with_status(GoalStatus.REVIEW_BLOCKED)
    if not waiting:
        plan = handle(chosen, commands.StartNext(), actor=app.actor, clock=app.clock).plan
        waiting = plan.with_status(GoalStatus.ACTIVE)
    goal = (*waiting, *plan.required)[0]
    while goal.blocks:
        goal = plan.goal(goal.blocks) or goal.replace(blocks="")
    return goal
