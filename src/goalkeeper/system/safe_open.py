"""Opens files that others may have replaced by a link, a pipe or a device."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def open_plain_file(path: str, flags: int = os.O_RDONLY) -> BinaryIO:
    """Open a plain file; raise OSError for anything else.

    A pipe would make us wait for ever, and a link would lead to another file.
    """
    fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    about = os.fstat(fd)
    if not stat.S_ISREG(about.st_mode) or (flags != os.O_RDONLY and about.st_nlink > 1):
        os.close(fd)
        raise OSError(errno.EINVAL, "it is not a plain file of its own", path)
    return os.fdopen(fd, "rb" if flags == os.O_RDONLY else "rb+", buffering=0)


def read_plain_file(path: str, most: int = 256 << 20) -> bytes:
    """Return the bytes of a plain file; none if it is missing, or longer than `most`."""
    try:
        with open_plain_file(path) as file:
            return file.read() if os.fstat(file.fileno()).st_size <= most else b""
    except OSError:
        return b""


def replace_file(path: str, data: bytes, *, mode: int = 0o644, sync: bool = False) -> None:
    """Write a file so that a reader gets the old one or the new one; no link is followed."""
    new = f"{path}.{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(new, flags, mode), "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise


class NotPlain(OSError):
    """There is no plain file at a path below its root; `word` says what is there instead."""

    def __init__(self, word: str) -> None:
        super().__init__(errno.EINVAL, word)
        self.word = word


def read_file_below(root: str, path: str, most: int) -> bytes:
    """Return the bytes of a plain file that no link leads to; raise NotPlain for anything else."""
    fds: list[int] = []
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        fds.append(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        for part in path.split("/"):
            if part in {"", ".", ".."}:
                raise NotPlain("outside")
            fds.append(os.open(part, flags, dir_fd=fds[-1]))
        return _read_plain_bytes(fds[-1], most)
    except NotPlain:
        raise
    except OSError as exc:
        words = {errno.ELOOP: "link", errno.EMLINK: "link", errno.ENXIO: "special"}
        raise NotPlain(words.get(exc.errno or 0, "missing")) from exc
    except ValueError as exc:  # no file can have this name
        raise NotPlain("missing") from exc
    finally:
        for fd in fds:
            os.close(fd)


def _read_plain_bytes(fd: int, most: int) -> bytes:
    about = os.fstat(fd)
    if stat.S_ISDIR(about.st_mode):
        raise NotPlain("directory")
    if not stat.S_ISREG(about.st_mode):
        raise NotPlain("special")
    if about.st_size > most:
        raise NotPlain("too-large")
    data = bytearray()
    while chunk := os.read(fd, min(1 << 20, most + 1 - len(data))):
        data += chunk
    if len(data) > most:
        raise NotPlain("too-large")
    return bytes(data)
