"""Watches which files of some folders are opened, by whatever process. Linux tells it (inotify)."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

_OPENED, _MOVED, _REMOVED = 0x20, 0x40, 0x200
_FOLDER, _TOO_MANY, _GONE = 0x40000000, 0x4000, 0x8000
_EVENT = struct.Struct("iIII")
_MOST_BYTES = 1 << 20


class OpenWatch:
    """Watches folders below `root`, by their paths in it."""

    def __init__(self, root: str, folders: Iterable[str]) -> None:
        import ctypes  # noqa: PLC0415  who runs no check needs none

        self._folders: dict[int, str] = {}  # the folders by the numbers that inotify gave them
        self._is_whole = False
        self._fd = -1
        libc = ctypes.CDLL(None)
        if not hasattr(libc, "inotify_init1"):
            return
        self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._is_whole = self._fd >= 0
        for folder in folders if self._is_whole else ():
            place = os.fsencode(os.path.join(root, folder))
            # What is moved away may be opened by another name.
            number = libc.inotify_add_watch(self._fd, place, _OPENED | _MOVED | _REMOVED)
            self._is_whole = self._is_whole and number >= 0
            self._folders[number] = folder

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def take_opened(self) -> tuple[set[str], set[str]] | None:
        """Return files and folders that were opened since the last call; None if some are lost."""
        files: set[str] = set()
        folders: set[str] = set()
        while self._is_whole and (data := self._read_events()):
            place = 0
            while place < len(data):
                number, what, _, length = _EVENT.unpack_from(data, place)
                name = data[place + _EVENT.size :][:length].rstrip(b"\0")
                place += _EVENT.size + length
                if what & (_TOO_MANY | _GONE):
                    self._is_whole = False
                elif not name:
                    folders.add(self._folders[number])
                elif not what & _FOLDER or not what & _OPENED:
                    files.add(os.path.join(self._folders[number], os.fsdecode(name)))
        return (files, folders) if self._is_whole else None

    def _read_events(self) -> bytes:
        try:
            return os.read(self._fd, _MOST_BYTES)
        except BlockingIOError:
            return b""
