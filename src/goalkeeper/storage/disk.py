"""The functions that write to the disk. Tests use a disk that fails instead."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from goalkeeper.errors import DiskFailed
from goalkeeper.system.safe_open import NEW, open_without_links, refuse_links, remove_file


@contextmanager
def disk_errors(action: str, path: str) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise DiskFailed(action=action, path=path, reason=exc.strerror or str(exc)) from exc


class Disk:
    def append(self, fd: int, data: bytes) -> None:
        written = os.write(fd, data)
        while written < len(data):
            written += os.write(fd, data[written:])

    def append_whole(self, fd: int, data: bytes) -> None:
        """Append data that survives a crash. A disk that is full or fails keeps no half of it."""
        size = os.fstat(fd).st_size
        try:
            self.append(fd, data)
            self.sync(fd)
        except OSError:
            with suppress(OSError):
                os.ftruncate(fd, size)
            raise

    def sync(self, fd: int) -> None:
        os.fdatasync(fd)

    def replace(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Replace a file. A reader gets the old one or the new one, also after a crash."""
        temp = f"{path}.tmp"
        try:
            self.write_new(temp, data, mode)
            self.rename(temp, path)
        except OSError:
            remove_file(temp)
            raise

    def write_new(self, path: str, data: bytes | Iterable[bytes], mode: int = 0o644) -> None:
        """Write a new file instead of what is there, so that nothing is written through a link."""
        remove_file(path)
        with open(open_without_links(path, NEW, mode), "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)

    def rename(self, old: str, new: str) -> None:
        refuse_links(old)
        refuse_links(new)
        os.replace(old, new)

    def preserve(self, path: str, data: bytes) -> None:
        """Write a new file, which survives a crash as soon as this returns."""
        self.write_new(path, data)
        _sync_path(path)
        self.sync_dir(os.path.dirname(path))

    def overwrite(self, path: str, data: bytes) -> None:
        """Write in place, for data that may be lost: a crash can leave half of it."""
        fd = open_without_links(path, os.O_WRONLY | os.O_CREAT)
        try:
            os.pwrite(fd, data, 0)
        finally:
            os.close(fd)

    def sync_dir(self, path: str) -> None:
        _sync_path(path, os.O_DIRECTORY)


def _sync_path(path: str, flags: int = 0) -> None:
    fd = open_without_links(path, os.O_RDONLY | flags)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
