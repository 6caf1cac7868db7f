"""Programs that a user works with in the terminal, such as an editor."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

NOT_FOUND = 127  # shells use the same code


def run_in_foreground(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a program that has the terminal until it ends; return its exit code."""
    try:
        pid = os.posix_spawnp(argv[0], list(argv), dict(environ))
    except OSError:
        return NOT_FOUND
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
