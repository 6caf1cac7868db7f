"""Reads git's index without git: tracked paths, and paths that git was told to ignore.

Only the usual version is read here. git reads the others: shortened paths, more flags, an index in
parts (split or sparse).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from struct import Struct, error
from typing import NamedTuple

_HEAD, _EXTENSION = Struct(">4sII"), Struct(">4sI")
_VERSION = 2
_ASSUMED = 0x8000
_FOLDER = 0o040000
_SUBMODULE = 0o160000


class Index(NamedTuple):
    """An index as it is on the disk."""

    data: bytes
    written: int  # the time of writing; git looks again at files that are newer


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
    is_hidden: bool  # git was told to assume that it is unchanged, or no part of the working tree
    is_submodule: bool


def parse_index(data: bytes, width: int) -> list[TrackedPath] | None:
    """Return all entries, or None if only git can read them; `width` is the bytes of an id."""
    try:
        found, end = _parse_entries(data, width)
        return None if _is_in_parts(data[end : len(data) - width]) else found
    except (error, ValueError):
        return None


LIST = ("ls-files", "-v", "-z", "--stage")


def parse_listed(listed: bytes) -> list[TrackedPath]:
    """Return all entries as git lists them: a letter, mode, id, stage and path in each row."""
    found = []
    for row in listed.split(b"\0")[:-1]:
        about, _, path = row.partition(b"\t")
        letter, mode, *_ = about.split()
        is_hidden = letter.islower() or letter == b"S"
        found.append(TrackedPath(path, is_hidden, int(mode, 8) == _SUBMODULE))
    return found


def _parse_entries(data: bytes, width: int) -> tuple[list[TrackedPath], int]:
    magic, version, count = _HEAD.unpack_from(data)
    if magic != b"DIRC" or version != _VERSION:
        raise ValueError(version)
    facts = Struct(f">24xI{12 + width}xH")  # it has mode and flags, between times, sizes and the id
    found: list[TrackedPath] = []
    place = _HEAD.size
    for _ in range(count):
        mode, flags = facts.unpack_from(data, place)
        if mode == _FOLDER:
            raise ValueError(mode)
        name = place + facts.size
        end = data.index(b"\0", name)
        found.append(TrackedPath(data[name:end], bool(flags & _ASSUMED), mode == _SUBMODULE))
        place += (end - place + 8) // 8 * 8
    return found, place


def _is_in_parts(extensions: bytes) -> bool:
    """Return whether there is an extension that a reader must know to read the index."""
    place = 0
    while place < len(extensions):
        name, size = _EXTENSION.unpack_from(extensions, place)
        if not name[:1].isupper():
            return True
        place += _EXTENSION.size + size
    return False
