"""Opens files that others may have replaced by a link, a pipe or a device.

Whoever wrote a repository can put a link anywhere into its state directory. So no link below it is
followed, at the end of a path or before. Links elsewhere belong to the user, and are followed up to
the last step of a path.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from goalkeeper.wire import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def refuse_links(path: str) -> None:
    """Raise OSError if a folder of the path, from the state directory on, is a link."""
    for folder in layout.list_state_folders(path):
        if os.path.islink(folder):
            raise OSError(errno.ELOOP, f"{folder} is a symbolic link", path)


def open_without_links(path: str, flags: int, mode: int = 0o644) -> int:
    """Return a descriptor of what is at the path; a link raises OSError, and a pipe does not wait.

    Every file in a state directory is opened here, but for those of hooks, which load little.
    """
    refuse_links(path)
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)


def make_folder(path: str, mode: int = 0o777) -> None:
    """Make a folder and those around it, unless they are there."""
    refuse_links(f"{path}/")
    os.makedirs(path, mode=mode, exist_ok=True)


def remove_file(path: str) -> None:
    """Remove a file or a link, if there is one that can be removed."""
    with suppress(OSError):
        refuse_links(path)
        os.unlink(path)


def open_plain_file(path: str, flags: int = os.O_RDONLY) -> BinaryIO:
    """Open a plain file; raise OSError for anything else.

    A pipe would make us wait for ever, and a link would lead to another file.
    """
    fd = open_without_links(path, flags)
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
    try:
        with open(open_without_links(new, NEW, mode), "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        remove_file(new)
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
