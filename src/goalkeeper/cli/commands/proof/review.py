"""`review`: the gate for work that exists already."""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from typing import Any

from goalkeeper import wiring
from goalkeeper.app.gating import ReadLane
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
from goalkeeper.cli import clients, inputs
from goalkeeper.cli.options import AGENT, COMMAND, GATE, JSON, MODEL, RUN, SCRIPT, OneOf, Option
from goalkeeper.cli.pages.proof import review_page
from goalkeeper.cli.parsing import parse_pull_request
from goalkeeper.cli.planning import choose_gate
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.cli.review_trees import choose_trees
from goalkeeper.clients.client import Client
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan.brief import read_spec
from goalkeeper.core.plan.model import STRICT, Base, Goal, Refused
from goalkeeper.core.review.lane import Lane, LaneRole
from goalkeeper.errors import ContractInvalid, UsageError
from goalkeeper.loop.lanes import LaneRequest
from goalkeeper.storage.run import FileRun
from goalkeeper.system.scratch import make_scratch
from goalkeeper.wire import layout
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
        "lanes schema --role qa); --gate strict asks for it, if no agent is asked"),
    GATE, AGENT.replace(help="--gate strict: the agent that tries to break it, in a fresh process, "
        "session and read-only worktree; none is asked that is not named"),
    MODEL.replace(help="the model it is to use; default: the agent's own choice"), SCRIPT, COMMAND,
    RUN, JSON)  # fmt: skip


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
    client = _choose_reviewer(args, app, gate)
    lock = wiring.hold_review_lock(app) if client else nullcontext()
    with lock, make_scratch("review") as evidence:
        witness = wiring.open_witness(app, evidence)
        both = choose_trees(app, witness.trees, pr=args.pr, branch=args.branch)
        place = os.path.relpath(spec.path, os.path.realpath(app.worktree)) if spec.path else ""
        against = find_changed_spec(witness, place, spec.text, both.base, both.candidate)
        contract = spec.contract or derive_contract(witness, both.base)
        is_derived = spec.contract is None
        work = Submission(
            both.base, both.candidate, contract, is_derived, qa, against, gate, spec.text
        )
        folder = os.path.join(evidence, layout.PHASES)
        asked = Reviewer(app, client, args.model, folder, both.candidate) if client else None
        reviewed = review(witness, work, asked.ask_lane if asked else None)
        reports = {
            lane.answer: kept["answer"]
            for lane in reviewed.lanes
            if (kept := witness.read_kept(lane.answer))
        }
    shown = show_review(reviewed, work, reports)
    if args.mode == ONLY or not reviewed.findings:
        return _make_reply(reviewed, shown)
    recorded: tuple[str, ...] | Refused
    live = _find_live_run(app, chosen, spec, work)
    if isinstance(live, Refused):
        recorded = live
    else:
        recorded = record_findings(
            live, reviewed.findings, both.candidate, actor=app.actor, clock=app.clock
        )
    if not isinstance(recorded, Refused):
        return _make_reply(reviewed, {**shown, "blockers": list(recorded)})
    # Findings are told also when they cannot be recorded.
    reply, told = _make_reply(reviewed, shown), refusal(recorded)
    return told.replace(page=(*reply.page, *told.page), data={**told.data, "review": shown})


def _make_reply(reviewed: ReviewResult, shown: dict[str, Any]) -> Reply:
    follow = suggest_after_review(reviewed, shown["blockers"])
    return Reply(shown, review_page(shown), next=follow)


def _choose_reviewer(args: argparse.Namespace, app: App, gate: str) -> Client | None:
    """Choose the agent that tries to break the work; None if the command line asks for none.

    A review starts no agent for what the settings of a repository say alone.
    """
    if not (args.agent or args.script or args.command or args.model):
        return None
    strictly = "goalkeeper review --gate strict"
    if gate != STRICT:
        problem = "review: only the strict gate asks an agent"
        raise UsageError(problem=problem, hint=f"{strictly} --agent NAME")
    if args.executor_qa_json is not None:
        problem = "review: an agent and --executor-qa-json are two reports"
        raise UsageError(problem=problem, hint=f"{strictly}, with one of them")
    client = clients.choose_client(args, app, None)
    clients.require_usable(client, app)
    return client


class Reviewer(Value):
    """The agent that looks at one tree, and the folder in which its traces lie meanwhile."""

    app: App
    client: Client
    model: str
    folder: str
    candidate: Base

    def ask_lane(self, role: LaneRole, goal: Goal, read_lane: ReadLane) -> Lane:
        tree, name = self.candidate.tree[:12], self.client.name
        self.app.world.stderr.write(f"{role}: {name} looks at tree {tree}\n")
        lanes = wiring.open_review_lanes(self.app, self.client, self.folder, read_lane)
        asking = LaneRequest(role, goal, self.candidate, model=self.model)
        lane = lanes.run_lane(asking, lambda _: None)
        # No ledger takes secrets out of what it says, and logs of CI are read by many.
        cleaned = tuple(map(self.app.redactor.clean_text, lane.objections))
        return lane.replace(objections=cleaned)


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
