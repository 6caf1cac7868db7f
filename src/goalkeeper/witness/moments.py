"""Moments that checks refer to: the time of a commit or of a file, or a written time."""

from __future__ import annotations

import glob
import os

from goalkeeper.errors import OutsideError, UsageError
from goalkeeper.git.trees import Trees
from goalkeeper.witness.checks.moments import parse_instant

_MTIMES = 10_000


def find_moment(reference: str, worktree: str, trees: Trees) -> float | None:
    """Return the moment of `iso:TIME`, `git:REVISION` or `file:PATH`; None if there is none."""
    kind, _, name = reference.partition(":")
    try:
        if kind == "iso":
            return parse_instant(name)
        if kind == "file":
            return os.stat(os.path.join(worktree, name)).st_mtime
        commit = trees.resolve_revision(name).commit
        return float(trees.list_commits("", commit)[0].at) if commit else None
    except (ValueError, OSError, OutsideError, UsageError):
        return None


def list_mtimes(pattern: str, worktree: str) -> list[float]:
    """Return the times at which matching files of the working tree were written."""
    found = glob.iglob(pattern, root_dir=worktree, recursive=True)
    times = []
    for path, _ in zip(found, range(_MTIMES), strict=False):
        full = os.path.join(worktree, path)
        if os.path.isfile(full) and not os.path.islink(full):
            times.append(os.stat(full).st_mtime)
    return times
