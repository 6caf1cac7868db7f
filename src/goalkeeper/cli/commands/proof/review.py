"""`review`: the gate for work that exists already."""

from __future__ import annotations

import argparse
import os

from goalkeeper import wiring
from goalkeeper.app.plans import PlanDeps, create_plan
from goalkeeper.app.queries.reviews import show_review, suggest_after_review
from goalkeeper.app.reviewing import (
    ReviewResult,
    Submission,
    derive_contract,
    find_changed_spec,
    make_review_brief,
    record_findings,
    review,
)
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import GATE, JSON, RUN, OneOf, Option
from goalkeeper.cli.pages.proof import review_page
from goalkeeper.cli.parsing import parse_pull_request
from goalkeeper.cli.planning import choose_gate
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.cli.review_trees import choose_trees
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan.brief import read_spec
from goalkeeper.core.plan.model import Refused
from goalkeeper.errors import ContractInvalid
from goalkeeper.storage.run import FileRun
from goalkeeper.system.scratch import make_scratch
from goalkeeper.wire.value import Value

ONLY, START = MODES = ("review-only", "review-start")
OPTIONS = (
    OneOf(Option("--pr N", "a pull request; read through gh", type=parse_pull_request),
        Option("--branch REF", "a branch; one that HEAD was made from is what the worktree is "
            "compared with. Default: the worktree, from where it left the default branch")),
    Option("--spec PATH", "what was asked for: a contract, or text with a fenced one"),
    Option("--mode", "review-only: write nothing (default); review-start: record what is found as "
        "blockers", choices=MODES, default=ONLY),
    Option("--executor-qa-json JSON|PATH", "what whoever tried to break it reports (goalkeeper "
        "lanes schema --role qa); --gate strict asks for it"),
    GATE, RUN, JSON)  # fmt: skip


class ReviewSpec(Value):
    """What somebody says was asked for. A text without a contract asks for nothing."""

    path: str = ""
    text: str = ""
    contract: Contract | None = None


def run(args: argparse.Namespace, app: App) -> Reply:
    qa = None
    if args.executor_qa_json is not None:
        qa = inputs.json_object(app, args.executor_qa_json, "--executor-qa-json")
    spec = _read_spec(args, app)
    gate = choose_gate(args.gate, app)
    chosen = app.run(args.run) if args.mode == START else None
    with make_scratch("review") as evidence:
        witness = wiring.open_witness(app, evidence)
        both = choose_trees(app, witness.trees, pr=args.pr, branch=args.branch)
        place = os.path.relpath(spec.path, os.path.realpath(app.worktree)) if spec.path else ""
        against = find_changed_spec(witness, place, spec.text, both.base, both.candidate)
        contract = spec.contract or derive_contract(witness, both.base)
        is_derived = spec.contract is None
        work = Submission(both.base, both.candidate, contract, is_derived, qa, against, gate)
        reviewed = review(witness, work)
    if args.mode == ONLY or not reviewed.findings:
        return _make_reply(reviewed, work)
    recorded: tuple[str, ...] | Refused
    live = _find_live_run(app, chosen, spec, work)
    if isinstance(live, Refused):
        recorded = live
    else:
        recorded = record_findings(
            live, reviewed.findings, both.candidate, actor=app.actor, clock=app.clock
        )
    if not isinstance(recorded, Refused):
        return _make_reply(reviewed, work, recorded)
    # Findings are told also when they cannot be recorded.
    shown, told = _make_reply(reviewed, work), refusal(recorded)
    return told.replace(page=(*shown.page, *told.page), data={**told.data, "review": shown.data})


def _make_reply(reviewed: ReviewResult, work: Submission, blockers: tuple[str, ...] = ()) -> Reply:
    shown, follow = show_review(reviewed, work, blockers), suggest_after_review(reviewed, blockers)
    return Reply(shown, review_page(shown), next=follow)


def _read_spec(args: argparse.Namespace, app: App) -> ReviewSpec:
    if args.spec is None:
        return ReviewSpec()
    text = inputs.text_file(app, args.spec, "the spec", limit_bytes=inputs.BRIEF_LIMIT_BYTES)
    read = read_spec(text)
    if isinstance(read, tuple):
        raise ContractInvalid(source=args.spec, problems="; ".join(map(str, read)))
    return ReviewSpec(inputs.confine_path(app, args.spec), text, read)


def _find_live_run(
    app: App, chosen: FileRun | None, spec: ReviewSpec, work: Submission
) -> FileRun | Refused:
    """Find the run that findings are recorded in, or make one for them."""
    if chosen and chosen.read().is_live:
        return chosen
    deps = PlanDeps(app.runs, app.actor, app.clock, app.world.suffix, lambda: work.base)
    name = os.path.relpath(spec.path, app.root) if spec.path else ""
    brief = make_review_brief(name, spec.contract)
    made = create_plan(deps, brief, source="the review", gate=work.gate)
    return made if isinstance(made, Refused) else app.need_run(made.run.run_id)
