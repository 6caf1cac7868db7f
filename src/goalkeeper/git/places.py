"""Finds git's own folders without git.

Anybody can make an archive with such files, so what is not exactly as git writes it has no answer
here, and links are not followed at the end of a path. Then the caller asks git, or refuses.
"""

from __future__ import annotations

import os

from goalkeeper.system.safe_open import read_plain_file

_MOST_BYTES = 1 << 16


def find_git_dir(worktree: str) -> str:
    """Return the folder `.git`, or the folder that a file `.git` names; empty if neither is so."""
    here = os.path.join(worktree, ".git")
    return here if os.path.isdir(here) else follow_path(here, b"gitdir: ")


def find_shared_dir(git_dir: str) -> str:
    """Return the folder of git that all worktrees of a repository share; empty if nobody knows."""
    told = os.path.join(git_dir, "commondir")
    return follow_path(told) if git_dir and os.path.lexists(told) else git_dir


def find_common_dir(worktree: str) -> str:
    """Return the folder of git that a worktree shares with others, as a real path.

    Where nobody knows it, there is no folder at the path that is returned.
    """
    common = find_shared_dir(find_git_dir(worktree))
    return os.path.realpath(common) if common else os.path.join(worktree, ".git", "unknown")


def find_main_worktree(worktree: str) -> str:
    """Return the main worktree of a linked one; empty for submodules and bare repositories.

    An archive can name any repository, so the repository must name this worktree, too.
    """
    linked = os.path.realpath(follow_path(os.path.join(worktree, ".git"), b"gitdir: ") or worktree)
    common, name = os.path.split(os.path.dirname(linked))
    is_main = name == "worktrees" and os.path.basename(common) == ".git"
    return os.path.dirname(common) if is_main and has_worktree(linked, worktree) else ""


def list_checkouts(worktree: str) -> tuple[str, ...]:
    """Return the worktree, and the folder that has the `.git` which it shares with others."""
    around, name = os.path.split(find_common_dir(worktree))
    return (worktree, around) if name == ".git" else (worktree,)


def has_worktree(git_dir: str, worktree: str) -> bool:
    """Return whether git's folder of a linked worktree names this worktree."""
    folder, name = os.path.split(follow_path(os.path.join(git_dir, "gitdir")))
    return name == ".git" and os.path.realpath(folder) == os.path.realpath(worktree)


def follow_path(file: str, prefix: bytes = b"") -> str:
    """Return the path that a file of git names; empty if it names none as git would."""
    data = read_plain_file(file, _MOST_BYTES)
    path = data.removeprefix(prefix).rstrip(b"\r\n")
    is_odd = path != path.rstrip() or {*b"\0\r\n"}.intersection(path)
    if not path or is_odd or not data.startswith(prefix):
        return ""
    return os.path.join(os.path.dirname(file), os.fsdecode(path))
