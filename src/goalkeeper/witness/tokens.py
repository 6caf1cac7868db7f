"""Tokens for judging: few judgements of a repository run checks at the same time.

A judgement runs as many checks at once as there are cores. If many sessions were judged together,
their checks would make each other slow, and some would hit their limits.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from goalkeeper.system.safe_open import make_folder, open_without_links

_LOOK_SECONDS = 0.02


def count_cores() -> int:
    usable = getattr(os, "sched_getaffinity", None)  # not every system has it
    return len(usable(0)) if usable else os.cpu_count() or 1


@contextmanager
def hold_judging_token(folder: str) -> Iterator[None]:
    """Wait for one of the tokens in this folder: one for each two cores. A crash releases it."""
    make_folder(folder, 0o700)
    names = [os.path.join(folder, f"token-{n}") for n in range(max(1, count_cores() // 2))]
    fds = [open_without_links(name, os.O_RDWR | os.O_CREAT, 0o600) for name in names]
    try:
        while not any(map(_try_lock, fds)):
            time.sleep(_LOOK_SECONDS)
        yield
    finally:
        for fd in fds:
            os.close(fd)


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
