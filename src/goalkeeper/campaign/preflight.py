"""Step 0 of a session: can the work be done here at all? It is asked before any model is.

Whether the contracts can fail, and whether the set-up of their checks succeeds, the driver finds
out before its first phase.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

from goalkeeper.core.plan.model import Refused
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.system.safe_open import make_folder
from goalkeeper.wire.value import Value

_LEAST_BYTES = 64 << 20  # a worktree, its environment and the records of a session need some room


class PreflightDeps(Value):
    """What is asked before a session begins."""

    trees: Trees
    worktrees: str  # the folder in which worktrees are made
    probe: Callable[[], tuple[str, str]]  # why the agent cannot work, and what helps; or nothing
    branch: str
    try_push: Callable[[], str]  # why nothing could be pushed, or nothing


def check_place(deps: PreflightDeps) -> Refused | None:
    """Return why a session cannot be worked on here; None if it can."""
    problem, hint = deps.probe()
    if problem:
        return _refuse(f"the agent does not start: {problem}", hint)
    return _check_disk(deps) or _check_git(deps) or refuse_push(deps.try_push())


def _check_disk(deps: PreflightDeps) -> Refused | None:
    try:
        make_folder(deps.worktrees, 0o700)
        with tempfile.TemporaryFile(dir=deps.worktrees) as file:
            file.write(b"goalkeeper")
        disk = os.statvfs(deps.worktrees)
    except OSError as exc:
        said = f"no file can be written in {deps.worktrees}: {exc.strerror}"
        return _refuse(said, f"ls -ld {deps.worktrees}")
    free = disk.f_bavail * disk.f_frsize
    if free < _LEAST_BYTES:
        said = (
            f"only {free >> 20} MB are free in {deps.worktrees}, and it takes {_LEAST_BYTES >> 20}"
        )
        return _refuse(said, "goalkeeper clean")
    return None


def _check_git(deps: PreflightDeps) -> Refused | None:
    """Make an object, and prepare a branch that is never made: that is what a commit needs."""
    git, name = deps.trees.user_git, f"refs/heads/{deps.branch}-preflight-{os.getpid()}"
    try:
        head = deps.trees.find_commit(f"refs/heads/{deps.branch}") or deps.trees.find_commit("HEAD")
        git.ask("hash-object", "-w", "--stdin", input=b"goalkeeper\n")
        words = f"start\ncreate {name} {head}\nprepare\nabort\n"
        git.ask("update-ref", "--stdin", input=words.encode())
    except GitFailed as exc:
        return _refuse(f"nothing can be committed here: {exc.message}", "git status")
    return None


def refuse_push(problem: str) -> Refused | None:
    hint = "mend that, then goalkeeper campaign run; or goalkeeper campaign run --no-push"
    return _refuse(f"nothing can be pushed: {problem}", hint) if problem else None


def _refuse(problem: str, hint: str) -> Refused:
    return Refused("preflight", f"This place cannot do the work: {problem}.", hint)
