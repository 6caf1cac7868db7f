"""The problems that checklists found and no criterion covers: one line for each verification.

They show authors of contracts what a contract left out. No decision depends on them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.storage.lock import hold_lock
from goalkeeper.system.safe_open import make_folder, open_plain_file, read_plain_file
from goalkeeper.wire.canonical import compact


class MissingCriteria:
    def __init__(self, path: str, lock: str, disk: Disk, *, timeout_seconds: float) -> None:
        self._path = path
        self._lock = lock
        self._disk = disk
        self._timeout_seconds = timeout_seconds

    def append_row(self, row: Mapping[str, Any]) -> None:
        """Append a row unless its id is there. If the disk is full, the file stays as it was."""
        with disk_errors("make", self._lock):
            make_folder(os.path.dirname(self._lock))
        with hold_lock(self._lock, shared=False, timeout_seconds=self._timeout_seconds):
            if any(known.get("id") == row["id"] for known in self.read_rows()):
                return
            with disk_errors("append to", self._path):
                self._write_line(compact(row).encode() + b"\n")

    def _write_line(self, line: bytes) -> None:
        with open_plain_file(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file:
            fd = file.fileno()
            size = os.fstat(fd).st_size
            ends_whole = not size or os.pread(fd, 1, size - 1) == b"\n"
            self._disk.append_whole(fd, (b"" if ends_whole else b"\n") + line)

    def read_rows(self) -> list[dict[str, Any]]:
        """Return the rows that can be read: people may edit the file."""
        found = []
        for line in read_plain_file(self._path).splitlines():
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
                if isinstance(row, dict):
                    found.append(row)
        return found
