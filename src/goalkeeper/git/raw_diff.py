"""The files that differ between two trees, as git's raw diffs list them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from goalkeeper.git.folders import Blob, BlobPair

_NOTHING = Blob("000000", "")


class DiffRow(NamedTuple):
    """One file; on a side without an id there is no file."""

    path: str
    old_path: str
    old: Blob
    new: Blob


def make_rows(differences: Mapping[str, BlobPair]) -> list[DiffRow]:
    """Return the differences as rows, none of them a rename."""
    return [
        DiffRow(path, path if old else "", old or _NOTHING, new or _NOTHING)
        for path, (old, new) in differences.items()
    ]


def may_have_renames(rows: list[DiffRow]) -> bool:
    """Return whether there are new files and deleted files."""
    return not all(row.old.id for row in rows) and not all(row.new.id for row in rows)


def parse_raw_diff(raw: bytes) -> Iterator[DiffRow]:
    """Read what `git diff-tree -z --raw` prints."""
    words = iter(raw.split(b"\0"))
    for word in words:
        if not word.startswith(b":"):
            continue
        old_mode, new_mode, old, new, status = word[1:].decode().split(" ")
        first = os.fsdecode(next(words))
        path = os.fsdecode(next(words)) if status[0] in "RC" else first
        was, now = (
            Blob(mode, name) if name.strip("0") else _NOTHING
            for mode, name in ((old_mode, old), (new_mode, new))
        )
        yield DiffRow(path, first if was.id else "", was, now)
