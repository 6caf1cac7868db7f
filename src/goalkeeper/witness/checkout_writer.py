"""Writing a checkout file by file with the bytes of its blobs, whatever git's configuration is."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from goalkeeper.git.folders import EXECUTABLE, LINK, SUBMODULE, Blob, Entries
from goalkeeper.git.objects import BLOB, FoundObject, Objects
from goalkeeper.git.repository import GitFailed
from goalkeeper.system.safe_open import open_plain_file

T = TypeVar("T")
_PIECE = 1 << 20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_checkout(objects: Objects, root: str, entries: Entries) -> None:
    """Write these files into existing folders; raises GitFailed if a blob is lost."""
    places: dict[str, list[tuple[str, str]]] = {}
    for path, blob in entries.items():
        if blob.mode != SUBMODULE:
            places.setdefault(blob.id, []).append((blob.mode, path))

    def write_object(found: FoundObject) -> None:
        mine = places.pop(found.id)
        pieces = found.pieces if len(mine) == 1 else [*found.pieces]
        for mode, path in mine:
            place = os.path.join(root, path)
            put = _write_link if mode == LINK else _write_file
            written = put(place, mode, pieces)
            if objects.compute_id(BLOB, found.size, written) != found.id:
                raise _lost_error(found.id, path)

    objects.visit_objects([*places], write_object)
    for lost, mine in places.items():
        raise _lost_error(lost, mine[0][1])


def is_as_written(objects: Objects, place: str, blob: Blob) -> bool:
    """Return whether a file, which a check may have changed, is as it would be written."""
    try:
        if blob.mode == LINK:
            target = os.readlink(os.fsencode(place))
            return objects.compute_id(BLOB, len(target), (target,)) == blob.id
        with open_plain_file(place) as file:
            about = os.fstat(file.fileno())
            pieces = iter(partial(file.read, _PIECE), b"")
            runs = bool(about.st_mode & stat.S_IXUSR)
            same = objects.compute_id(BLOB, about.st_size, pieces) == blob.id
            return same and runs == (blob.mode == EXECUTABLE)
    except OSError:
        return False


def _write_file(place: str, mode: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Write a file, and yield what was written."""
    rights = 0o777 if mode == EXECUTABLE else 0o666
    fd = _make_anew(place, partial(os.open, place, _NEW, rights))
    try:
        for piece in pieces:
            left = memoryview(piece)
            while left:  # a file object would make twice as many system calls
                left = left[os.write(fd, left) :]
            yield piece
    finally:
        os.close(fd)


def _write_link(place: str, _: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    target = b"".join(pieces)
    _make_anew(place, partial(os.symlink, target.partition(b"\0")[0], os.fsencode(place)))
    yield target


def _make_anew(place: str, make: Callable[[], T]) -> T:
    """Make a file instead of the one that is there, and never through a link."""
    try:
        return make()
    except FileExistsError:
        os.unlink(place)
        return make()


def _lost_error(blob: str, path: str) -> GitFailed:
    said = f"{path}: its contents {blob} are lost, or are not what their id says"
    return GitFailed(action="checkout", reason=said, place=".")
