"""Keeps which settings of a repository its user has confirmed, outside of the repository."""

from __future__ import annotations

import json
import os

from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire.canonical import compact, sha256


class TrustedSettings:
    """The digests of settings that were confirmed for one repository."""

    def __init__(self, folder: str, root: str, disk: Disk) -> None:
        self._path = os.path.join(folder, f"{sha256(os.fsencode(root))[:32]}.json")
        self._root = root
        self._disk = disk

    def list_digests(self) -> list[str]:
        try:
            told = json.loads(read_plain_file(self._path) or b"{}")
            return [str(each) for each in told.get("digests", [])]
        except (ValueError, AttributeError, TypeError):
            return []  # whatever stands there, it confirms nothing

    def add(self, digest: str) -> None:
        """Keep one more digest: a plan may have begun with settings of before."""
        kept = sorted({*self.list_digests(), digest})
        told = {"root": self._root, "digests": kept}
        with disk_errors("write", self._path):
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            data = compact(told).encode(errors="backslashreplace")
            self._disk.replace(self._path, data + b"\n", 0o600)

    def remove_all(self) -> bool:
        """Forget every digest of this repository; return whether there was one."""
        had = bool(self.list_digests())
        with disk_errors("delete", self._path):
            if os.path.lexists(self._path):
                os.unlink(self._path)
        return had
