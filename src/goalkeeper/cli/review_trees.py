"""The two trees of a review: where the work began, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from goalkeeper import wiring
from goalkeeper.bootstrap import App
from goalkeeper.core.plan.model import Base
from goalkeeper.errors import OutsideError, UsageError
from goalkeeper.git.trees import Trees
from goalkeeper.system import run
from goalkeeper.wire import layout
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_DEFAULTS = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
_GH_SECONDS = 20.0
_SETTINGS = f"{layout.STATE_DIR}/{layout.CONFIG}"
_LONGEST_REASON = 300
_COMMIT = late_pattern(r"[0-9a-f]{40}([0-9a-f]{24})?")


class NoPullRequest(OutsideError, hint="fetch its branch, then: goalkeeper review --branch REF"):
    """Pull request {number} cannot be read: {reason}."""


class ReviewTrees(Value):
    base: Base
    candidate: Base


def choose_trees(app: App, trees: Trees, *, pr: int | None, branch: str | None) -> ReviewTrees:
    """Find the trees of a pull request, a branch, or else the worktree. They must differ."""
    if pr is not None:
        found = _find_pull_request_trees(app, trees, pr)
    elif branch is not None:
        found = _find_branch_trees(trees, branch)
    else:
        found = ReviewTrees(
            trees.resolve_revision(_find_default_fork(trees)), trees.take_snapshot()
        )
    found = _leave_out_new_settings(trees, found)
    if found.base.tree == found.candidate.tree:
        problem = "review: nothing is changed here that could be reviewed"
        raise UsageError(problem=problem, hint="goalkeeper review --branch REF")
    return found


def _leave_out_new_settings(trees: Trees, found: ReviewTrees) -> ReviewTrees:
    """Leave out settings that `init` wrote and the base does not have: they are not the work.

    Settings of the base count for a review, so new ones change nothing in it.
    """
    changed = trees.list_differences(found.base.tree, found.candidate.tree)
    if not changed.get(_SETTINGS) or trees.open_tree(found.base.tree).read_file(_SETTINGS):
        return found
    tree = trees.compose_tree(found.candidate.tree, {_SETTINGS: None})
    return found.replace(candidate=found.candidate.replace(tree=tree))


def _find_branch_trees(trees: Trees, branch: str) -> ReviewTrees:
    """Choose trees. A branch that HEAD was made from is where work began; any other is the work."""
    named = trees.resolve_revision(branch)
    if not named.commit:
        problem = f"review: '{branch}' names files, not a commit"
        raise UsageError(problem=problem, hint="git branch --all")
    head = _require_head(trees)
    fork = (
        _find_default_fork(trees) if named.commit == head else _require_fork(trees, branch, "HEAD")
    )
    if fork == named.commit:
        return ReviewTrees(named, trees.take_snapshot())
    return ReviewTrees(trees.resolve_revision(fork), named)


def _find_default_fork(trees: Trees) -> str:
    """Find where HEAD left the default branch; return HEAD itself if it did not."""
    head = _require_head(trees)
    forks = (trees.find_fork_point(name, head) for name in _DEFAULTS if trees.find_commit(name))
    return next(filter(None, forks), head)


def _require_head(trees: Trees) -> str:
    head = trees.find_commit("HEAD")
    if not head:
        problem = "review: there is no commit that the worktree could be compared with"
        raise UsageError(problem=problem, hint="git commit, then review what comes after it")
    return head


def _require_fork(trees: Trees, one: str, other: str) -> str:
    fork = trees.find_fork_point(one, other)
    if not fork:
        problem = f"review: {one} and {other} have no commit in common"
        raise UsageError(problem=problem, hint="git fetch --unshallow, if history was cut off")
    return fork


def _find_pull_request_trees(app: App, trees: Trees, number: int) -> ReviewTrees:
    program = wiring.find_program(app, "gh")
    if program is None:
        raise NoPullRequest(number=number, reason="gh is not installed")
    target, head = ask_gh(program, number, cwd=app.worktree, environ=app.world.environ)
    missing = {f"pull/{number}/head": head, "": target}
    lacks = [ref for ref, commit in missing.items() if not trees.find_commit(commit)]
    if lacks:
        names = ", ".join(missing[ref][:12] for ref in lacks)
        fetch = " && ".join(f"git fetch origin {ref}".strip() for ref in lacks)
        reason = f"{names} is not in this repository"
        raise NoPullRequest(number=number, reason=reason, hint=f"{fetch}, then repeat the command")
    return ReviewTrees(
        trees.resolve_revision(_require_fork(trees, target, head)), trees.resolve_revision(head)
    )


def ask_gh(
    program: str, number: int, *, cwd: str, environ: Mapping[str, str], seconds: float = _GH_SECONDS
) -> tuple[str, str]:
    """Ask gh for the two commits of a pull request: that of its target, and its own."""
    argv = [program, "pr", "view", str(number), "--json", "baseRefOid,headRefOid"]
    limits = run.ProgramLimits(seconds=seconds, free_mb=0)
    ran = run.run(argv, cwd=cwd, env=environ, limits=limits)
    if not isinstance(ran, run.Exited) or ran.code != 0:
        raise NoPullRequest(number=number, reason=_explain_failure(ran))
    try:
        told = json.loads(ran.out.text)
        commits = (told["baseRefOid"], told["headRefOid"])
    except (ValueError, RecursionError, KeyError, TypeError) as exc:
        raise NoPullRequest(number=number, reason="gh gave no answer that can be read") from exc
    if not all(isinstance(each, str) and _COMMIT.fullmatch(each) for each in commits):
        raise NoPullRequest(number=number, reason="gh named no commits")
    return commits


def _explain_failure(ran: run.Ran) -> str:
    match ran:
        case run.NotStarted(reason=reason):
            return reason
        case run.LimitHit(limit=limit):
            return f"gh was ended: too much {limit}"
        case _:
            return " ".join(ran.err.text.split())[:_LONGEST_REASON] or "gh failed without a word"
