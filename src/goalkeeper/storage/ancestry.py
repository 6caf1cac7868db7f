"""Finds out whether an agent called us, because an agent can make itself a terminal.

A program can remove variables from its environment, and a process can lose its parents. But what a
drive started stays below an agent that it marked, or below the driver, which adopts orphans. Agents
of a campaign do not see their driver. They have walls around them, which they cannot take away.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from goalkeeper.core.plan.actors import find_marker
from goalkeeper.storage.lock import find_holder
from goalkeeper.storage.places import State
from goalkeeper.system.procfs import read_environment, read_process

_MOST = 100


def is_driven(state: State) -> bool:
    return bool(find_agent_above(state))


def is_below_drive(state: State) -> bool:
    """Return whether a drive of this repository started us, or who did: we are its agent's."""
    drivers = {*_list_drivers(state)}
    return _is_walled_in(state) or any(pid in drivers for pid in _list_ancestors())


def find_agent_above(state: State) -> str:
    """Find an agent or a drive among our ancestors, and say how it is known; else nothing."""
    drivers = {*_list_drivers(state)}
    for pid in _list_ancestors():
        names = [each.partition(b"=")[0].decode(errors="replace") for each in read_environment(pid)]
        marker = find_marker(names)
        if marker:
            return f"started by an agent, process {pid} has {marker}"
        if pid in drivers:
            return f"started by a drive, process {pid}"
    return f"{state.dir} is sealed, as for agents of a campaign" if _is_walled_in(state) else ""


def _is_walled_in(state: State) -> bool:
    """Return whether the state is read-only where the files around it are not."""
    return _is_read_only(state.dir) and not _is_read_only(state.root)


def _is_read_only(place: str) -> bool:
    try:
        return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _list_ancestors() -> Iterator[int]:
    pid = os.getppid()
    for _ in range(_MOST):
        found = read_process(pid)
        if pid <= 1 or found is None:
            return
        yield pid
        pid = found.parent


def _list_drivers(state: State) -> Iterator[int]:
    with suppress(OSError):
        for run_id in os.listdir(state.runs):
            lock = state.files_of_run(run_id).drive_lock
            holder = find_holder(lock) if os.path.isfile(lock) else None
            if holder and holder.is_alive:
                yield holder.pid
