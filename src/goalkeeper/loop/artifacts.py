"""The plan and the review that phases leave in their worktree: read once, when the phase ends."""

from __future__ import annotations

import os
from collections.abc import Callable

from goalkeeper.app.contracts import JudgeContext, contract_of
from goalkeeper.core.contract.criteria import CriterionStatus
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.drive.artifacts import (
    find_plan_faults,
    find_review_faults,
    is_without_findings,
)
from goalkeeper.core.drive.phases import Phase
from goalkeeper.core.drive.state import Running, Worktree
from goalkeeper.core.plan.model import Goal
from goalkeeper.system.safe_open import NotPlain, read_file_below, remove_file
from goalkeeper.wire.value import Value

PLAN_FILE = ".goalkeeper/cache/plan.md"
REVIEW_FILE = ".goalkeeper/cache/review.md"
_FILES = {Phase.PLAN: PLAN_FILE, Phase.VERIFY: REVIEW_FILE}
_MOST_TEXT = 1 << 20
_FILES_NAMED = 5
_SETTLED = {CriterionStatus.PASS, CriterionStatus.BLOCKED}


class ReadArtifact(Value):
    """What a phase left, as `PhaseEnded` tells it."""

    lacks: tuple[str, ...] = ()
    is_clear: bool | None = None


def remove_artifact(worktree: Worktree, phase: Phase) -> None:
    """Remove what an earlier attempt left: a phase counts for what it leaves itself."""
    if phase in _FILES:
        remove_file(os.path.join(worktree.path, _FILES[phase]))


def read_artifact(
    running: Running,
    worktree: Worktree,
    tree: str,
    goal: Goal,
    open_judge_context: Callable[[], JudgeContext],
) -> ReadArtifact:
    """Read what a phase left; `tree` is the tree after it, which only its work may have changed."""
    if running.phase not in _FILES:
        return ReadArtifact()
    list_changed = open_judge_context().witness.list_changed
    text = _read_text(worktree.path, _FILES[running.phase])
    if running.phase is Phase.PLAN:
        faults, is_clear = find_plan_faults(text, _list_open_criteria(goal)), None
    else:
        base = goal.frozen.base.tree if goal.frozen else running.tree
        changed = list_changed(base, tree) or ()
        faults, is_clear = find_review_faults(text, changed), is_without_findings(text)
    if tree != running.tree:
        moved = (list_changed(running.tree, tree) or ())[:_FILES_NAMED]
        faults = (*faults, f"it changed files, and they were put back: {', '.join(moved)}")
    return ReadArtifact(faults, is_clear)


def _list_open_criteria(goal: Goal) -> list[str]:
    """List the ids that a plan must be about: what is neither met, nor blocked, nor a guard."""
    settled = {state.id for state in goal.criteria if state.status in _SETTLED}
    criteria = (contract_of(goal) or Contract()).criteria
    return [c.id for c in criteria if not c.guard and not c.held_out and c.id not in settled]


def _read_text(place: str, path: str) -> str:
    try:
        return read_file_below(place, path, _MOST_TEXT).decode(errors="replace")
    except NotPlain:
        return ""
