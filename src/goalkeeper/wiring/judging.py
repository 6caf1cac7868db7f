"""The witness, and the other ports that judging a run needs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import goalkeeper
from goalkeeper.app.contracts import JudgeContext
from goalkeeper.app.plans import PlanDeps
from goalkeeper.app.ports import ReceiptSigner
from goalkeeper.app.standing import find_unkept
from goalkeeper.bootstrap import App
from goalkeeper.config import Settings
from goalkeeper.core.plan.model import Base, Plan
from goalkeeper.core.plan.receipts import FINAL, find_fresh
from goalkeeper.errors import EvidenceGone, GoalkeeperError, OutsideError
from goalkeeper.loop.memory import Memory
from goalkeeper.storage.receipts import Receipts
from goalkeeper.storage.run import FileRun
from goalkeeper.storage.settings import find_settings, parse_settings
from goalkeeper.storage.upkeep import verify_run
from goalkeeper.verifier.envelope import read_statement
from goalkeeper.verifier.statement import ReceiptRefused, tree_of
from goalkeeper.wire import layout
from goalkeeper.wiring.stores import are_drivers_trusted, open_keys, weigh_settings
from goalkeeper.wiring.trees import (
    find_held_out,
    find_witness_folders,
    open_trees,
    take_snapshot,
)
from goalkeeper.witness.evidence import EvidenceStore
from goalkeeper.witness.witness import CONFIG, GitWitness


def open_witness(
    app: App,
    evidence: str,
    run_id: str = "",
    *,
    tell: Callable[[str], None] | None = None,
    apart: str = "",
    others: str = "",
) -> GitWitness:
    """Open the witness of the checkout we are called in; `evidence` is its folder.

    Evidence that lies in `others` is read, too.

    `tell` hears what is done while somebody waits; without it, whoever sits at a terminal does.
    Trees that it makes go into the folder `apart`, if one is given.
    """
    # Older versions kept it in the folder of the run, and a moved repository had another name.
    own = find_held_out(app, run_id)
    return GitWitness(
        find_witness_folders(app, apart),
        app.world.environ,
        redactor=app.redactor,
        evidence=EvidenceStore(evidence, others=others),
        held_out=EvidenceStore(own, others=os.path.dirname(own)),
        now=time.time,
        read_settings=lambda data, path: weigh_settings(app, parse_settings(data, path)),
        is_trusted=partial(are_drivers_trusted, app),
        tell=tell or app.tell_progress,
    )


def read_any_settings(app: App, revision: str = "") -> Settings:
    """Read settings as they are written, trusted or not: the file, or that of a revision."""
    if not revision:
        return find_settings(app.state.config)
    trees = open_trees(app)
    data = trees.open_tree(trees.resolve_revision(revision).tree).read_file(CONFIG)
    return Settings() if data is None else parse_settings(data, f"{revision}:{CONFIG}")


def open_memory(app: App, run_id: str) -> Memory:
    """Open the lessons that drives of this repository have written down."""
    return Memory(os.path.join(app.state.dir, layout.LESSONS), run_id)


def open_signer(app: App, folder: str) -> ReceiptSigner:
    """Open what signs receipts with the user's key, and keeps them in a folder."""
    kept = Receipts(folder, app.world.disk)
    return ReceiptSigner(
        sign=open_keys(app).sign_payload,
        keep=kept.put,
        has=kept.has,
        version=lambda: goalkeeper.__version__,
    )


def open_judge_context(app: App, chosen: FileRun, isolation: str = "") -> JudgeContext:
    evidence = os.path.join(chosen.files.dir, layout.EVIDENCE)
    return JudgeContext(
        run=chosen,
        witness=open_witness(app, evidence, chosen.run_id),
        actor=app.actor,
        clock=app.clock,
        verify_ledger=lambda: verify_run(chosen),
        signer=open_signer(app, chosen.files.dir),
        list_others=lambda: read_other_plans(app, chosen.run_id),
        isolation=isolation,
    )


def read_other_plans(app: App, run_id: str) -> Iterator[Plan]:
    """Read the plans of other runs, as far as they can be read."""
    for other in app.runs.ids():
        with suppress(GoalkeeperError):
            if other != run_id:
                yield app.runs.named(other).read()


def find_reviewed_work(app: App, plan: Plan, goal_id: str) -> Base | None:
    """Find the work on a goal: on the branch of its drive, or else what lies in the worktree.

    Findings are recorded also where git does not answer.
    """
    line = plan.drive.line(goal_id) if plan.drive else None
    try:
        trees = open_trees(app)
        branch = f"refs/heads/{line.worktree.branch}" if line and line.is_under_way else ""
        if branch and trees.find_commit(branch):
            return trees.resolve_revision(branch)
        return trees.take_snapshot()
    except OutsideError:
        return None


def require_evidence(app: App, chosen: FileRun) -> None:
    """Raise EvidenceGone if something counts as proven and nobody has its evidence."""
    for name in find_unkept(open_judge_context(app, chosen).witness, chosen.read()):
        raise EvidenceGone(name=name, path=os.path.join(chosen.files.dir, layout.EVIDENCE))


def has_signed_receipt(app: App, chosen: FileRun, tree: str) -> bool:
    """Return whether a key of ours has signed that all holds on a tree."""
    issued = find_fresh(chosen.read(), FINAL)
    own = open_keys(app)
    keys = [own.read_public_key(name) for name in own.list_ids()]
    kept = Receipts(chosen.files.dir, app.world.disk)
    try:
        told, _ = read_statement(kept.get(issued.digest), keys) if issued else ({}, set())
    except ReceiptRefused:
        return False
    return bool(told) and tree_of(told) == tree and told["predicate"]["run"] == chosen.run_id


def open_plan_deps(app: App) -> PlanDeps:
    """Open what makes plans; a plan begins with the working tree as it is."""
    world = app.world
    return PlanDeps(app.runs, app.actor, app.clock, world.suffix, partial(take_snapshot, app))
