"""Opening files that somebody may have replaced by something else."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def opened(path: str, flags: int = os.O_RDONLY) -> BinaryIO:
    """A plain file; raises OSError for anything else.

    A pipe would make us wait for ever, a link would lead to somebody else's file.
    """
    fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    about = os.fstat(fd)
    if not stat.S_ISREG(about.st_mode) or (flags != os.O_RDONLY and about.st_nlink > 1):
        os.close(fd)
        raise OSError(errno.EINVAL, "it is not a plain file of its own", path)
    return os.fdopen(fd, "rb" if flags == os.O_RDONLY else "rb+", buffering=0)


def contents(path: str, most: int = 256 << 20) -> bytes:
    """What a plain file says; nothing when there is none, or it is longer than that."""
    try:
        with opened(path) as file:
            return file.read() if os.fstat(file.fileno()).st_size <= most else b""
    except OSError:
        return b""
