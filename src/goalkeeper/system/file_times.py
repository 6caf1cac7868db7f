"""Tries out whether the times of files tell that they were changed."""

from __future__ import annotations

import mmap
import os
import tempfile


def do_times_tell(folder: str) -> bool:
    """Return whether a file in this folder gets a new time however it is changed.

    A file system in memory (tmpfs, or an overlay on it) does not notice a write to a shared page
    that was read before.
    """
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(b"a")
            os.utime(file.fileno(), ns=(0, 0))
            with mmap.mmap(file.fileno(), 1) as page:
                page[0] = page[0] ^ 1
            return os.fstat(file.fileno()).st_mtime_ns != 0
    except (OSError, ValueError):
        return False
