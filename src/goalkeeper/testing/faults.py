"""A disk on which the machine dies, or runs full, at a moment of our choice.

`python -m goalkeeper.testing.faults POINT COMMAND…` runs the command line on such a disk.
"""

from __future__ import annotations

import errno
import os
import signal
import sys

from goalkeeper.bootstrap import World
from goalkeeper.cli.main import main
from goalkeeper.storage.disk import Disk

POINTS = (
    "append:before", "append:half", "append:after", "sync:before", "sync:after",
    "write_new:before", "write_new:half", "write_new:after", "rename:before", "rename:after",
    "overwrite:before", "overwrite:half", "overwrite:after", "sync_dir:before", "sync_dir:after",
)  # fmt: skip


class FaultyDisk(Disk):
    """Strikes at the given point, the n-th time it is reached."""

    def __init__(self, point: str, *, nth: int = 1, full: bool = False) -> None:
        self._point = point
        self._left = nth
        self._full = full

    def append(self, fd: int, data: bytes) -> None:
        self._reach("append:before")
        if self._point == "append:half":
            os.write(fd, data[: len(data) // 2])
            self._reach("append:half")
            data = data[len(data) // 2 :]
        super().append(fd, data)
        self._reach("append:after")

    def sync(self, fd: int) -> None:
        self._reach("sync:before")
        super().sync(fd)
        self._reach("sync:after")

    def write_new(self, path: str, data: bytes) -> None:
        self._reach("write_new:before")
        if self._point == "write_new:half":
            super().write_new(path, data[: len(data) // 2])
            self._reach("write_new:half")
        super().write_new(path, data)
        self._reach("write_new:after")

    def rename(self, old: str, new: str) -> None:
        self._reach("rename:before")
        super().rename(old, new)
        self._reach("rename:after")

    def overwrite(self, path: str, data: bytes) -> None:
        self._reach("overwrite:before")
        if self._point == "overwrite:half":
            super().overwrite(path, data[: len(data) // 4])
            self._reach("overwrite:half")
        super().overwrite(path, data)
        self._reach("overwrite:after")

    def sync_dir(self, path: str) -> None:
        self._reach("sync_dir:before")
        super().sync_dir(path)
        self._reach("sync_dir:after")

    def _reach(self, point: str) -> None:
        if point != self._point:
            return
        self._left -= 1
        if self._left:
            return
        if self._full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.kill(os.getpid(), signal.SIGKILL)


def run(argv: list[str]) -> int:
    point, _, options = argv[0].partition("@")
    number, _, how = options.partition(",")
    disk = FaultyDisk(point, nth=int(number or 1), full=how == "full")
    return main(argv[1:], World.real().replace(disk=disk))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
