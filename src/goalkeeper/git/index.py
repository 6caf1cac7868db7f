"""Reads git's index without git: tracked paths, and paths that git was told to ignore.

git reads what is not read here: an index in parts (split or sparse).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from goalkeeper.wire.value import Value

_EXTENDED, _ASSUMED, _LENGTH = 0x4000, 0x8000, 0xFFF  # in the flags of an entry
_SKIPPED = 0x4000  # in its further flags
_SHORTENED = 4  # the version that leaves out the beginning of a path
_VERSIONS = range(2, _SHORTENED + 1)
_FOLDER = 0o040000
_SUBMODULE = 0o160000


class Index(Value):
    """An index as it is on the disk."""

    data: bytes
    written: int  # the time of writing; git looks again at files that are newer


def read_index(path: str) -> Index:
    """Read an index; its data is empty if there is no file."""
    try:
        with open(path, "rb") as file:
            return Index(file.read(), os.fstat(file.fileno()).st_mtime_ns)
    except (FileNotFoundError, IsADirectoryError):  # git says what is wrong with a folder
        return Index(b"", 0)


class SnapshotState(Value):
    """The state that a snapshot was made of."""

    tree: str
    theirs: bytes  # the user's index
    ours: Index  # the index in which everything is added
    absent: Sequence[bytes]  # hidden paths; they are left out as long as there is no file


# A path; whether git was told to assume that it is unchanged, or no part of the working tree;
# whether it is a submodule. There are thousands, so they are plain tuples.
TrackedPath = tuple[bytes, bool, bool]


def list_tracked(data: bytes, width: int, ask: Callable[..., bytes]) -> Sequence[TrackedPath]:
    """Return all entries; `ask` asks git if we cannot read them."""
    try:
        return [*parse_index(data, width)] if data else ()
    except (ValueError, IndexError):
        return parse_listed(ask(*LIST))


def parse_index(data: bytes, width: int) -> Iterator[TrackedPath]:
    """Yield the entries in the order of their paths; `width` is the bytes of an id.

    Raise ValueError or IndexError as soon as there is something that only git can read.
    """
    version, count = (int.from_bytes(data[at : at + 4]) for at in (4, 8))
    if data[:4] != b"DIRC" or version not in _VERSIONS:
        raise ValueError(version)
    place, path = 12, b""
    for _ in range(count):
        start, place = place, place + 42 + width
        mode = int.from_bytes(data[start + 24 : start + 28])
        flags = int.from_bytes(data[place - 2 : place])
        is_hidden = bool(flags & _ASSUMED)
        if flags & _EXTENDED:
            is_hidden |= bool(int.from_bytes(data[place : place + 2]) & _SKIPPED)
            place += 2
        kept = 0
        if version == _SHORTENED:
            dropped, place = _read_number(data, place)
            kept = len(path) - dropped
        end = data.index(b"\0", place)
        path = path[:kept] + data[place:end]
        if mode == _FOLDER or flags & _LENGTH != min(len(path), _LENGTH):
            raise ValueError(path)
        place = end + 1 if version == _SHORTENED else start + (end - start + 8) // 8 * 8
        yield path, is_hidden, mode == _SUBMODULE
    while place < len(data) - width:
        # An extension with a small letter must be understood to read the index.
        if not data[place : place + 1].isupper():
            raise ValueError(data[place : place + 4])
        place += 8 + int.from_bytes(data[place + 4 : place + 8])


def _read_number(data: bytes, place: int) -> tuple[int, int]:
    """Read a number as git packs it, seven bits in a byte; return where it ends, too."""
    number = data[place] & 127
    while data[place] & 128:
        place += 1
        number = ((number + 1) << 7) + (data[place] & 127)
    return number, place + 1


LIST = ("ls-files", "-v", "-z", "--stage")


def parse_listed(listed: bytes) -> list[TrackedPath]:
    """Return all entries as git lists them: a letter, mode, id, stage and path in each row."""
    found = []
    for row in listed.split(b"\0")[:-1]:
        about, _, path = row.partition(b"\t")
        letter, mode, *_ = about.split()
        is_hidden = letter.islower() or letter == b"S"
        found.append((path, is_hidden, int(mode, 8) == _SUBMODULE))
    return found
