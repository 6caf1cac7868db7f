"""Tells whether a change can matter to a check, by what the check was seen to open."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping
from typing import Protocol

from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.wire.value import Value

Side = tuple[str, str] | None  # git's mode of a file and the id of its contents
_LINK = "120000"
# Whether a file is empty shows without opening it.
_EMPTY = frozenset(
    {
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    }
)


class Reads(Value):
    """What a check opened of a tree: files, and folders, which it may have listed."""

    files: frozenset[str]
    folders: frozenset[str]


class SeenTree(Protocol):
    """The tree on which a check was seen, as far as the check opened it."""

    def list_names(self, folder: str) -> Collection[str]:
        """List a folder; names of folders end with a slash, and no folder has no names."""

    def mentions(self, text: str) -> bool:
        """Return whether the check itself, or a file that it opened, contains a text."""


def is_affected(reads: Reads, changes: Mapping[str, tuple[Side, Side]], tree: SeenTree) -> bool:
    """Return whether the check may come out differently after these changes."""
    return any(
        _sees_new_file(path, reads, tree) if old is None else _sees_change(path, reads, old, now)
        for path, (old, now) in changes.items()
    )


def _sees_change(path: str, reads: Reads, old: tuple[str, str], now: Side) -> bool:
    if now is None or old[0] != now[0] or old[0] == _LINK or _EMPTY & {old[1], now[1]}:
        return True  # a check can see this without opening the file
    return path in reads.files


def _sees_new_file(path: str, reads: Reads, tree: SeenTree) -> bool:
    folder, name = posixpath.split(path)
    stem, ending = posixpath.splitext(name)
    if role_of_path(path) in {Role.HARNESS, Role.STATE} or tree.mentions(stem):
        return True
    while folder and not tree.list_names(folder):  # the folder is new, too
        folder, ending = posixpath.dirname(folder), "/"
    if folder not in reads.folders:
        return False
    opened = reads.files | {f"{each}/" for each in reads.folders}
    role = role_of_path(path)
    beside = (posixpath.join(folder, each) for each in tree.list_names(folder))
    alike = {each for each in beside if each.endswith(ending) and role_of_path(each) is role}
    # A check that opens some files like this one, and not all, picks them by name.
    picks = bool(alike & opened) and not alike <= opened
    return not picks or tree.mentions(f"*{ending}")
