"""The receipts of a run; each file is named by its digest."""

from __future__ import annotations

import os

from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import sha256


class Receipts:
    def __init__(self, run_dir: str, disk: Disk) -> None:
        self._folder = os.path.join(run_dir, layout.RECEIPTS)
        self._disk = disk

    def put(self, digest: str, envelope: bytes) -> None:
        path = self.path_of(digest)
        with disk_errors("keep a receipt in", path):
            os.makedirs(self._folder, exist_ok=True)
            self._disk.preserve(path, envelope)

    def get(self, digest: str) -> bytes:
        """Return the bytes of a receipt; none if it is gone."""
        return read_plain_file(self.path_of(digest))

    def has(self, digest: str) -> bool:
        """Return whether the receipt is there and unchanged."""
        return sha256(self.get(digest)) == digest

    def path_of(self, digest: str) -> str:
        return os.path.join(self._folder, f"{digest}.json")
