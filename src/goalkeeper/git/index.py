"""git's index, read without git: what is tracked, and what git was told to look away from.

Of an index in parts (split, sparse) nothing is said: that is for git to read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from struct import Struct, error
from typing import NamedTuple

_HEAD, _EXTENSION, _MORE = Struct(">4sII"), Struct(">4sI"), Struct(">H")
_VERSIONS, _SHORTENED = (2, 3, 4), 4  # the last one tells of a path how it differs from the last
_ASSUMED, _EXTENDED, _SKIPPED = 0x8000, 0x4000, 0x4000
_FOLDER = 0o040000


class Index(NamedTuple):
    """An index as it lies on the disk."""

    data: bytes
    written: int  # when: git tells by it what to look at again


def read_index(path: str) -> Index:
    """Empty where there is none."""
    try:
        with open(path, "rb") as file:
            return Index(file.read(), os.fstat(file.fileno()).st_mtime_ns)
    except FileNotFoundError:
        return Index(b"", 0)


class Seen(NamedTuple):
    """What a snapshot was made of."""

    tree: str
    theirs: bytes  # the user's index
    ours: Index  # the one in which all is added
    absent: Sequence[bytes]  # what it passes over as long as it is not there


class Tracked(NamedTuple):
    path: bytes
    assumed: bool  # unchanged, whatever it is
    skipped: bool  # as if it were no part of the working tree

    @property
    def is_hidden(self) -> bool:
        return self.assumed or self.skipped


def tracked(data: bytes, width: int) -> list[Tracked] | None:
    """All entries; `width` is that of an id in bytes. None: it is not ours to understand."""
    try:
        found, end = _entries(data, width)
        return None if _is_in_parts(data[end : len(data) - width]) else found
    except (error, ValueError, IndexError):
        return None


def _entries(data: bytes, width: int) -> tuple[list[Tracked], int]:
    magic, version, count = _HEAD.unpack_from(data)
    if magic != b"DIRC" or version not in _VERSIONS:
        raise ValueError(version)
    facts = Struct(f">24xI{12 + width}xH")  # mode and flags, among times, sizes and the id
    found: list[Tracked] = []
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
            dropped, name = _number(data, name)
            shared = len(path) - dropped
        end = data.index(b"\0", name)
        path = path[:shared] + data[name:end]
        found.append(Tracked(path, bool(flags & _ASSUMED), bool(more & _SKIPPED)))
        place = end + 1 if version == _SHORTENED else place + (end - place + 8) // 8 * 8
    return found, place


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A number in as many bytes as it needs, and where it ends."""
    value = data[place] & 0x7F
    while data[place] & 0x80:
        place += 1
        value = ((value + 1) << 7) + (data[place] & 0x7F)
    return value, place + 1


def _is_in_parts(extensions: bytes) -> bool:
    """Whether somebody who does not know all of them must not read on."""
    place = 0
    while place < len(extensions):
        name, size = _EXTENSION.unpack_from(extensions, place)
        if not name[:1].isupper():
            return True
        place += _EXTENSION.size + size
    return False
