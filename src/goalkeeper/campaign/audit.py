"""The audit of a session: what its manifests expect, and what git and the files have.

It looks at the log and the tree of the session's branch alone. Nothing that an agent or a ledger
says counts here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from goalkeeper.app.contracts import contract_of
from goalkeeper.core.campaign.state import MissingStep, SessionState
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.globs import filter_paths
from goalkeeper.core.plan.model import Base, Goal, GoalStatus, Plan
from goalkeeper.core.problems import cut_text
from goalkeeper.git.trees import Trees
from goalkeeper.wire.value import Value

_MOST_SAID = 200


class DriftRow(Value):
    """One thing that a step's manifest expects, and what was found of it."""

    step: int
    expected: str
    found: str
    is_there: bool


def audit_session(trees: Trees, session: SessionState, plan: Plan) -> tuple[DriftRow, ...]:
    """Compare the manifests of a session's steps with its branch."""
    tip = find_tip(trees, session, plan)
    rows: list[DriftRow] = []
    for step, goal in zip(session.planned.steps, plan.goals, strict=False):
        contract, base = contract_of(goal) or Contract(), session.base or tip
        rows += audit_files(trees, step.number, contract, base, tip)
        rows += _audit_commits(trees, step.number, contract, base, tip)
    return tuple(rows)


def find_missing(trees: Trees, session: SessionState, plan: Plan) -> tuple[MissingStep, ...]:
    """Find the steps that are not proven, each with what the audit did not find of it."""
    drift = audit_session(trees, session, plan)
    return tuple(
        MissingStep(step.number, _summarise([r for r in drift if r.step == step.number], goal))
        for step, goal in zip(session.planned.steps, plan.goals, strict=False)
        if goal.status is not GoalStatus.COMPLETE
    )


def _summarise(rows: list[DriftRow], goal: Goal) -> str:
    lost = [f"{row.expected}: {row.found}" for row in rows if not row.is_there]
    unmet = [each for each in goal.table if goal.iteration and not each.is_met]
    lost = lost or [f"{each.id} is not met: {cut_text(each.reason, _MOST_SAID)}" for each in unmet]
    if lost:
        return "; ".join(lost)
    if goal.blocking:
        return "its criteria hold, and findings about the change wait for an answer of a human"
    return "its files are there, and it is not proven"


def find_tip(trees: Trees, session: SessionState, plan: Plan) -> Base:
    """Find the last commit of the session's work, proven or not; its base if there is none."""
    lines = plan.drive.lines if plan.drive else ()
    branches = [f"refs/heads/{line.worktree.branch}" for line in lines]
    worked = [each for each in branches if trees.find_commit(each)]
    if worked:
        return trees.resolve_revision(worked[-1])
    return session.base or plan.base or Base("")


def audit_files(
    trees: Trees, number: int, contract: Contract, base: Base, tip: Base
) -> Iterator[DriftRow]:
    """Compare what a step's manifest says about files with a tree, and with what it came from."""
    files = trees.open_tree(tip.tree)
    paths = files.list_paths()
    for check in contract.manifest:
        options: Mapping[str, Any] = check.options
        match check.kind:
            case "expected_paths":
                for pattern in options["expected_paths"]:
                    found = filter_paths(paths, (pattern,))
                    told = "is there" if found else "is not there"
                    yield DriftRow(number, f"path {pattern}", told, bool(found))
            case "must_contain":
                for wanted in options["must_contain"]:
                    text = (files.read_file(wanted["path"]) or b"").decode(errors="replace")
                    found_it = re.search(wanted["pattern"], text, re.MULTILINE) is not None
                    told = "matches" if found_it else "does not match"
                    what = f"{wanted['path']} has {wanted['pattern']}"
                    yield DriftRow(number, what, told, found_it)
            case "forbidden_paths":
                touched = trees.list_differences(base.tree, tip.tree)
                hit = filter_paths(touched, options["forbidden_paths"])
                told = f"changed: {', '.join(hit)}" if hit else "untouched"
                patterns = ", ".join(options["forbidden_paths"])
                yield DriftRow(number, f"nothing of {patterns}", told, not hit)
            case _:
                pass  # the witness runs what must be run


def _audit_commits(
    trees: Trees, number: int, contract: Contract, base: Base, tip: Base
) -> Iterator[DriftRow]:
    for check in contract.manifest:
        if check.kind == "commit_message_pattern":
            commits = trees.list_commits(base.commit, tip.commit) if base.commit else ()
            pattern = re.compile(check.main_option)
            hits = [each for each in commits if pattern.search(each.message)]
            told = f"{len(hits)} of {len(commits)} commits match"
            yield DriftRow(number, f"commit {pattern.pattern}", told, bool(hits))
