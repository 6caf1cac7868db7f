"""What refuses a unit test the disk, processes and the network."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from goalkeeper.system import reaper

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FORBIDDEN = ("os.", "shutil.", "socket.", "subprocess.", "tempfile.", "pty.")
_HARMLESS = frozenset(
    {"os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.putenv", "os.unsetenv"}
)
_CACHE = "__pycache__"  # Python writes there when something is first imported
_refused: list[bool] = []  # not empty while the outside is refused


class OutsideWorld(Exception):
    """A unit test reached for the disk, a process or the network; tests/contract is for that."""


@contextmanager
def refused() -> Iterator[None]:
    """Raise OutsideWorld in the block, wherever something is about to leave this process."""
    _refused.append(True)
    try:
        yield
    finally:
        _refused.pop()


def _look(event: str, args: tuple[object, ...]) -> None:
    if not _refused or event in _HARMLESS or any(_CACHE in str(arg) for arg in args[:2]):
        return
    if event == "os.kill" and args[0] in reaper.helpers:
        return  # the garbage collector ends a git that an earlier test left in this process
    if event == "open":
        place, _, flags = args
        if not isinstance(place, int) and isinstance(flags, int) and flags & _WRITES:
            raise OutsideWorld(event, place)  # a number was opened, and looked at, before
    elif event.startswith(_FORBIDDEN):
        raise OutsideWorld(event, *args)


sys.addaudithook(_look)  # for good: Python has no way to take a hook back
