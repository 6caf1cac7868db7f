"""Brings proven branches to the user's branch: one commit for each goal, all or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from shlex import quote

from goalkeeper.core.plan.model import Base, Plan, Refused
from goalkeeper.git.commits import list_conflicts, merge_trees
from goalkeeper.git.folders import SUBMODULE, Blob, parse_raw_diff
from goalkeeper.git.repository import Git, GitFailed, open_git
from goalkeeper.git.trees import NOBODY, Trees
from goalkeeper.git.worktrees import commit_as_user
from goalkeeper.wire import layout
from goalkeeper.wire.value import Value

SETTINGS = f"{layout.STATE_DIR}/{layout.CONFIG}"
_SETTINGS_MESSAGE = "goalkeeper: settings\n\nThe work that follows was proven with them.\n"
_IDENTITY = ("GIT_AUTHOR_", "GIT_COMMITTER_")  # the user may name himself so
_AGAIN = "goalkeeper land"


class ProvenBranch(Value):
    """A branch whose work is proven."""

    branch: str
    commit: str  # the commit that passed the gate; the branch may have moved since
    start: str  # the commit that work began with: the user's own, or a copy of what lay there
    message: str  # the message of a commit that brings it in


class Landed(Value):
    how: str  # it is already there, fast-forward or commit
    commit: str
    altered: tuple[str, ...] = ()  # files that git wrote with other bytes than were proven


def land_branches(
    trees: Trees,
    branches: Sequence[ProvenBranch],
    refuse_commit: Callable[[str], Refused | None],
    *,
    keep_history: bool = False,
    again: str = _AGAIN,
) -> Landed | Refused:
    """Join all branches in commits that no branch has, and merge the last of these commits.

    `refuse_commit` is asked before the user's branch moves. With `keep_history` the commits of the
    iterations come along where that is a fast-forward. `again` is the command to repeat it.
    """
    ask = _GitAsk(trees, again)
    head = ask.find_commit("HEAD")
    refused = _refuse_detached(ask, head)
    if refused:
        return refused
    settings = _find_new_settings(ask, branches[-1].commit)
    begun = _commit_settings(ask, head, settings) if settings else head
    tip = _join_all(ask, begun, branches, keep_history=keep_history)
    if isinstance(tip, Refused):
        return tip
    if tip == begun:
        # Git would look for changes in submodules, and run what their configuration names.
        asked = ("diff", "--name-only", "-z", "--ignore-submodules")
        dirty = ask.git.ask_if_any(*asked).split("\0")
        altered = [path for path in ask.list_altered(branches[0].start, head) if path not in dirty]
        return refuse_commit(head) or Landed("already there", head, tuple(altered))
    how = "fast-forward" if tip in {proven.commit for proven in branches} else "commit"
    return refuse_commit(tip) or _merge_commit(ask, how, head, tip, settings)


def join_branches(trees: Trees, tip: str, branches: Sequence[ProvenBranch]) -> str | Refused:
    """Make commits that have what the tip has and the work of all branches; no branch moves."""
    return _join_all(_GitAsk(trees), tip, branches, keep_history=False)


def _join_all(
    ask: _GitAsk, tip: str, branches: Sequence[ProvenBranch], *, keep_history: bool
) -> str | Refused:
    for proven in branches:
        joined = _join_branch(ask, tip, proven, keep_history=keep_history)
        if isinstance(joined, Refused):
            return joined
        tip = joined
    return tip


def _find_new_settings(ask: _GitAsk, proven: str) -> Blob | None:
    """Find the settings that goalkeeper wrote, the work was proven with, and nobody committed.

    Without them another tree would land than was proven, and no receipt would be of it.
    """
    listed = ask.git.ask_if_any("ls-tree", proven, SETTINGS).split()
    known = ask.git.ask_if_any("ls-tree", "--name-only", "HEAD", SETTINGS)
    known += ask.git.ask_if_any("ls-files", SETTINGS)
    if known or len(listed) < len(("mode", "type", "id", "path")):
        return None
    blob = Blob(listed[0], listed[2])
    return blob if blob.is_at(os.path.join(ask.root, SETTINGS)) else None


def _commit_settings(ask: _GitAsk, head: str, settings: Blob) -> str:
    """Make a commit of the settings alone, so that the commits of goals have their work alone."""
    inside = f"{settings.mode} blob {settings.id}\t{layout.CONFIG}\n"
    folder = f"040000 tree {ask.git.ask('mktree', input=inside.encode())}\t{layout.STATE_DIR}\n"
    alone = ask.git.ask("mktree", input=folder.encode())
    nothing = ask.ask_as(NOBODY, "commit-tree", ask.git.ask("mktree"), "-m", "nothing")
    tree = ask.merge_trees(ask.copy_commit(head, nothing), ask.copy_commit(alone, nothing))
    words = ("commit-tree", tree, "-p", head, "-m", _SETTINGS_MESSAGE)
    return commit_as_user(lambda who: ask.ask_as(who, *words))


def _join_branch(
    ask: _GitAsk, tip: str, proven: ProvenBranch, *, keep_history: bool
) -> str | Refused:
    """Make a commit that has what the tip has, and the work of the branch."""
    branch, start = proven.branch, proven.start
    theirs = ask.find_commit(proven.commit)
    if not theirs:
        said = f"The proven work of {branch} is gone. Nothing was changed."
        return Refused("branch-gone", said, "git reflog, then git branch")
    if ask.git.is_ancestor(theirs, tip):
        return tip
    if keep_history and ask.git.is_ancestor(tip, theirs) and ask.git.is_ancestor(start, tip):
        return theirs
    # The merge assumes that both sides began at the start, so uncommitted files of that time stay
    # out, and it does not matter what an agent made of the history.
    sides = [ask.copy_commit(side, start) for side in (tip, theirs)]
    tree = ask.merge_trees(*sides)
    if not tree:
        return _refuse_conflict(ask, tip, proven, ask.list_conflicts(*sides))
    if tree == ask.git.ask_if_any("rev-parse", f"{tip}^{{tree}}"):
        return tip
    words = ("commit-tree", tree, "-p", tip, "-m", proven.message)
    return commit_as_user(lambda who: ask.ask_as(who, *words))


def _refuse_conflict(ask: _GitAsk, tip: str, proven: ProvenBranch, files: list[str]) -> Refused:
    named = f"{', '.join(files[:5])}. Nothing was changed."
    if not ask.git.is_ancestor(proven.start, tip):
        said = f"{proven.branch} builds on changes that your branch does not have yet: {named}"
        hint = f"git add --all && git commit, then {ask.again}"
        return Refused("conflict", said, hint, {"files": files})
    said = f"{proven.branch} and your branch changed the same lines: {named}"
    return Refused("conflict", said, f"git merge {proven.branch}", {"files": files})


def _refuse_detached(ask: _GitAsk, head: str) -> Refused | None:
    if ask.has_rebase():
        said = "A rebase is under way: your branch moves when it ends."
        hint = f"git rebase --continue or git rebase --abort, then {ask.again}"
        return Refused("rebase-under-way", said, hint)
    if not ask.git.ask_if_any("symbolic-ref", "--quiet", "HEAD"):
        said = "HEAD is detached: there is no branch to land on."
        hint = f"git switch <branch> or git switch -c <new>, then {ask.again}"
        return Refused("no-branch", said, hint)
    if not head:
        said = "Your branch has no commit yet: there is nothing to land on."
        return Refused("no-commit", said, f"git add --all && git commit, then {ask.again}")
    return None


def _merge_commit(
    ask: _GitAsk, how: str, head: str, commit: str, settings: Blob | None
) -> Landed | Refused:
    # A signature is made and verified by a program that the configuration names.
    without = ("--no-verify-signatures", "--no-gpg-sign", "--no-edit")
    try:
        if settings:  # git overwrites no file that it does not know, not even with the same bytes
            entry = f"{settings.mode},{settings.id},{SETTINGS}"
            ask.git.ask("update-index", "--add", "--cacheinfo", entry)
        ask.git.ask("merge", "--quiet", "--ff-only", *without, commit)
    except GitFailed as exc:
        if settings:
            ask.git.ask_if_any("update-index", "--force-remove", SETTINGS)
        said = f"git does not take it: {exc.message}. Nothing was changed."
        hint = f"if no git runs here: rm {quote(ask.lock)}, then {ask.again}"
        return Refused("not-merged", said, hint if ask.lock in exc.message else "git status")
    return Landed(how, ask.find_commit("HEAD"), tuple(ask.list_altered(head, commit)))


def find_landing_rules(
    trees: Trees, plan: Plan, moved: Iterable[str], redact: Callable[[str], str]
) -> Base | None:
    """Find by which protected files landing work is judged: the plan's, as the user changed them.

    `moved` names refs, redacted, that moved while an agent worked: such changes may be the agent's.
    """
    rules, origin = plan.judged_from, plan.origin
    if not trees.find_commit("HEAD"):
        return rules
    head = trees.resolve_revision("HEAD")
    branch = trees.user_git.ask_if_any("symbolic-ref", "--quiet", "HEAD")
    is_moved = any(each.split(" ")[0] == redact(branch) for each in moved)
    if rules is None or origin is None or is_moved or head.commit == origin.commit:
        return rules
    before = trees.find_tree(origin.commit) if origin.commit else origin.tree
    changed = trees.list_differences(before, head.tree)
    return Base(trees.compose_tree(rules.tree, changed), rules.commit)


def join_chain(
    trees: Trees, branches: list[ProvenBranch], origin: str, *, keep_history: bool
) -> list[ProvenBranch]:
    """Join branches of which the last has all the work, though others began in between.

    It began where the plan did, or at a later commit if work has landed before. Those that build on
    each other stay commits of their own.
    """
    ask, last = _GitAsk(trees), branches[-1]
    if not all(ask.git.is_ancestor(each.commit, last.commit) for each in branches):
        return branches
    common = ask.git.ask_if_any("merge-base", "HEAD", last.commit)
    is_later = bool(common) and ask.git.is_ancestor(origin, common)
    start = common if is_later else origin
    chain: list[ProvenBranch] = []
    for each in (last,) if keep_history else branches:
        if not chain or ask.git.is_ancestor(start, each.commit):
            chain.append(each.replace(start=start))
            start = each.commit
    return chain


class _GitAsk:
    def __init__(self, trees: Trees, again: str = _AGAIN) -> None:
        self._trees = trees
        self.again = again
        self.lock = os.path.join(trees.repository.git_dir, "index.lock")
        self.root = trees.repository.worktree
        whose = {n: v for n, v in os.environ.items() if n.startswith(_IDENTITY)}
        self.git = open_git(self.root, trees.is_trusted).replace(env=whose)

    def ask_as(self, who: Mapping[str, str], *args: str) -> str:
        return self.git.replace(env={**self.git.env, **who}).ask(*args)

    def has_rebase(self) -> bool:
        """Return whether the user is in the middle of a rebase here."""
        asked = ("rev-parse", "--git-path", "rebase-merge", "--git-path", "rebase-apply")
        paths = self.git.ask_if_any(*asked).split()
        return any(os.path.isdir(os.path.join(self.root, path)) for path in paths)

    def find_commit(self, revision: str) -> str:
        """Find a commit; return an empty text if there is none."""
        return self.git.ask_if_any("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")

    def copy_commit(self, commit: str, start: str) -> str:
        """Make a copy of the commit that comes right after the start."""
        words = ("commit-tree", f"{commit}^{{tree}}", "-p", start, "-m", "one side")
        return self.ask_as(NOBODY, *words)

    def merge_trees(self, ours: str, theirs: str) -> str:
        """Make the tree that a merge would give, without touching a file; empty for a conflict.

        This git knows the same objects and no settings: what an agent wrote into the user's
        repository does not change a merge.
        """
        return merge_trees(self._bare_git, ours, theirs)

    def list_conflicts(self, ours: str, theirs: str) -> list[str]:
        return list_conflicts(self._bare_git, ours, theirs)

    @property
    def _bare_git(self) -> Git:
        return self.git.replace(env=self._trees.lent_environment)

    def list_altered(self, old: str, new: str) -> list[str]:
        """List files that a filter or a rule of line endings wrote with bytes of its own."""
        words = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--diff-filter=d", old, new)
        rows = parse_raw_diff(self.git.call(*words))
        places = ((row, os.path.join(self.root, row.path)) for row in rows)
        return [r.path for r, place in places if r.new.mode != SUBMODULE and not r.new.is_at(place)]
