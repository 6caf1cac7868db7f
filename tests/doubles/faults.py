"""A disk on which the machine dies, runs full or stands still, at a moment of our choice.

`python -m tests.doubles.faults POINT[@N][,STRIKE] COMMAND…` runs the command line on such
a disk. A point is one of POINTS, or `change`: just before the N-th time anything in the state
directory is opened for writing, made, renamed, cut or removed, by whomever.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterable
from enum import StrEnum

from goalkeeper.bootstrap import World
from goalkeeper.cli.main import main
from goalkeeper.storage.disk import Disk
from goalkeeper.wire.layout import STATE_DIR

POINTS = (
    "append:before", "append:half", "append:after", "sync:before", "sync:after",
    "write_new:before", "write_new:half", "write_new:after", "rename:before", "rename:after",
    "overwrite:before", "overwrite:half", "overwrite:after", "sync_dir:before", "sync_dir:after",
)  # fmt: skip
CHANGE = "change"
# For a process that runs this module, wherever it works.
ENVIRON = {"PYTHONPATH": os.path.dirname(os.path.dirname(os.path.dirname(__file__)))}
_CHANGES = frozenset({"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Strike(StrEnum):
    KILL = "kill"  # gone, as after kill -9
    FULL = "full"  # no space left
    STOP = "stop"  # stands still until SIGCONT, so that others can act meanwhile


class Fault:
    """Strikes the n-th time its point is reached; without a point never, it only looks on."""

    def __init__(self, point: str = "", *, nth: int = 1, strike: Strike = Strike.KILL) -> None:
        self.reached: list[str] = []
        self._point = point
        self._left = nth
        self._strike = strike

    def reach(self, point: str) -> None:
        self.reached.append(point)
        if point != self._point:
            return
        self._left -= 1
        if self._left:
            return
        match self._strike:
            case Strike.KILL:
                os.kill(os.getpid(), signal.SIGKILL)
            case Strike.FULL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            case Strike.STOP:
                os.kill(os.getpid(), signal.SIGSTOP)

    def watch(self, event: str, args: tuple[object, ...]) -> None:
        """See `sys.addaudithook`: it also shows what does not go through a Disk."""
        opened = event == "open" and isinstance(args[2], int) and args[2] & _WRITING
        if (opened or event in _CHANGES) and STATE_DIR in _path(args[0]):
            self.reach(CHANGE)


class FaultyDisk(Disk):
    """Writes in two steps what a real disk may write in one, and fails between them."""

    def __init__(self, fault: Fault) -> None:
        self._reach = fault.reach

    def append(self, fd: int, data: bytes) -> None:
        self._reach("append:before")
        super().append(fd, data[: len(data) // 2])
        self._reach("append:half")
        super().append(fd, data[len(data) // 2 :])
        self._reach("append:after")

    def sync(self, fd: int) -> None:
        self._reach("sync:before")
        super().sync(fd)
        self._reach("sync:after")

    def write_new(self, path: str, data: bytes | Iterable[bytes], mode: int = 0o644) -> None:
        self._reach("write_new:before")
        data = data if isinstance(data, bytes) else b"".join(data)
        super().write_new(path, data[: len(data) // 2], mode)
        self._reach("write_new:half")
        super().write_new(path, data, mode)
        self._reach("write_new:after")

    def rename(self, old: str, new: str) -> None:
        self._reach("rename:before")
        super().rename(old, new)
        self._reach("rename:after")

    def overwrite(self, path: str, data: bytes) -> None:
        self._reach("overwrite:before")
        super().overwrite(path, data[: len(data) // 4])
        self._reach("overwrite:half")
        super().overwrite(path, data)
        self._reach("overwrite:after")

    def sync_dir(self, path: str) -> None:
        self._reach("sync_dir:before")
        super().sync_dir(path)
        self._reach("sync_dir:after")


def run(argv: list[str]) -> int:
    where, _, strike = argv[0].partition(",")
    point, _, number = where.partition("@")
    fault = Fault(point, nth=int(number or 1), strike=Strike(strike or Strike.KILL))
    sys.argv = ["goalkeeper", *argv[1:]]  # locks name the command that holds them
    if point == CHANGE:
        sys.addaudithook(fault.watch)
    return main(argv[1:], World.real().replace(disk=FaultyDisk(fault)))


def _path(named: object) -> str:
    if isinstance(named, int):
        return os.readlink(f"/proc/self/fd/{named}")
    return os.fsdecode(named) if isinstance(named, str | bytes | os.PathLike) else ""


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
