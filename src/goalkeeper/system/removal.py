"""Removes folders however deep they are: agents can nest more of them than Python can follow."""

from __future__ import annotations

import os
from contextlib import suppress

_PLACE = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: str) -> None:
    """Remove a folder with all that is in it, as far as rights reach; no link is followed.

    A folder inside of another is first brought to the top, so that no path is ever long.
    """
    with suppress(OSError):
        _unlock_folder(path)
        top = os.open(path, _FOLDER)
        try:
            waiting = _remove_files(top)
            while waiting:
                with suppress(OSError):
                    waiting += _empty_folder(waiting.pop(), top)
        finally:
            os.close(top)
        os.rmdir(path)


def _empty_folder(name: str, top: int) -> list[str]:
    """Bring the folders of a folder to the top, and remove it; return their new names."""
    _unlock_folder(name, top)
    folder = os.open(name, _FOLDER, dir_fd=top)
    moved = []
    try:
        for each in _remove_files(folder):
            new = os.urandom(16).hex()
            with suppress(OSError):
                _unlock_folder(each, folder)
                os.rename(each, new, src_dir_fd=folder, dst_dir_fd=top)
                moved.append(new)
    finally:
        os.close(folder)
    with suppress(OSError):
        os.rmdir(name, dir_fd=top)
    return moved


def _unlock_folder(name: str, above: int | None = None) -> None:
    """Let the owner of a folder read and move it: agents can make folders that forbid it."""
    place = os.open(name, _PLACE, dir_fd=above)
    with suppress(OSError):  # it is somebody else's, who may let us do so all the same
        os.chmod(f"/proc/self/fd/{place}", 0o700)
    os.close(place)


def _remove_files(folder: int) -> list[str]:
    """Remove all but folders, and return the names of these."""
    with os.scandir(folder) as found:
        entries = [*found]
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            with suppress(OSError):
                os.unlink(entry.name, dir_fd=folder)
    return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
