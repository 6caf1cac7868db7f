"""What a program and all that it started use together: processes, and memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from goalkeeper.system import reaper
from goalkeeper.system.procfs import (
    list_children,
    list_threads,
    read_environment,
    read_process,
    read_sizes,
)

# A sandbox has folders of its own here, which take memory; so many bytes may be written to each.
PRIVATE = {"/tmp": 1 << 30, "/var/tmp": 1 << 30, "/dev/shm": 1 << 30, "/run": 1 << 24}  # noqa: S108


def list_family(pid: int, marker: bytes, most: int) -> list[int] | None:
    """Return a program and its descendants; None if they have more threads than `most`.

    Orphans have become children of ours; they are in the session of the program, or have the
    marker in their environment.
    """
    orphans = [
        child
        for child in list_children() - {pid, *reaper.running, *reaper.helpers}
        if (process := read_process(child))
        and (process.session == pid or marker in read_environment(child))
    ]
    found: list[int] = []
    ahead = [pid, *orphans]
    threads = 0
    while ahead:
        found.append(ahead.pop())
        threads += len(list_threads(found[-1]))
        if threads > most:
            return None
        ahead += list_children(found[-1])
    return found


def measure_memory(pids: Sequence[int], enough: int) -> int:
    """Return the bytes that processes hold; the exact number costs more, and is found if needed."""
    own = _measure_private_folders(pids[-1])
    quick = sum(sum(read_sizes(f"/proc/{pid}/status", _RESIDENT).values()) for pid in pids) + own
    if quick <= enough:
        return quick
    # What several processes share was counted for each of them.
    exact = [_read_shares(pid) for pid in pids]
    return sum(anonymous for anonymous, _ in exact) + max(sum(shared for _, shared in exact), own)


_RESIDENT = ("RssAnon", "RssShmem")
_SHARES = ("Pss_Anon", "Pss_Shmem")


def _read_shares(pid: int) -> tuple[int, int]:
    for path, (anonymous, shared) in (("smaps_rollup", _SHARES), ("status", _RESIDENT)):
        found = read_sizes(f"/proc/{pid}/{path}", (anonymous, shared))
        if found:
            return found.get(anonymous, 0), found.get(shared, 0)
    return 0, 0


def _measure_private_folders(pid: int) -> int:
    """Return how much lies in folders in memory that the process sees and we do not."""
    used = 0
    for place in PRIVATE:
        inside = f"/proc/{pid}/root{place}"
        with suppress(OSError):
            if os.stat(inside).st_dev != os.stat(place).st_dev:
                disk = os.statvfs(inside)
                used += (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    return used


def read_free_memory() -> int:
    return read_sizes("/proc/meminfo", ("MemAvailable",)).get("MemAvailable", sys.maxsize)
