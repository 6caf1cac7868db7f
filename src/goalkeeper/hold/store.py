"""The holds of a repository on disk. Hooks write the same files, in `hooks/files.py`.

A hold lies in the repository's state directory. A session is held while the user's state
directory has a watch for it, which names the hold; there lie the key and the locks, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress

from goalkeeper.core.moments import DAY_SECONDS
from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.storage.lock import hold_lock
from goalkeeper.system.safe_open import make_folder, read_plain_file, remove_file
from goalkeeper.wire import hold as wire
from goalkeeper.wire import layout
from goalkeeper.wire.hold import OFF, Foreign, Hold, dump, load

_LOCK_SECONDS = {layout.LOCKED: 10, layout.ARMING: 30, layout.PROVING: 3600}
_KEY_BYTES = 32


class Holds:
    def __init__(self, state_dir: str, home: str, disk: Disk) -> None:
        self._dir = os.path.join(state_dir, layout.HOLD)
        self._home = home
        self._watch = os.path.join(home, layout.WATCH)
        self._key_path = os.path.join(home, layout.HOLD_KEY)
        self._disk = disk

    def get(self, client: str, session: str) -> Hold | None:
        """Return the hold of a session; None if there is none, or none of ours."""
        return self._load(self._path(client, session))

    def all(self) -> Iterator[Hold]:
        """Return the holds of this repository that can be read."""
        return (hold for _, hold in self._found() if hold)

    def unreadable(self) -> list[str]:
        """List the sessions of this repository whose holds cannot be read."""
        return [name for name, hold in self._found() if hold is None]

    def _found(self) -> Iterator[tuple[str, Hold | None]]:
        names = sorted(os.listdir(self._dir)) if os.path.isdir(self._dir) else []
        for name in names:
            if name.endswith(".json"):
                yield name.removesuffix(".json"), self._load(os.path.join(self._dir, name))

    def is_watched(self, hold: Hold) -> bool:
        """Return whether hooks hold the session by this hold, and not by another or none."""
        path = self._path(hold.client, hold.session)
        named = read_plain_file(self._watch_of(hold.client, hold.session))
        return os.fsdecode(named) == wire.format_watch(path, hold)

    def watched_by(self, client: str, session: str) -> str:
        """Find the file that holds a session now, wherever it is; empty if none does."""
        told = read_plain_file(self._watch_of(client, session))
        return wire.parse_watch(os.fsdecode(told))[1] if told else ""

    def put(self, hold: Hold) -> None:
        """Write it, and watch the session or not, as it says."""
        path = self._path(hold.client, hold.session)
        watch = self._watch_of(hold.client, hold.session)
        with disk_errors("write", path):
            for place in (self._dir, self._watch):
                make_folder(place, 0o700)
            self._disk.replace(path, dump(hold, self._made_key()))
            if hold.ended in ("", OFF):  # its user is told of OFF at the next stop
                self._disk.replace(watch, os.fsencode(wire.format_watch(path, hold)))
            else:
                self._forget(os.path.basename(watch))

    def protect(self, hold: Hold, paths: tuple[str, ...]) -> None:
        """Note the paths that hooks do not let the session's agent write to."""
        file = self._beside(layout.hold_name(hold.client, hold.session), layout.PROTECTED)
        with disk_errors("write", file):
            self._disk.replace(file, os.fsencode("\n".join(paths)))

    def lock_session(self, kind: str, client: str, session: str) -> AbstractContextManager[None]:
        """Lock a session in one of three ways.

        LOCKED keeps hooks from changing the hold. With ARMING one process at a time begins or
        closes it, and with PROVING one process at a time proves it.
        """
        with disk_errors("make", self._watch):
            make_folder(self._watch, 0o700)
        path = self._beside(layout.hold_name(client, session), kind)
        return hold_lock(path, shared=False, timeout_seconds=_LOCK_SECONDS[kind])

    def sweep(self, now: float) -> None:
        """Forget watches of sessions that are long gone: each costs every hook an interpreter.

        A watch whose hold was deleted stays, because its user has not been told.
        """
        names = os.listdir(self._watch) if os.path.isdir(self._watch) else []
        for name in (name for name in names if not name.startswith(".")):
            told = os.fsdecode(read_plain_file(os.path.join(self._watch, name)))
            path = wire.parse_watch(told)[1]
            hold = self._load(path)
            gone = hold is None and not os.path.isdir(os.path.dirname(path))
            lasts = hold.armed_at + hold.limits.minutes * 60 + DAY_SECONDS if hold else now
            if gone or lasts < now:
                self._forget(name)

    def _forget(self, name: str) -> None:
        for path in (os.path.join(self._watch, name), self._beside(name, layout.PROTECTED)):
            remove_file(path)

    def _path(self, client: str, session: str) -> str:
        return os.path.join(self._dir, layout.hold_name(client, session) + ".json")

    def _watch_of(self, client: str, session: str) -> str:
        return os.path.join(self._watch, layout.hold_name(client, session))

    def _beside(self, name: str, kind: str) -> str:
        return os.path.join(self._watch, layout.name_beside(name, kind))

    def _load(self, path: str) -> Hold | None:
        try:
            return load(read_plain_file(path), self._key())
        except Foreign:
            return None

    def _key(self) -> bytes:
        """Return our key; it is empty where there is none of ours."""
        key = read_plain_file(self._key_path)
        return key if len(key) == _KEY_BYTES else b""

    def _made_key(self) -> bytes:
        """Make the key if there is none: outside the repository, and only its user may read it.

        It is linked into place, so that it is whole from its first moment.
        """
        if not os.path.lexists(self._key_path):
            new = f"{self._key_path}.{os.getpid()}"
            self._disk.write_new(new, os.urandom(_KEY_BYTES), mode=0o600)
            with suppress(FileExistsError):
                os.link(new, self._key_path)
            remove_file(new)
        return self._key()
