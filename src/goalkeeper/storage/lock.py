"""Kernel locks on small files that name their holder.

The kernel releases a lock when its holder dies, so no lock is ever deleted or broken. The holder
(pid and start time) is written into the file, so that an error can name it to a process that
waits. A holder that died leaves its name in the file, and `state doctor` reports it.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from goalkeeper.errors import LockBusy
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.procfs import read_start_time
from goalkeeper.system.safe_open import open_without_links, read_plain_file
from goalkeeper.wire.value import Value

_FIRST_WAIT_SECONDS = 0.001
_LONGEST_WAIT_SECONDS = 0.02
_RECORD_BYTES = 160


class Holder(Value):
    pid: int
    started: str
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.command})"

    @property
    def is_alive(self) -> bool:
        return read_start_time(self.pid) == self.started


@contextmanager
def hold_lock(path: str, *, shared: bool, timeout_seconds: float) -> Iterator[None]:
    """Hold the lock for the block; raise LockBusy if others hold it for too long."""
    how = os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT
    with disk_errors("open the lock", path):
        fd = open_without_links(path, how)
    try:
        _wait_for_lock(fd, path, shared=shared, timeout_seconds=timeout_seconds)
        if shared:
            yield
            return
        command = " ".join(["goalkeeper", *sys.argv[1:2]])
        _write_holder(fd, f"{os.getpid()}\n{read_start_time(os.getpid())}\n{command}\n")
        try:
            yield
        finally:
            _write_holder(fd, "")
    finally:
        os.close(fd)


def find_holder(path: str) -> Holder | None:
    """Return the process that holds the lock, or that died while it held it."""
    try:
        record = read_plain_file(path, _RECORD_BYTES).decode(errors="replace")
        pid, started, command = record.split("\n", 2)
        return Holder(int(pid), started, command.strip())
    except ValueError:
        return None


def is_held(path: str) -> bool:
    try:
        fd = open_without_links(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _try_lock(fd, fcntl.LOCK_SH, path)
    finally:
        os.close(fd)


def _wait_for_lock(fd: int, path: str, *, shared: bool, timeout_seconds: float) -> None:
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    deadline = time.monotonic() + timeout_seconds
    pause = _FIRST_WAIT_SECONDS
    while not _try_lock(fd, kind, path):
        if time.monotonic() > deadline:
            holder = find_holder(path) or "another process"
            raise LockBusy(path=path, holder=str(holder), waited_seconds=timeout_seconds)
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_WAIT_SECONDS)


def _try_lock(fd: int, kind: int, path: str) -> bool:
    with disk_errors("lock", path), suppress(BlockingIOError):
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
        return True
    return False


def _write_holder(fd: int, text: str) -> None:
    # It is padded and in place, because truncating takes a thousand times longer than writing.
    with suppress(OSError):  # without a name the lock works as well
        os.pwrite(fd, text.encode()[:_RECORD_BYTES].ljust(_RECORD_BYTES), 0)
