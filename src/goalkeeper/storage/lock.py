"""Kernel locks on small files that name their holder.

The kernel drops a lock when its holder dies, so none is ever deleted or broken. The holder
(pid and start time) is written into the file, to be named to those who wait; one that died
while holding leaves its name behind, and `state doctor` finds it.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from goalkeeper.errors import DiskFailed, LockBusy
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.procfs import born
from goalkeeper.system.safe_open import contents
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
        return born(self.pid) == self.started


@contextmanager
def holding(path: str, *, shared: bool, timeout_seconds: float) -> Iterator[None]:
    """Hold the lock for the block; LockBusy when it cannot be had in time."""
    how = os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT
    flags = how | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe there must not hold us
    with disk_errors("open the lock", path):
        fd = os.open(path, flags, 0o644)
    try:
        _wait(fd, path, shared=shared, timeout_seconds=timeout_seconds)
        if shared:
            yield
            return
        _sign(fd, f"{os.getpid()}\n{born(os.getpid())}\n{_command()}\n")
        try:
            yield
        finally:
            _sign(fd, "")
    finally:
        os.close(fd)


def holder_of(path: str) -> Holder | None:
    """Who holds the lock, or died holding it."""
    try:
        told = contents(path, _RECORD_BYTES).decode(errors="replace")
        pid, started, command = told.split("\n", 2)
        return Holder(int(pid), started, command.strip())
    except ValueError:
        return None


def is_held(path: str) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _wait(fd: int, path: str, *, shared: bool, timeout_seconds: float) -> None:
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    deadline = time.monotonic() + timeout_seconds
    pause = _FIRST_WAIT_SECONDS
    while not _locked(fd, kind, path):
        if time.monotonic() > deadline:
            holder = holder_of(path) or "another process"
            raise LockBusy(path=path, holder=str(holder), waited_seconds=timeout_seconds)
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_WAIT_SECONDS)


def _locked(fd: int, kind: int, path: str) -> bool:
    try:
        with disk_errors("lock", path):
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except DiskFailed as exc:
        if isinstance(exc.__cause__, BlockingIOError):
            return False
        raise
    return True


def _sign(fd: int, text: str) -> None:
    # Padded and in place: truncating a file costs a thousand times more than writing it.
    with suppress(OSError):  # the name is a courtesy; the lock is the kernel's
        os.pwrite(fd, text.encode()[:_RECORD_BYTES].ljust(_RECORD_BYTES), 0)


def _command() -> str:
    return " ".join(["goalkeeper", *sys.argv[1:2]])
