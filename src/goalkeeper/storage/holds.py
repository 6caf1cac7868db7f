"""The holds of a repository on disk. Hooks write the same files, in `hooks/files.py`.

A hold lies in the repository's state directory. A session is held while the user's state
directory has a watch for it, which names the hold; there lie the key and the locks, too.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress

from goalkeeper.plainly import contents
from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.storage.lock import holding
from goalkeeper.wire import layout
from goalkeeper.wire.hold import Foreign, Hold, dump, load, name_of

_LOCK_SECONDS = 10
_PROOF_SECONDS = 3600
_KEY_BYTES = 32


class Holds:
    def __init__(self, state_dir: str, home: str, disk: Disk) -> None:
        self._dir = os.path.join(state_dir, layout.HOLD)
        self._home = home
        self._watch = os.path.join(home, layout.WATCH)
        self._disk = disk

    def path(self, client: str, session: str) -> str:
        return os.path.join(self._dir, name_of(client, session) + ".json")

    def get(self, client: str, session: str) -> Hold | None:
        """None: there is none, or none of ours."""
        return self._load(self.path(client, session))

    def all(self) -> Iterator[Hold]:
        """Of this repository, as far as they can be read."""
        names = sorted(os.listdir(self._dir)) if os.path.isdir(self._dir) else []
        for name in names:
            hold = self._load(os.path.join(self._dir, name)) if name.endswith(".json") else None
            if hold:
                yield hold

    def is_watched(self, hold: Hold) -> bool:
        return os.path.lexists(self._watch_of(hold))

    def put(self, hold: Hold) -> None:
        """Write it, and let the session be watched or not as it says."""
        path, watch = self.path(hold.client, hold.session), self._watch_of(hold)
        with disk_errors("write", path):
            for place in (self._dir, self._watch):
                os.makedirs(place, mode=0o700, exist_ok=True)
            self._disk.replace(path, dump(hold, self._key()))
            if not hold.ended:
                self._disk.replace(watch, os.fsencode(path))
            elif os.path.lexists(watch):
                os.unlink(watch)

    def protect(self, hold: Hold, paths: tuple[str, ...]) -> None:
        """What hooks do not let the session's agent write to."""
        file = self._beside(hold, "protected")
        with disk_errors("write", file):
            self._disk.replace(file, os.fsencode("\n".join(paths)))

    def holding(self, client: str, session: str) -> AbstractContextManager[None]:
        """Keep hooks from changing it meanwhile."""
        return self._locked(client, session, "lock", _LOCK_SECONDS)

    def proving(self, client: str, session: str) -> AbstractContextManager[None]:
        """One proof of it at a time."""
        return self._locked(client, session, "proof", _PROOF_SECONDS)

    def _locked(
        self, client: str, session: str, kind: str, seconds: int
    ) -> AbstractContextManager[None]:
        path = os.path.join(self._watch, f".{name_of(client, session)}.{kind}")
        with disk_errors("make", self._watch):
            os.makedirs(self._watch, mode=0o700, exist_ok=True)
        return holding(path, shared=False, timeout_seconds=seconds)

    def _watch_of(self, hold: Hold) -> str:
        return os.path.join(self._watch, name_of(hold.client, hold.session))

    def _beside(self, hold: Hold, kind: str) -> str:
        return os.path.join(self._watch, f".{name_of(hold.client, hold.session)}.{kind}")

    def _load(self, path: str) -> Hold | None:
        try:
            return load(contents(path), self._key(make=False))
        except (Foreign, OSError):
            return None

    def _key(self, *, make: bool = True) -> bytes:
        """Made when first needed; outside the repository, and for the user's eyes only."""
        path = os.path.join(self._home, layout.HOLD_KEY)
        if make:
            with suppress(FileExistsError):
                fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(fd, "wb") as file:
                    file.write(secrets.token_bytes(_KEY_BYTES))
        return contents(path)[:64]
