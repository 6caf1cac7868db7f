"""Reads git's objects through one git process that stays, and writes them as git does."""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import new
from io import BufferedReader, RawIOBase
from typing import Any, NamedTuple
from weakref import finalize

from goalkeeper.errors import GoalkeeperError, OutsideError
from goalkeeper.git.repository import (
    KILLED,
    LIMIT_SECONDS,
    GitFailed,
    GitKilled,
    PartlyFetched,
)
from goalkeeper.system import reaper

BLOB, TREE, COMMIT = "blob", "tree", "commit"
_AT_ONCE = 60  # so many ids of either length fit into a pipe of one page, so writing never waits
_PIECE = 1 << 20  # an object of more bytes is not held in memory as a whole
_READ = 1 << 17


class FoundObject(NamedTuple):
    """An object; its contents can be read once."""

    id: str
    kind: str
    size: int
    pieces: Iterable[bytes]


Take = Callable[[FoundObject], None]


class Objects:
    """The objects of a repository by their ids. Threads may read at the same time."""

    def __init__(
        self,
        start: Callable[[], subprocess.Popen[bytes]],
        folder: str,
        kind: str,
        *,
        borrowed: str = "",
    ) -> None:
        """Open the store; `start` starts `git cat-file --batch`, `folder` gets new objects.

        `borrowed` is the folder of the user's objects, which are read as well.
        """
        self._borrowed = borrowed
        self._start = start
        self._folder = folder
        self._kind = kind
        self._cat_file: _CatFile | None = None
        self._lock = threading.Lock()

    def make_lost_error(self, action: str, missing: str) -> OutsideError:
        """Say that an object is not there, and why, if the user has a partial clone."""
        packs = os.path.join(self._borrowed, "pack")
        names = os.listdir(packs) if self._borrowed and os.path.isdir(packs) else ()
        if any(name.endswith(".promisor") for name in names):
            return PartlyFetched(missing=missing)
        said = f"{missing} is lost, or is not what its id says"
        return GitFailed(action=action, reason=said, place=".")

    def visit_objects(self, ids: Sequence[str], take: Take) -> None:
        """Call `take` with every object that is there, in any order."""
        for first in range(0, len(ids), _AT_ONCE):
            small: list[FoundObject] = []
            with self._lock:
                self._read_answers(ids[first : first + _AT_ONCE], small, take)
            for found in small:  # the lock is free here, so that other threads may read
                take(found)

    def read_objects(self, ids: Sequence[str]) -> dict[str, tuple[str, bytes]]:
        """Return kind and contents by id, without objects that are missing."""
        known: dict[str, tuple[str, bytes]] = {}

        def keep_object(found: FoundObject) -> None:
            known[found.id] = found.kind, b"".join(found.pieces)

        self.visit_objects(ids, keep_object)
        return known

    def read_verified(self, kind: str, ids: Sequence[str]) -> dict[str, bytes]:
        """Return contents by id, of objects that have this kind and contents that match the id."""
        return {
            name: data
            for name, (its, data) in self.read_objects(ids).items()
            if its == kind and self.compute_id(kind, len(data), (data,)) == name
        }

    def _read_answers(self, ids: Sequence[str], small: list[FoundObject], take: Take) -> None:
        if self._cat_file is None or self._cat_file.is_over:
            self._cat_file = _CatFile(self._start(), self._folder)
        talk = self._cat_file
        try:
            talk.send_ids("".join(f"{name}\n" for name in ids).encode())
            for _ in ids:
                name, kind, size = talk.read_header()
                if size > _PIECE:
                    pieces = talk.read_pieces(size)
                    take(FoundObject(name, kind, size, pieces))
                    deque(pieces, 0)  # it reads what `take` did not read
                elif kind:
                    small.append(FoundObject(name, kind, size, [*talk.read_pieces(size)]))
        except BaseException:  # the rest of the answer is still in the pipe
            talk.end()
            raise

    def compute_id(self, kind: str, size: int, pieces: Iterable[bytes]) -> str:
        """Return the id of an object with these contents."""
        digest = new(self._kind, b"%s %d\0" % (kind.encode(), size))
        for piece in pieces:
            digest.update(piece)
        return digest.hexdigest()

    def write_object(self, kind: str, data: bytes) -> str:
        """Write an object; return its id."""
        name = self.compute_id(kind, len(data), (data,))
        place = os.path.join(self._folder, name[:2], name[2:])
        if os.path.exists(place):
            with suppress(OSError):
                os.utime(place)  # `clean` removes old objects
            return name
        os.makedirs(os.path.dirname(place), exist_ok=True)
        fd, made = tempfile.mkstemp(prefix="tmp_obj_", dir=self._folder)  # git cleans up such files
        with open(fd, "wb") as file:
            file.write(zlib.compress(b"%s %d\0" % (kind.encode(), len(data)) + data, 1))
            file.flush()
            os.fsync(fd)
        os.chmod(made, 0o444)
        os.replace(made, place)
        return name


class _CatFile:
    """Questions to one git process, and its answers, until either side ends."""

    def __init__(self, git: subprocess.Popen[bytes], place: str) -> None:
        if git.stdin is None or git.stdout is None:
            raise ValueError("a git to talk with needs both its pipes")
        self._git = git
        self._place = place
        self._said = git.stdin.fileno()
        self._heard = BufferedReader(_TimedPipe(git.stdout.fileno(), place), _READ)
        reaper.helpers.add(git.pid)
        self.end = finalize(self, _end_git, git)

    @property
    def is_over(self) -> bool:
        """Return whether git has ended; another process may have killed it."""
        return not self.end.alive or self._git.poll() is not None

    def send_ids(self, words: bytes) -> None:
        try:
            os.write(self._said, words)
        except BrokenPipeError as exc:
            raise self._explain_end() from exc

    def read_header(self) -> tuple[str, str, int]:
        """Return id, kind and size of the next object; the kind is empty if it is missing."""
        name, kind, *size = self._read_line().decode().split()
        return (name, kind, int(size[0])) if size else (name, "", 0)

    def read_pieces(self, size: int) -> Iterator[bytes]:
        for left in range(size, 0, -_PIECE):
            data = self._heard.read(min(left, _PIECE))
            if len(data) < min(left, _PIECE):
                raise self._explain_end()
            yield data
        self._read_line()

    def _read_line(self) -> bytes:
        line = self._heard.readline()
        if not line.endswith(b"\n"):
            raise self._explain_end()
        return line

    def _explain_end(self) -> GoalkeeperError:
        was_killed = self._git.wait() == KILLED
        return GitKilled() if was_killed else _failed_error("it has ended", self._place)


def _end_git(git: subprocess.Popen[bytes]) -> None:
    for pipe in (git.stdin, git.stdout):
        if pipe:
            pipe.close()
    git.kill()
    reaper.helpers.discard(git.pid)  # it goes before another process can get its number
    git.wait()


def _failed_error(reason: str, place: str) -> GitFailed:
    return GitFailed(action="cat-file", reason=reason, place=place)


class _TimedPipe(RawIOBase):
    """The output of git, read with a time limit."""

    def __init__(self, fd: int, place: str) -> None:
        self._fd = fd
        self._place = place
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401  whatever the reader above it has
        if not self._poll.poll(LIMIT_SECONDS * 1000):
            raise _failed_error(f"it took longer than {LIMIT_SECONDS} s", self._place)
        return os.readv(self._fd, [buffer])
