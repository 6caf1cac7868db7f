"""Keeps the receipts of a run, and the keys that sign them.

Each file of a receipt is named by its digest. The keys lie in the user's configuration, never in a
repository.
"""

from __future__ import annotations

import os

from goalkeeper.errors import ConfigError
from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.system.safe_open import make_folder, read_plain_file
from goalkeeper.verifier.envelope import key_id
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import sha256

CURRENT = "current"


class KeyUnusable(ConfigError, hint="goalkeeper keys rotate"):
    """The key that receipts are signed with cannot be used: {path}: {reason}."""


class Keys:
    def __init__(self, folder: str, disk: Disk) -> None:
        self._folder = folder
        self._disk = disk

    def find_current_id(self) -> str:
        """Return the id of the key that signs; empty before the first key is made."""
        return read_plain_file(os.path.join(self._folder, CURRENT)).decode(errors="replace").strip()

    def list_ids(self) -> list[str]:
        names = os.listdir(self._folder) if os.path.isdir(self._folder) else []
        return sorted(name.removesuffix(".pub") for name in names if name.endswith(".pub"))

    def read_public_key(self, name: str) -> bytes:
        return read_plain_file(self._key_path(name, "pub"))

    def rotate_key(self) -> str:
        """Make a key that signs from now on. The earlier keys stay, so that receipts verify."""
        from goalkeeper.storage import signing  # noqa: PLC0415  slow

        private, public = signing.make_key()
        name = key_id(public)
        with disk_errors("write a key to", self._folder):
            make_folder(self._folder, 0o700)
            self._disk.replace(self._key_path(name, "pem"), private, mode=0o600)
            self._disk.replace(self._key_path(name, "pub"), public)
            self._disk.replace(os.path.join(self._folder, CURRENT), f"{name}\n".encode())
        return name

    def sign_payload(self, payload: bytes) -> dict[str, object]:
        """Return a DSSE envelope, signed by the current key, which is made if there is none."""
        from goalkeeper.storage import signing  # noqa: PLC0415  as above

        name = self.find_current_id() or self.rotate_key()
        path = self._key_path(name, "pem")
        try:
            return signing.sign_payload(payload, read_plain_file(path), name)
        except (ValueError, TypeError) as exc:
            raise KeyUnusable(path=path, reason=str(exc) or "it is not an ed25519 key") from exc

    def _key_path(self, name: str, kind: str) -> str:
        return os.path.join(self._folder, f"{name}.{kind}")


class Receipts:
    def __init__(self, run_dir: str, disk: Disk) -> None:
        self._folder = os.path.join(run_dir, layout.RECEIPTS)
        self._disk = disk

    def put(self, digest: str, envelope: bytes) -> None:
        path = self.path_of(digest)
        with disk_errors("keep a receipt in", path):
            make_folder(self._folder)
            self._disk.preserve(path, envelope)

    def get(self, digest: str) -> bytes:
        """Return the bytes of a receipt; none if it is gone."""
        return read_plain_file(self.path_of(digest))

    def has(self, digest: str) -> bool:
        """Return whether the receipt is there and unchanged."""
        return sha256(self.get(digest)) == digest

    def path_of(self, digest: str) -> str:
        return os.path.join(self._folder, f"{digest}.json")
