"""Starting programs as everybody does who relies on `process`."""

import contextlib
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from goalkeeper.system.run import ProgramLimits, Ran, run
from tests.patience import patience

LIMITS = ProgramLimits(seconds=60.0, free_mb=0)


def started(*argv: str, cwd: Path | str = "/", keep_bytes: int = 65536, **limits: float) -> Ran:
    env = {"PATH": os.environ["PATH"]}
    wanted = LIMITS.replace(**limits)
    return run(argv, cwd=str(cwd), env=env, limits=wanted, keep_bytes=keep_bytes)


def python(code: str, *args: str, **options: float) -> Ran:
    return started(sys.executable, "-c", code, *args, **options)  # type: ignore[arg-type]


@contextmanager
def alive_until_closed(path: Path) -> Iterator[int]:
    """The reading end of a named pipe: it ends when the last process that holds it is dead."""
    os.mkfifo(path)
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(fd, True)
    try:
        yield fd
    finally:
        os.close(fd)


def next_from(fd: int) -> bytes:
    """What is written next; nothing when all who held the pipe are gone."""
    watch = select.poll()
    watch.register(fd, select.POLLIN | select.POLLHUP)
    assert watch.poll(patience(60) * 1000)
    return os.read(fd, 100)


def children() -> set[int]:
    """Ours by now: orphans of other tests' programs may have become so, too."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = entry.read_text().rpartition(")")[2].split()[1]
            found |= {int(entry.parent.name)} if parent == str(os.getpid()) else set()
    return found
