"""The process table, as the kernel shows it in /proc. It is empty where there is no /proc."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

from goalkeeper.wire.value import Value

_STAT_BYTES = 4096
_ENVIRONMENT_BYTES = 4 << 20
_BORN = 19  # the start time is this field behind the name


class Process(Value):
    pid: int
    parent: int
    session: int
    dead: bool
    born: str  # it is in clock ticks; no other process ever has this pid and this time


def list_processes() -> Iterator[Process]:
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        found = read_process(int(name)) if name.isdecimal() else None
        if found:
            yield found


def read_process(pid: int) -> Process | None:
    with suppress(OSError, ValueError, IndexError):  # the process may have ended
        # The name of a program may contain anything, also brackets.
        fields = (
            _read_bytes(f"/proc/{pid}/stat", _STAT_BYTES).rpartition(b")")[2].split(None, _BORN + 1)
        )
        born = fields[_BORN].decode()
        return Process(pid, int(fields[1]), int(fields[3]), fields[0] in b"ZX", born)
    return None


def read_start_time(pid: int) -> str:
    """Return when a process started; empty if there is no such process, or it is dead."""
    found = read_process(pid)
    return found.born if found and not found.dead else ""


def read_words(pid: int) -> list[bytes]:
    """Return the words with which a process was started; none if it has ended."""
    with suppress(OSError):
        return _read_bytes(f"/proc/{pid}/cmdline", _ENVIRONMENT_BYTES).split(b"\0")
    return []


def list_children(parent: int | str = "self") -> set[int]:
    """Return child processes, also dead ones; none where the kernel does not list them."""
    return {child for thread in list_threads(parent) for child in _list_forked(parent, thread)}


def list_threads(pid: int | str) -> list[str]:
    with suppress(OSError):  # the process has ended
        return os.listdir(f"/proc/{pid}/task")
    return []


def _list_forked(pid: int | str, thread: str) -> list[int]:
    path = f"/proc/{pid}/task/{thread}/children"
    with suppress(OSError), open(path, "rb") as file:  # a single read would give a part of it
        return [*map(int, file.read().split())]
    return []


def read_sizes(path: str, names: Sequence[str]) -> dict[str, int]:
    """Return the bytes that a file of the kernel states, as in "RssAnon:  12 kB"."""
    found = {}
    with suppress(OSError):
        for line in _read_bytes(path, _STAT_BYTES).decode(errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name in names:
                found[name] = int(value.split()[0]) * 1024
    return found


def read_environment(pid: int) -> tuple[bytes, ...]:
    """Return the variables that a process was started with; none if we may not see them."""
    with suppress(OSError):
        return tuple(_read_bytes(f"/proc/{pid}/environ", _ENVIRONMENT_BYTES).split(b"\0"))
    return ()


def _read_bytes(path: str, most: int) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, most)
    finally:
        os.close(fd)
