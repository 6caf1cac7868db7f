"""Whether somebody at a terminal is not a human: an agent can make itself a terminal.

Variables can be taken away, and a process can lose its parents; but what a drive started stays
below an agent that it marked, or below the driver itself, which adopts the orphans.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from goalkeeper.storage.lock import holder_of
from goalkeeper.storage.places import State
from goalkeeper.wire import layout

_MOST = 100


def is_driven(state: State) -> bool:
    drivers = {str(pid) for pid in _drivers(state)}
    mark = f"{layout.SPAWNED}=".encode()
    for pid in _ancestors():
        with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            if any(each.startswith(mark) for each in file.read().split(b"\0")):
                return True
        if pid in drivers:
            return True
    return False


def _ancestors() -> Iterator[str]:
    pid = str(os.getppid())
    for _ in range(_MOST):
        if pid in {"0", "1"}:
            return
        yield pid
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = file.read().rpartition(b")")[2].split()[1].decode()
        except (OSError, IndexError):
            return


def _drivers(state: State) -> Iterator[int]:
    with suppress(OSError):
        for run_id in os.listdir(state.runs):
            lock = os.path.join(state.run(run_id).dir, layout.DRIVE_LOCK)
            holder = holder_of(lock) if os.path.isfile(lock) else None
            if holder and holder.is_alive:
                yield holder.pid
