"""Finds the run that is meant, makes runs, and sets them aside.

A new run is staged beside the others and renamed into place: that rename is the moment it exists.
The files that point at it are written before; one that points at nothing is ignored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from goalkeeper.core.fold import begin
from goalkeeper.core.plan import ids
from goalkeeper.core.plan.events import PlanCreated
from goalkeeper.core.plan.model import Actor, ActorKind
from goalkeeper.core.snapshot import Snapshot
from goalkeeper.errors import (
    GoalkeeperError,
    RunBoundElsewhere,
    StateMisplaced,
    UnknownRun,
    UnsafeRunId,
)
from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.storage.ledger import GENESIS, Ledger
from goalkeeper.storage.lock import hold_lock
from goalkeeper.storage.places import RunFiles, State
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import (
    make_folder,
    open_without_links,
    read_plain_file,
    refuse_links,
    remove_file,
)
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import sha256

if TYPE_CHECKING:
    from goalkeeper.storage.redacting import AnyEvent, EventRedactor

STAGED = ".new-"


class Runs:
    def __init__(
        self,
        state: State,
        disk: Disk,
        *,
        timeout_seconds: float,
        environ: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.state = state
        self._disk = disk
        self._timeout_seconds = timeout_seconds
        self._environ = environ  # the secrets in it are not recorded

    @cached_property
    def redactor(self) -> EventRedactor:
        """Make what removes the user's secrets, once for all that a command records and shows."""
        from goalkeeper.storage.redacting import EventRedactor  # noqa: PLC0415  readers need none

        return EventRedactor(self._environ)

    def _redact_events(self, events: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
        return self.redactor.redact_events(events)

    def ids(self) -> list[str]:
        """Return all runs, oldest first."""
        self.state.check_own()
        return list_run_ids(self.state.runs)

    def archived_ids(self) -> list[str]:
        """Return the runs that were set aside, oldest first."""
        self.state.check_own()
        return list_run_ids(self.state.archive)

    def all_ids(self) -> list[str]:
        return [*self.ids(), *self.archived_ids()]

    def choose(self, *, named: str, actor: Actor) -> FileRun | None:
        """Return the run that is named, or bound to the session, or current; None if there is none.

        A run that is bound to another session must be named by agents.
        """
        if named:
            return self.named(named)
        self.state.check_own()
        bound = self._pointed_at(self._binding(actor.session)) if actor.session else ""
        run_id = bound or self._pointed_at(self.state.current) or next(reversed(self.ids()), "")
        if run_id and not bound and actor.kind is not ActorKind.HUMAN and self._is_bound(run_id):
            raise RunBoundElsewhere(run=run_id)
        return self._run(run_id) if run_id else None

    def create(
        self,
        event: PlanCreated,
        *,
        at: str,
        actor: Actor,
        closing: Callable[[], None] = lambda: None,
        is_apart: bool = False,
    ) -> FileRun:
        """Make a run and do what closes the one it replaces: both, or neither.

        A run that is apart is nobody's current one: it must be named.
        """
        (event,) = self._redact_events((event,))
        run = self._run(event.run_id)
        staged = RunFiles(os.path.join(self.state.runs, STAGED + event.run_id), run.files.seen)
        pointers = [] if is_apart else self._pointers_to_move(event.session)
        before = {pointer: read_plain_file(pointer) for pointer in pointers}
        discard(staged.dir)
        try:
            with disk_errors("make a run in", self.state.runs):
                if not self.state.is_known:
                    self.state.make_known(self._disk)
                run.warnings += self._stage(staged, event, at, actor)
                self._point(pointers, event.run_id, before)
                self._disk.rename(staged.dir, run.files.dir)
                closing()
        except GoalkeeperError:
            self._withdraw(run, staged, before)
            raise
        with suppress(OSError):  # the run exists; a crash now can at most lose its name on disk
            self._point(pointers, event.run_id, {})
            self._disk.sync_dir(self.state.runs)
        return run

    def set_aside(self, run_id: str) -> str:
        """Move a run, whatever its condition, to the archive; return where it is then."""
        target = os.path.join(self.state.archive, run_id)
        with disk_errors("archive", os.path.join(self.state.runs, run_id)):
            make_folder(self.state.archive)
            self._disk.rename(os.path.join(self.state.runs, run_id), target)
        for pointer in (self.state.current, *self._bindings()):
            if run_id in _named_in(pointer)[:1]:
                remove_file(pointer)
        remove_file(os.path.join(self.state.cache, run_id))
        return target

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Make the state directory if it is missing, and keep others from changing its runs."""
        self.state.check_own()
        with self._lock():
            self.state.check_own()  # another process may have made it meanwhile
            with disk_errors("make", self.state.dir):
                for place in (self.state.bound, self.state.cache):
                    make_folder(place)
            known = read_plain_file(self.state.ignore).decode(errors="replace").split()
            # An older version wrote a shorter list; a list with other lines is the user's own.
            if len(known) < len(layout.IGNORED) and {*known} <= {*layout.IGNORE_TEXT.split()}:
                with disk_errors("write", self.state.ignore):
                    self._disk.replace(self.state.ignore, layout.IGNORE_TEXT.encode())
            yield

    def take_over(self) -> None:
        """Take state that somebody else made, or an older version, for state of this place."""
        self.state.check_placement()
        self.state.check_tracking()
        with self._lock(), disk_errors("write", self.state.dir):
            self.state.make_known(self._disk)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        with disk_errors("make", self.state.runs):
            make_folder(self.state.runs)
        with hold_lock(self.state.lock, shared=False, timeout_seconds=self._timeout_seconds):
            yield

    def _stage(self, files: RunFiles, event: PlanCreated, at: str, actor: Actor) -> list[str]:
        make_folder(files.dir)
        self._disk.write_new(files.brief, event.brief.encode())
        self._disk.write_new(files.lock, b"")
        run = FileRun(
            files, event.run_id, self._disk, timeout_seconds=0, redact=self._redact_events
        )
        fd = open_without_links(files.ledger, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        try:
            ledger = Ledger(fd, files.ledger, event.run_id, self._disk)
            position = ledger.append((event,), at=at, actor=actor, after=GENESIS)
            run.project(fd, Snapshot(begin(event, at), position))
        finally:
            os.close(fd)
        self._disk.sync_dir(files.dir)
        return run.warnings

    def _pointers_to_move(self, session: str) -> list[str]:
        """Return the session's binding, and `current` unless it is at another session's run."""
        own = [self._binding(session)] if session else []
        current = self._pointed_at(self.state.current)
        is_mine = bool(own) and self._pointed_at(own[0]) == current
        return [*own, *([] if self._is_bound(current) and not is_mine else [self.state.current])]

    def _point(self, pointers: list[str], run_id: str, before: Mapping[str, bytes]) -> None:
        """Point at the run and at the one before it, which counts until this one exists."""
        for pointer in pointers:
            self._disk.replace(pointer, f"{run_id}\n".encode() + before.get(pointer, b""))

    def _withdraw(self, run: FileRun, staged: RunFiles, before: Mapping[str, bytes]) -> None:
        """Undo what a failed `create` did, as far as the disk lets us."""
        with suppress(OSError):
            refuse_links(run.files.dir)
            os.rename(run.files.dir, staged.dir)
        discard(staged.dir)
        remove_file(run.files.seen)
        for pointer, data in before.items():
            with suppress(OSError):
                self._disk.replace(pointer, data)
            if not data:
                remove_file(pointer)

    def named(self, run_id: str) -> FileRun:
        """Return a run by its id, also one in the archive, which is closed but can be looked at."""
        self.state.check_own()
        if not ids.is_run_id(run_id):
            raise UnsafeRunId(run=run_id, runs=self.state.runs)
        if os.path.isdir(os.path.join(self.state.runs, run_id)):
            return self._run(run_id)
        archived = RunFiles(os.path.join(self.state.archive, run_id), "")
        if not os.path.isdir(archived.dir):
            raise UnknownRun(run=run_id, runs=self.state.runs)
        return self._open_run(archived, run_id)

    def _is_bound(self, run_id: str) -> bool:
        return any(self._pointed_at(pointer) == run_id for pointer in self._bindings())

    def _run(self, run_id: str) -> FileRun:
        files = self.state.files_of_run(run_id)
        if os.path.islink(files.dir):
            raise StateMisplaced(path=files.dir, reason="it is a symbolic link")
        return self._open_run(files, run_id)

    def _open_run(self, files: RunFiles, run_id: str) -> FileRun:
        return FileRun(
            files,
            run_id,
            self._disk,
            timeout_seconds=self._timeout_seconds,
            redact=self._redact_events,
        )

    def _pointed_at(self, pointer: str) -> str:
        """Return the first run the pointer names that is there."""
        named = (name for name in _named_in(pointer) if ids.is_run_id(name))
        there = (name for name in named if os.path.isdir(os.path.join(self.state.runs, name)))
        return next(there, "")

    def _binding(self, session: str) -> str:
        return os.path.join(self.state.bound, sha256(session.encode())[:32])

    def _bindings(self) -> list[str]:
        with suppress(OSError):
            return [os.path.join(self.state.bound, name) for name in os.listdir(self.state.bound)]
        return []


def discard(directory: str) -> None:
    """Delete a staged run, which nobody has seen yet.

    If a link is in its place, only the link is deleted.
    """
    if os.path.islink(directory):
        remove_file(directory)
        return
    for place, _, names in os.walk(directory, topdown=False):
        for name in names:
            remove_file(os.path.join(place, name))
        with suppress(OSError):
            os.rmdir(place)


def list_run_ids(place: str) -> list[str]:
    """List the runs in a folder, whoever made them, oldest first."""
    try:
        return sorted(name for name in os.listdir(place) if ids.is_run_id(name))
    except FileNotFoundError:
        return []


def _named_in(pointer: str) -> list[str]:
    return read_plain_file(pointer).decode(errors="replace").split()
