"""Tells whether a change can matter to a check, by what the check was seen to open."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping

from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.wire.value import Value

Side = tuple[str, str] | None  # git's mode of a file and the id of its contents
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


def is_affected(
    reads: Reads,
    words: str,
    changes: Mapping[str, tuple[Side, Side]],
    list_folder: Callable[[str], Iterable[str]],
) -> bool:
    """Return whether the check may come out differently after these changes.

    `words` is the check as it is written. `list_folder` lists a folder of the tree on which it was
    seen; names of folders end with a slash, and a folder that is not there has none.
    """
    return any(
        _sees_new_file(path, reads, words, list_folder)
        if old is None
        else _sees_change(path, reads, old, now)
        for path, (old, now) in changes.items()
    )


def _sees_change(path: str, reads: Reads, old: tuple[str, str], now: Side) -> bool:
    if now is None or old[0] != now[0] or _EMPTY & {old[1], now[1]}:
        return True  # a check can see this without opening the file
    return path in reads.files


def _sees_new_file(
    path: str, reads: Reads, words: str, list_folder: Callable[[str], Iterable[str]]
) -> bool:
    folder, name = posixpath.split(path)
    if posixpath.splitext(name)[0] in words or role_of_path(path) in {Role.HARNESS, Role.STATE}:
        return True
    while folder and not list(list_folder(folder)):  # the folder is new, too
        folder, name = posixpath.dirname(folder), posixpath.basename(folder) + "/"
    if folder not in reads.folders:
        return False
    ending = "/" if name.endswith("/") else posixpath.splitext(name)[1]
    opened = reads.files | {f"{each}/" for each in reads.folders}
    beside = {posixpath.join(folder, each) for each in list_folder(folder)}
    alike = {each for each in beside if each.endswith(ending)}
    # A check that opens some files here, and not all that end like this one, picks them by name.
    return not beside & opened or alike <= opened
