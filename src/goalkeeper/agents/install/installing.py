"""Installing, whole or not at all, and undoing it byte for byte.

What was there before is kept beside the record of what was written. A file that nobody touched
since gets its bytes back; from one that was changed only our entries are taken.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from typing import Any

from goalkeeper.agents.install.json_text import NotJson, appended, with_member, without
from goalkeeper.agents.install.parts import Merged, Owned, is_ours
from goalkeeper.errors import ConfigError, DiskFailed, UsageError
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.value import Value

RECORD = "record.json"
_VERSION = 1


class SettingsUnreadable(ConfigError):
    """{path} is not JSON ({reason}); nothing was written."""

    code = "settings-unreadable"
    hint = "mend {path}, then repeat the command"


class NotInstalled(UsageError):
    """goalkeeper is not installed for {client} ({scope})."""

    code = "not-installed"
    hint = "goalkeeper doctor"


class Change(Value):
    """One file: what it was (None: absent) and what it is to be."""

    path: str
    before: bytes | None
    after: bytes
    is_merged: bool

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


class Kept(Value):
    """One file of the record: the digest of what we wrote, the file that holds what was there."""

    path: str
    digest: str
    backup: str  # empty: there was nothing
    is_merged: bool


def changes(files: tuple[Owned | Merged, ...]) -> tuple[Change, ...]:
    return tuple(_change(file) for file in files)


def _change(file: Owned | Merged) -> Change:
    before = read(file.path)
    if isinstance(file, Owned):
        return Change(file.path, before, file.data, is_merged=False)
    return Change(file.path, before, _merged(file, before or b"{}\n"), is_merged=True)


def _merged(file: Merged, before: bytes) -> bytes:
    """Ours taken out and put in again: the same, where it was in."""
    try:
        text = before.decode()
        found = without(text, is_ours)
        for path, item in file.items:
            found = appended(found, path, item)
        for path, value in file.members:
            found = with_member(found, path, value)
    except (NotJson, UnicodeDecodeError) as exc:
        raise SettingsUnreadable(path=file.path, reason=str(exc)) from exc
    return found.encode()


class Record:
    """What was installed for one client in one scope."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, RECORD)

    @property
    def exists(self) -> bool:
        return os.path.isfile(self._path)

    def files(self) -> tuple[Kept, ...]:
        try:
            return tuple(Kept(**each) for each in self._told()["files"])
        except (KeyError, TypeError):
            return ()

    def _told(self) -> dict[str, list[Any]]:
        try:
            told = json.loads(read(self._path) or b"{}")
        except ValueError:
            return {}
        return told if isinstance(told, dict) else {}

    def install(self, wanted: tuple[Change, ...]) -> None:
        """The record first: whatever is written afterwards can be undone."""
        known = {kept.path: kept for kept in self.files()}
        kept = [self._keep(number, change, known) for number, change in enumerate(wanted)]
        gone = [old for path, old in known.items() if path not in {c.path for c in wanted}]
        folders = {*self._told().get("folders", ()), *_missing(wanted)}
        told = {"version": _VERSION, "files": [each.as_dict() for each in kept],
                "folders": sorted(folders)}  # fmt: skip
        _write(self._path, (json.dumps(told, indent=2) + "\n").encode())
        for old in gone:
            self._undo(old)
        for change in wanted:
            if change.is_needed:
                _write(change.path, change.after)

    def _keep(self, number: int, change: Change, known: dict[str, Kept]) -> Kept:
        old = known.get(change.path)
        digest = sha256(change.after)
        if old and change.before is not None and sha256(change.before) == old.digest:
            return old.replace(digest=digest)  # ours still: what was there before us counts
        backup = ""
        if change.before is not None:
            backup = f"{number}-{os.path.basename(change.path)}"
            _write(os.path.join(self._folder, backup), change.before)
        return Kept(change.path, digest, backup, change.is_merged)

    def uninstall(self) -> tuple[str, ...]:
        """What was changed or removed. Folders that we made go, too, if nothing else is in them."""
        done = tuple(kept.path for kept in self.files() if self._undo(kept))
        for folder in sorted(self._told().get("folders", ()), key=len, reverse=True):
            with suppress(OSError):
                os.rmdir(folder)
        for name in os.listdir(self._folder):
            os.unlink(os.path.join(self._folder, name))
        os.rmdir(self._folder)
        with suppress(OSError):
            os.rmdir(os.path.dirname(self._folder))
        return done

    def _undo(self, kept: Kept) -> bool:
        now = read(kept.path)
        if now is None:
            return False
        before = read(os.path.join(self._folder, kept.backup)) if kept.backup else None
        if sha256(now) != kept.digest:
            if not kept.is_merged:
                return False  # somebody made it theirs
            before = _taken_out(kept.path, now)
        if before is None or (kept.is_merged and not kept.backup and before.strip() == b"{}"):
            os.unlink(kept.path)
        elif before != now:
            _write(kept.path, before)
        return True


def _missing(wanted: tuple[Change, ...]) -> set[str]:
    """Folders that have to be made."""
    found = set()
    for change in wanted:
        folder = os.path.dirname(change.path)
        while folder not in found and not os.path.exists(folder):
            found.add(folder)
            folder = os.path.dirname(folder)
    return found


def _taken_out(path: str, now: bytes) -> bytes:
    try:
        return without(now.decode(), is_ours).encode()
    except (NotJson, UnicodeDecodeError) as exc:
        raise SettingsUnreadable(path=path, reason=str(exc)) from exc


def read(path: str) -> bytes | None:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise DiskFailed(action="read", path=path, reason="it is not a file")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise DiskFailed(action="read", path=path, reason=exc.strerror or str(exc)) from exc


def _write(path: str, data: bytes) -> None:
    """In the place that a link leads to, with the rights it had: settings are often links."""
    real = os.path.realpath(path)
    temp = f"{real}.goalkeeper"
    try:
        os.makedirs(os.path.dirname(real), exist_ok=True)
        with open(temp, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(temp, stat.S_IMODE(os.stat(real).st_mode))
        os.replace(temp, real)
    except OSError as exc:
        with suppress(OSError):
            os.unlink(temp)
        raise DiskFailed(action="write", path=path, reason=exc.strerror or str(exc)) from exc
