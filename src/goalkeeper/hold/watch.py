"""What a look at a working tree may pass over, and what it must see besides."""

from __future__ import annotations

import os
import time

from goalkeeper.git.repository import call_git
from goalkeeper.git.trees import Trees
from goalkeeper.wire import fingerprint
from goalkeeper.wire.hold import Hold

_MOST = 500


def looked_at(hold: Hold, trees: Trees, ledger: str) -> Hold:
    """With what a look at its tree passes over, and sees besides."""
    return hold.replace(ignored=ignored_folders(trees), also_seen=log_of_head(trees), ledger=ledger)


def mark(hold: Hold) -> str:
    """How its tree looks now; empty when that cannot be told for sure."""
    seen, is_sure = fingerprint.take_fingerprint(hold, time.time_ns(), os.scandir, os.stat)
    return seen if is_sure else ""


def ignored_folders(trees: Trees) -> tuple[str, ...]:
    """Folders in which git sees nothing; the first of them, should there be very many."""
    worktree = trees.repository.worktree
    asked = (
        "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory",
        "--no-empty-directory",
    )  # fmt: skip
    told = call_git(asked, env={"GIT_DIR": trees.repository.git_dir}, cwd=worktree).split(b"\0")
    folders = [os.fsdecode(path[:-1]) for path in told if path.endswith(b"/")]
    return tuple(sorted(folders)[:_MOST])


def log_of_head(trees: Trees) -> tuple[str, ...]:
    """The file that changes with every commit and every change of branch, if git keeps one."""
    path = os.path.join(trees.repository.git_dir, "logs", "HEAD")
    return (path,) if os.path.isfile(path) else ()
