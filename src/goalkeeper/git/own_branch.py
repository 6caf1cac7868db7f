"""A branch that is ours alone, and that anybody can spoil who may write to refs.

What stands in its place and names no commit is no branch. git would refuse to write there, and for
ever wait to read a pipe.
"""

from __future__ import annotations

import os
from contextlib import suppress

from goalkeeper.core.plan.model import Base
from goalkeeper.git.places import find_common_dir
from goalkeeper.git.refs import read_ref
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.system.removal import remove_tree


def find_tip(trees: Trees, root: str, ref: str) -> str:
    """Return what a branch names, without a process if that can be; empty if there is nothing."""
    path = os.path.join(find_common_dir(root), ref)
    if os.path.lexists(path) and not os.path.isfile(path):
        return ""
    return read_ref(root, ref) or trees.find_commit(ref)


def read_commit(trees: Trees, named: str) -> Base | None:
    """Read the commit with this id; None if it is none, whatever else it may name."""
    return trees.resolve_revision(named) if trees.find_commit(named) == named else None


def find_checkout(trees: Trees, ref: str) -> str:
    """Return the worktree in which a branch is checked out; empty if there is none."""
    told = trees.user_git.ask_if_any("worktree", "list", "--porcelain", "-z")
    for entry in told.split("\0\0"):
        lines = entry.split("\0")
        if f"branch {ref}" in lines:
            return lines[0].removeprefix("worktree ")
    return ""


def create_branch(trees: Trees, ref: str, base: Base) -> None:
    """Make a branch; if somebody else was faster, it stays as it is."""
    try:
        trees.user_git.ask("update-ref", "--no-deref", ref, base.commit, "0" * len(base.commit))
    except GitFailed:
        if not trees.find_commit(ref):
            raise


def restore_branch(trees: Trees, root: str, ref: str, base: Base) -> None:
    """Make a branch again, where there is none or something else."""
    path = os.path.join(find_common_dir(root), ref)
    if os.path.isdir(path) and not os.path.islink(path):
        remove_tree(path)
    else:
        _remove_files(path)
    _remove_files(f"{path}.lock")
    trees.user_git.ask("update-ref", "--no-deref", ref, base.commit)


def move_branch(trees: Trees, root: str, ref: str, old: Base, new: Base) -> bool:
    """Move a branch from one commit to another; return no if it is at a third one."""
    now = find_tip(trees, root, ref)
    if now not in {old.commit, new.commit}:
        return False
    if now == new.commit:
        return True
    words = ("update-ref", "--no-deref", ref, new.commit, old.commit)
    try:
        trees.user_git.ask(*words)
    except GitFailed:
        if find_tip(trees, root, ref) != old.commit:
            return False
        # Nobody moved it. git has waited for the lock already, so whoever left it is gone.
        _remove_files(os.path.join(find_common_dir(root), f"{ref}.lock"))
        trees.user_git.ask(*words)
    return True


def _remove_files(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
