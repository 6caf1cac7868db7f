"""Reading git's index without git: tracked paths, and paths that git was told to ignore.

An index in parts (split or sparse) is not read here, but by git.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from struct import Struct, error
from typing import NamedTuple

_HEAD, _EXTENSION, _MORE = Struct(">4sII"), Struct(">4sI"), Struct(">H")
_VERSIONS, _SHORTENED = (2, 3, 4), 4  # in version 4 a path shares the start of the one before it
_ASSUMED, _EXTENDED, _SKIPPED = 0x8000, 0x4000, 0x4000
_FOLDER = 0o040000


class Index(NamedTuple):
    """An index as it is on the disk."""

    data: bytes
    written: int  # the time; git looks again at files that are newer


def read_index(path: str) -> Index:
    """Read an index; its data is empty if there is no file."""
    try:
        with open(path, "rb") as file:
            return Index(file.read(), os.fstat(file.fileno()).st_mtime_ns)
    except FileNotFoundError:
        return Index(b"", 0)


class SnapshotState(NamedTuple):
    """The state that a snapshot was made of."""

    tree: str
    theirs: bytes  # the user's index
    ours: Index  # the index in which everything is added
    absent: Sequence[bytes]  # hidden paths; they are left out as long as there is no file


class TrackedPath(NamedTuple):
    path: bytes
    assumed: bool  # git was told to assume that it is unchanged
    skipped: bool  # git was told that it is no part of the working tree

    @property
    def is_hidden(self) -> bool:
        return self.assumed or self.skipped


def parse_index(data: bytes, width: int) -> list[TrackedPath] | None:
    """Return all entries, or None if only git can read them; `width` is the bytes of an id."""
    try:
        found, end = _parse_entries(data, width)
        return None if _is_in_parts(data[end : len(data) - width]) else found
    except (error, ValueError, IndexError):
        return None


def _parse_entries(data: bytes, width: int) -> tuple[list[TrackedPath], int]:
    magic, version, count = _HEAD.unpack_from(data)
    if magic != b"DIRC" or version not in _VERSIONS:
        raise ValueError(version)
    facts = Struct(f">24xI{12 + width}xH")  # mode and flags, between times, sizes and the id
    found: list[TrackedPath] = []
    place, path = _HEAD.size, b""
    for _ in range(count):
        mode, flags = facts.unpack_from(data, place)
        if mode == _FOLDER:
            raise ValueError(mode)
        name, more = place + facts.size, 0
        if flags & _EXTENDED:
            more, name = _MORE.unpack_from(data, name)[0], name + _MORE.size
        shared = 0
        if version == _SHORTENED:
            dropped, name = _parse_number(data, name)
            shared = len(path) - dropped
        end = data.index(b"\0", name)
        path = path[:shared] + data[name:end]
        found.append(TrackedPath(path, bool(flags & _ASSUMED), bool(more & _SKIPPED)))
        place = end + 1 if version == _SHORTENED else place + (end - place + 8) // 8 * 8
    return found, place


def _parse_number(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of variable length, and the position after it."""
    value = data[place] & 0x7F
    while data[place] & 0x80:
        place += 1
        value = ((value + 1) << 7) + (data[place] & 0x7F)
    return value, place + 1


def _is_in_parts(extensions: bytes) -> bool:
    """Return whether there is an extension that a reader must know to read the index."""
    place = 0
    while place < len(extensions):
        name, size = _EXTENSION.unpack_from(extensions, place)
        if not name[:1].isupper():
            return True
        place += _EXTENSION.size + size
    return False
