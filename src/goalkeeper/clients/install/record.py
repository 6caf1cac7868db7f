"""Keeps what was installed for a client, so that it can be undone byte for byte.

What was there before lies beside the record. A file that nobody touched since gets its bytes back;
from one that was changed only our entries are taken. The record is written first and removed last:
after a crash at any moment, it lists all that there is to undo.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from goalkeeper.clients.install.files import (
    InstallChange,
    NotPutBack,
    carry_out,
    list_missing_folders,
    read_file,
    remove_file,
    remove_folders,
    sweep_leftovers,
    write_file,
)
from goalkeeper.clients.install.parts import take_out
from goalkeeper.errors import ConfigError, DiskFailed, UsageError
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.value import Value

RECORD = "record.json"
_VERSION = 1
_OURS_ALONE = 0o600  # settings may hold secrets, and so may our copies of them


class NotInstalled(UsageError, hint="goalkeeper doctor"):
    """goalkeeper is not installed for {client} ({scope})."""


class RecordUnreadable(ConfigError, hint="install again, which writes it anew; then uninstall"):
    """{path} does not tell what was installed ({reason}); nothing was undone."""


class InstalledFile(Value):
    """One file of the record: what we wrote, and which file keeps what was there."""

    path: str
    digests: tuple[str, ...]  # after a crash the file is as it was before, or as it was to be
    backup: str  # it is empty if there was nothing
    is_merged: bool

    def is_as_written(self, data: bytes) -> bool:
        return sha256(data) in self.digests


class InstallNotes(Value):
    files: tuple[InstalledFile, ...] = ()
    folders: tuple[str, ...] = ()  # folders that we made


class InstallRecord:
    """The record of one client in one scope."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, RECORD)

    @property
    def exists(self) -> bool:
        return os.path.isfile(self._path)

    def files(self) -> tuple[InstalledFile, ...]:
        return self._read_notes().files

    def install(self, wanted: tuple[InstallChange, ...]) -> None:
        """Install all of it, or nothing. What only an older version wrote is undone."""
        try:
            old = self._read_notes()
        except RecordUnreadable:
            old = InstallNotes()  # our entries are found in the files themselves
        known = {kept.path: kept for kept in old.files}
        sweep_leftovers([*known, *(change.path for change in wanted)])
        gone = [known[path] for path in known.keys() - {change.path for change in wanted}]
        folders = list_missing_folders(change.path for change in wanted)
        steps = [change for change in wanted if change.is_needed]
        steps += [step for _, step in self._plan_undo(gone)]
        with self._restore_on_failure(folders):
            kept = [self._note_file(change, known.get(change.path)) for change in wanted]
            told = InstallNotes((*kept, *gone), tuple(sorted({*old.folders, *folders})))
            self._write_notes(told)
            carry_out(steps)
        if gone:
            self._write_notes(told.replace(files=tuple(kept)))

    @contextmanager
    def _restore_on_failure(self, folders: set[str]) -> Iterator[None]:
        """If something fails, put the record back and remove the folders that were made."""
        before = read_file(self._path)
        try:
            self._make_folder()
            yield
        except NotPutBack:
            raise  # the new record knows how to undo what there is
        except BaseException:
            remove_folders(folders)
            with suppress(DiskFailed):  # then the new record stays, and is as good
                if before is None:
                    self._remove_record()
                else:
                    write_file(self._path, before, _OURS_ALONE)
            raise

    def _make_folder(self) -> None:
        try:
            os.makedirs(self._folder, exist_ok=True)
            os.chmod(self._folder, 0o700)
        except OSError as exc:
            reason = exc.strerror or str(exc)
            raise DiskFailed(action="make", path=self._folder, reason=reason) from exc

    def _note_file(self, change: InstallChange, old: InstalledFile | None) -> InstalledFile:
        after = sha256(change.after or b"")
        if old and change.before is not None and old.is_as_written(change.before):
            # The file is still ours: what was there before us counts.
            return old.replace(digests=tuple(dict.fromkeys([after, sha256(change.before)])))
        return InstalledFile(change.path, (after,), self._back_up(change, old), change.is_merged)

    def _back_up(self, change: InstallChange, old: InstalledFile | None) -> str:
        before = change.before
        if before is None:
            return ""
        name = sha256(os.fsencode(change.path))[:16]  # it is the same in every version of ours
        path = os.path.join(self._folder, name)
        if change.is_merged:
            before = take_out(change.path, before)
            if old and _is_empty(old, before):
                return ""
        elif not change.is_needed:  # it is ours, of a record that was lost
            return name if os.path.exists(path) else ""
        write_file(path, before, _OURS_ALONE)
        return name

    def uninstall(self) -> tuple[InstalledFile, ...]:
        """Undo it, and return what was changed. Folders that we made go if they are empty."""
        told = self._read_notes()
        undoing = list(self._plan_undo(told.files))  # all is known before anything is changed
        carry_out([step for _, step in undoing])
        sweep_leftovers(kept.path for kept in told.files)
        remove_folders(told.folders)
        self._remove_record()
        return tuple(kept for kept, _ in undoing)

    def _plan_undo(
        self, files: Iterable[InstalledFile]
    ) -> Iterator[tuple[InstalledFile, InstallChange]]:
        for kept in files:
            now = read_file(kept.path)
            before = None if now is None else self._find_before(kept, now)
            if before != now:
                yield kept, InstallChange(kept.path, now, before)

    def _find_before(self, kept: InstalledFile, now: bytes) -> bytes | None:
        """Find what was there before us, with what the user changed since."""
        if kept.is_as_written(now):
            before = read_file(os.path.join(self._folder, kept.backup)) if kept.backup else None
            if before is not None or not kept.backup:
                return before
        if not kept.is_merged:
            return now  # somebody changed it, or what was there is lost
        before = take_out(kept.path, now)
        return None if _is_empty(kept, before) else before

    def _remove_record(self) -> None:
        """Remove the record first: without it, nothing is believed to be installed."""
        remove_file(self._path)
        with suppress(OSError):
            for name in os.listdir(self._folder):
                os.unlink(os.path.join(self._folder, name))
        remove_folders([self._folder, os.path.dirname(self._folder)])

    def _write_notes(self, told: InstallNotes) -> None:
        files = [kept.as_dict() for kept in told.files]
        data = {"version": _VERSION, "files": files, "folders": told.folders}
        write_file(self._path, (json.dumps(data, indent=2) + "\n").encode(), _OURS_ALONE)

    def _read_notes(self) -> InstallNotes:
        data = read_file(self._path)
        if data is None:
            return InstallNotes()
        try:
            return _parse_notes(json.loads(data))
        except (ValueError, TypeError, KeyError) as exc:
            raise RecordUnreadable(path=self._path, reason=str(exc)) from exc


def _is_empty(kept: InstalledFile, data: bytes) -> bool:
    """Return whether nothing is left of a file that we made."""
    return not kept.backup and data.strip() == b"{}"


def _parse_notes(told: object) -> InstallNotes:
    if not isinstance(told, dict) or told.get("version") != _VERSION:
        raise ValueError("it is not of this version")
    return InstallNotes(tuple(_parse_file(each) for each in told["files"]), tuple(told["folders"]))


def _parse_file(told: dict[str, Any]) -> InstalledFile:
    if not all(isinstance(told[name], str) for name in ("path", "backup")):
        raise TypeError("a file has no name")
    return InstalledFile(**told).replace(digests=tuple(told["digests"]))
