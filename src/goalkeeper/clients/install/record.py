"""What was installed for a client, kept so that it can be undone byte for byte.

What was there before lies beside the record. A file that nobody touched since gets its bytes
back; from one that was changed only our entries are taken. The record is written first and
removed last: whenever we die, it tells of all that there is to undo.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from goalkeeper.clients.install.files import (
    NotPutBack,
    Step,
    carry_out,
    missing_folders,
    read,
    remove,
    remove_folders,
    sweep,
    write,
)
from goalkeeper.clients.install.installing import Change, taken_out
from goalkeeper.errors import ConfigError, DiskFailed, UsageError
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.value import Value

RECORD = "record.json"
_VERSION = 1
_OURS_ALONE = 0o600  # settings may hold secrets, and so does what we keep of them


class NotInstalled(UsageError):
    """goalkeeper is not installed for {client} ({scope})."""

    code = "not-installed"
    hint = "goalkeeper doctor"


class RecordUnreadable(ConfigError):
    """{path} does not tell what was installed ({reason}); nothing was undone."""

    code = "record-unreadable"
    hint = "install again, which writes it anew; then uninstall"


class Kept(Value):
    """One file of the record: what we wrote, and the name of the file that has what was there."""

    path: str
    digests: tuple[str, ...]  # after a crash it is as it was before, or as it was to be
    backup: str  # empty: there was nothing
    is_merged: bool

    def is_as_written(self, data: bytes) -> bool:
        return sha256(data) in self.digests


class Told(Value):
    files: tuple[Kept, ...] = ()
    folders: tuple[str, ...] = ()  # that we made


class Record:
    """Of one client in one scope."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, RECORD)

    @property
    def exists(self) -> bool:
        return os.path.isfile(self._path)

    def files(self) -> tuple[Kept, ...]:
        return self._told().files

    def install(self, wanted: tuple[Change, ...]) -> None:
        """All of it, or nothing. What an older version wrote and this one does not is undone."""
        try:
            old = self._told()
        except RecordUnreadable:
            old = Told()  # what is ours is found in the files themselves
        known = {kept.path: kept for kept in old.files}
        sweep([*known, *(change.path for change in wanted)])
        gone = [known[path] for path in known.keys() - {change.path for change in wanted}]
        folders = missing_folders(change.path for change in wanted)
        steps = [Step(each.path, each.before, each.after) for each in wanted if each.is_needed]
        steps += [step for _, step in self._undoing(gone)]
        with self._kept_on_failure(folders):
            kept = [self._keep(change, known.get(change.path)) for change in wanted]
            told = Told((*kept, *gone), tuple(sorted({*old.folders, *folders})))
            self._tell(told)
            carry_out(steps)
        if gone:
            self._tell(told.replace(files=tuple(kept)))

    @contextmanager
    def _kept_on_failure(self, folders: set[str]) -> Iterator[None]:
        """The record as it was, where nothing came of it; folders that were made are removed."""
        before = read(self._path)
        try:
            self._make_folder()
            yield
        except NotPutBack:
            raise  # the new record knows how to undo what there is
        except BaseException:
            remove_folders(folders)
            with suppress(DiskFailed):  # then the new one stays, and is as good
                if before is None:
                    self._remove()
                else:
                    write(self._path, before, _OURS_ALONE)
            raise

    def _make_folder(self) -> None:
        try:
            os.makedirs(self._folder, exist_ok=True)
            os.chmod(self._folder, 0o700)
        except OSError as exc:
            reason = exc.strerror or str(exc)
            raise DiskFailed(action="make", path=self._folder, reason=reason) from exc

    def _keep(self, change: Change, old: Kept | None) -> Kept:
        after = sha256(change.after)
        if old and change.before is not None and old.is_as_written(change.before):
            # Ours still: what was there before us counts.
            return old.replace(digests=tuple(dict.fromkeys([after, sha256(change.before)])))
        return Kept(change.path, (after,), self._backed_up(change, old), change.is_merged)

    def _backed_up(self, change: Change, old: Kept | None) -> str:
        before = change.before
        if before is None:
            return ""
        name = sha256(os.fsencode(change.path))[:16]  # the same in every version of ours
        path = os.path.join(self._folder, name)
        if change.is_merged:
            before = taken_out(change.path, before)
            if old and _is_empty(old, before):
                return ""
        elif not change.is_needed:  # ours, of a record that was lost
            return name if os.path.exists(path) else ""
        write(path, before, _OURS_ALONE)
        return name

    def uninstall(self) -> tuple[Kept, ...]:
        """What was changed or removed. Folders that we made go, too, if nothing else is in them."""
        told = self._told()
        undoing = list(self._undoing(told.files))  # all is known before anything is changed
        carry_out([step for _, step in undoing])
        sweep(kept.path for kept in told.files)
        remove_folders(told.folders)
        self._remove()
        return tuple(kept for kept, _ in undoing)

    def _undoing(self, files: Iterable[Kept]) -> Iterator[tuple[Kept, Step]]:
        for kept in files:
            now = read(kept.path)
            before = None if now is None else self._before(kept, now)
            if before != now:
                yield kept, Step(kept.path, now, before)

    def _before(self, kept: Kept, now: bytes) -> bytes | None:
        """What was there before us, with what the user changed since."""
        if kept.is_as_written(now):
            before = read(os.path.join(self._folder, kept.backup)) if kept.backup else None
            if before is not None or not kept.backup:
                return before
        if not kept.is_merged:
            return now  # somebody made it theirs, or what was there is lost
        before = taken_out(kept.path, now)
        return None if _is_empty(kept, before) else before

    def _remove(self) -> None:
        """The record before what it tells of: without it, nothing is believed to be installed."""
        remove(self._path)
        with suppress(OSError):
            for name in os.listdir(self._folder):
                os.unlink(os.path.join(self._folder, name))
        remove_folders([self._folder, os.path.dirname(self._folder)])

    def _tell(self, told: Told) -> None:
        files = [kept.as_dict() for kept in told.files]
        data = {"version": _VERSION, "files": files, "folders": told.folders}
        write(self._path, (json.dumps(data, indent=2) + "\n").encode(), _OURS_ALONE)

    def _told(self) -> Told:
        data = read(self._path)
        if data is None:
            return Told()
        try:
            return _parsed(json.loads(data))
        except (ValueError, TypeError, KeyError) as exc:
            raise RecordUnreadable(path=self._path, reason=str(exc)) from exc


def _is_empty(kept: Kept, data: bytes) -> bool:
    """Whether nothing is left of a file that we made."""
    return not kept.backup and data.strip() == b"{}"


def _parsed(told: object) -> Told:
    if not isinstance(told, dict) or told.get("version") != _VERSION:
        raise ValueError("it is not of this version")
    return Told(tuple(_kept(each) for each in told["files"]), tuple(told["folders"]))


def _kept(told: dict[str, Any]) -> Kept:
    if not all(isinstance(told[name], str) for name in ("path", "backup")):
        raise TypeError("a file has no name")
    return Kept(**told).replace(digests=tuple(told["digests"]))
