"""Whether somebody at a terminal is not a human: an agent can make itself a terminal.

Variables can be taken away, and a process can lose its parents; but what a drive started stays
below an agent that it marked, or below the driver itself, which adopts the orphans.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from goalkeeper.core.plan.actors import marks_agent
from goalkeeper.storage.lock import holder_of
from goalkeeper.storage.places import State
from goalkeeper.system.procfs import environment, process
from goalkeeper.wire import layout

_MOST = 100


def is_driven(state: State) -> bool:
    drivers = {*_drivers(state)}
    return any(
        pid in drivers or any(_marks(each) for each in environment(pid)) for pid in _ancestors()
    )


def _marks(variable: bytes) -> bool:
    name = variable.partition(b"=")[0].decode(errors="replace")
    return name == layout.SPAWNED or marks_agent(name)


def _ancestors() -> Iterator[int]:
    pid = os.getppid()
    for _ in range(_MOST):
        found = process(pid)
        if pid <= 1 or found is None:
            return
        yield pid
        pid = found.parent


def _drivers(state: State) -> Iterator[int]:
    with suppress(OSError):
        for run_id in os.listdir(state.runs):
            lock = state.run(run_id).drive_lock
            holder = holder_of(lock) if os.path.isfile(lock) else None
            if holder and holder.is_alive:
                yield holder.pid
