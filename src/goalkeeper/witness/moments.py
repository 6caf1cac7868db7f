"""Moments that checks refer to: of a commit, of a file of the working tree, or written out."""

from __future__ import annotations

import glob
import os

from goalkeeper.errors import OutsideError, UsageError
from goalkeeper.git.trees import Trees
from goalkeeper.witness.checks.moments import instant

_MTIMES = 10_000


def moment(reference: str, worktree: str, trees: Trees) -> float | None:
    """Of `iso:TIME`, `git:REVISION` or `file:PATH`; None when it names none."""
    kind, _, name = reference.partition(":")
    try:
        if kind == "iso":
            return instant(name)
        if kind == "file":
            return os.stat(os.path.join(worktree, name)).st_mtime
        commit = trees.resolve(name).commit
        return float(trees.commits("", commit)[0].at) if commit else None
    except (ValueError, OSError, OutsideError, UsageError):
        return None


def mtimes(pattern: str, worktree: str) -> list[float]:
    """When the files of the working tree that match were written."""
    found = glob.iglob(pattern, root_dir=worktree, recursive=True)
    times = []
    for path, _ in zip(found, range(_MTIMES), strict=False):
        full = os.path.join(worktree, path)
        if os.path.isfile(full) and not os.path.islink(full):
            times.append(os.stat(full).st_mtime)
    return times
