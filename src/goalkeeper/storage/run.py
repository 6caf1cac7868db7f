"""One run on disk: its ledger, and the projections that follow from it.

- Loading costs the tail behind goals.json, not the history. goals.json counts only if it has
  the bytes we wrote last (`seen` remembers their digest, and the ledger's inode, size and
  change time); otherwise the whole ledger is checked and folded again.
- Projections are written under the lock, after the append: they may lag, never lead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from stat import S_ISREG

from goalkeeper.app.ports import Entry
from goalkeeper.core import snapshot
from goalkeeper.core.fold import apply, begin
from goalkeeper.core.plan import objective
from goalkeeper.core.plan.events import Event, PlanCreated
from goalkeeper.core.plan.model import Actor, Plan
from goalkeeper.core.plan.standing import why_forged
from goalkeeper.core.snapshot import Position, Snapshot, SnapshotTooNew
from goalkeeper.errors import DiskFailed, GoalkeeperError, LedgerBroken, RunGone, StateTooNew
from goalkeeper.storage import lock
from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.storage.ledger import Ledger
from goalkeeper.storage.places import RunFiles
from goalkeeper.system.safe_open import open_without_links, read_plain_file
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.value import Value

_SEEN_BYTES = 160
Redact = Callable[[tuple[Event, ...]], tuple[Event, ...]]  # it returns events without secrets


class LedgerMark(Value):
    """The ledger file as we left it, and the digest of the goals.json we wrote for it."""

    inode: int
    size: int
    changed_ns: int
    goals: str


class Turn:
    """One command's turn at the run, under its lock."""

    def __init__(self, ledger: Ledger, loaded: Snapshot, redact: Redact) -> None:
        self._ledger = ledger
        self._redact = redact
        self.loaded = loaded

    @property
    def plan(self) -> Plan:
        return self.loaded.plan

    def append(self, events: tuple[Event, ...], *, at: str, actor: Actor) -> None:
        if not events:
            return
        events = self._redact(events)
        with disk_errors("append to", self._ledger.path):
            position = self._ledger.append(events, at=at, actor=actor, after=self.loaded.position)
        plan = self.plan
        for event in events:
            plan = apply(plan, event, at)
        self.loaded = Snapshot(plan, position)


class FileRun:
    def __init__(
        self,
        files: RunFiles,
        run_id: str,
        disk: Disk,
        *,
        timeout_seconds: float,
        redact: Redact,
    ) -> None:
        self.run_id = run_id
        self.redact = redact
        self.files = files
        self.warnings: list[str] = []
        self.disk = disk
        self._timeout_seconds = timeout_seconds
        self._parsed: tuple[bytes, Snapshot | None] = (b"", None)  # goals.json as it was last read
        self._left: tuple[tuple[int, int, int], Snapshot] | None = None  # the ledger as we left it

    @property
    def is_archived(self) -> bool:
        return not self.files.seen

    def read(self) -> Plan:
        with self.holding(shared=True), self.open(os.O_RDONLY) as (fd, ledger):
            return objective.migrate_objective(self._find_current(fd, ledger).plan)

    @contextmanager
    def writing(self) -> Iterator[Turn]:
        with self.holding(shared=False), self.open(os.O_RDWR | os.O_APPEND) as (fd, ledger):
            before = self._find_current(fd, ledger)
            turn = Turn(ledger, before, self.redact)
            yield turn
            if turn.loaded.position != before.position:
                self.project(fd, turn.loaded)
                self._left = (_mark(fd), turn.loaded)

    def head(self) -> tuple[str, int]:
        """Return the digest and the number of the ledger's last line."""
        with self.holding(shared=True), self.open(os.O_RDONLY) as (fd, ledger):
            position = self._find_current(fd, ledger).position
            return position.head, position.seq

    def catch_up(self) -> None:
        """Bring goals.json up to the ledger, if a crash came between the two."""
        with self.holding(shared=False), self.open(os.O_RDWR | os.O_APPEND) as (fd, ledger):
            loaded = self._find_current(fd, ledger)
            known = self.read_goals(read_plain_file(self.files.goals))
            if known is None or known.position != loaded.position:
                self.project(fd, loaded)

    def entries(self) -> Iterator[Entry]:
        with self._open_to_end() as (ledger, last):
            for batch in ledger.read_batches():
                yield from batch.entries
                if batch.position.seq >= last.seq:
                    return

    def entries_from_end(self) -> Iterator[Entry]:
        with self._open_to_end() as (ledger, last):
            yield from ledger.read_from_end(last)

    @contextmanager
    def _open_to_end(self) -> Iterator[tuple[Ledger, Position]]:
        """Open the ledger up to its last line. Nobody waits for those who read it slowly."""
        with self.open(os.O_RDONLY) as (fd, ledger):
            with self.holding(shared=True):
                last = self._find_current(fd, ledger).position
            yield ledger, last

    @contextmanager
    def open(self, flags: int) -> Iterator[tuple[int, Ledger]]:
        path = self.files.ledger
        try:
            with disk_errors("open", path):
                fd = open_without_links(path, flags)
        except DiskFailed as exc:
            raise self._explain_missing() or exc from exc
        try:
            if not S_ISREG(os.fstat(fd).st_mode):
                raise self._make_broken(1, "it is not a file")
            with disk_errors("use", path):
                yield fd, Ledger(fd, path, self.run_id, self.disk)
        finally:
            os.close(fd)

    def _find_current(self, fd: int, ledger: Ledger) -> Snapshot:
        """Return the run as it is now. It is loaded only if somebody else wrote since we did."""
        mark = _mark(fd)
        if self._left is None or self._left[0] != mark:
            self._left = (mark, self.load(fd, ledger))
        return self._left[1]

    def load(self, fd: int, ledger: Ledger) -> Snapshot:
        return self._load_remembered(fd, ledger) or self.audit(ledger)

    def audit(self, ledger: Ledger) -> Snapshot:
        """Return the plan by the whole ledger, which must hold all that was ever written."""
        loaded = self.replay(ledger)
        lost = self.find_loss(loaded)
        if lost:
            raise LedgerBroken(
                path=self.files.ledger, line=loaded.position.seq + 1, reason=lost, run=self.run_id,
                hint="restore the file from a backup; or accept and record the loss with "
                f"goalkeeper state repair --run {self.run_id}",
            )  # fmt: skip
        self.check_last_line(ledger)
        return loaded

    def find_loss(self, loaded: Snapshot) -> str:
        """Return what was written and the ledger does not have; empty when nothing is missing."""
        seen, goals = self._read_mark(), read_plain_file(self.files.goals)
        known = self._read_position(goals)
        if seen and seen.goals != sha256(goals):
            known = None  # it was edited, so what it says is not what we wrote
        first = loaded.position.seq + 1
        if known and known.seq >= first:
            return f"lines {first} to {known.seq}, which goals.json knows, are missing"
        if seen and seen.size > loaded.position.end:
            return f"{seen.size - loaded.position.end} bytes that were written are missing"
        return ""

    def check_last_line(self, ledger: Ledger) -> None:
        """Check the last line by goals.json, if that is ours: no later line has its digest."""
        seen, goals = self._read_mark(), read_plain_file(self.files.goals)
        known = self._read_position(goals) if seen and seen.goals == sha256(goals) else None
        if known and not ledger.ends_at(known):
            raise self._make_broken(known.seq, "it is not the line that was written")

    def replay(self, ledger: Ledger, after: Snapshot | None = None) -> Snapshot:
        """Return the plan as the ledger tells it, from the beginning or from a snapshot on."""
        loaded = after or self._read_first_line(ledger)
        plan, position = loaded.plan, loaded.position
        for batch in ledger.read_batches(position):
            for entry in batch.entries:
                forged = why_forged(plan, entry.event, entry.actor)
                if forged:
                    raise ledger.forged_error(position, entry.seq, forged)
                plan = apply(plan, entry.event, entry.at)
            position = batch.position
        return Snapshot(plan, position)

    def project(self, fd: int, loaded: Snapshot) -> None:
        """Write the projections. A failure costs time later, but the command is recorded."""
        try:
            self.write_projections(fd, loaded)
        except OSError as exc:
            self.warnings.append(
                f"recorded, but {self.files.goals} could not be updated ({exc.strerror}); "
                "goalkeeper state repair rebuilds it"
            )

    def write_projections(self, fd: int, loaded: Snapshot) -> None:
        goals = snapshot.dump(loaded)
        self.disk.replace(self.files.goals, goals)
        seen = " ".join(map(str, (*_mark(fd), sha256(goals))))
        self.disk.overwrite(self.files.seen, seen.encode().ljust(_SEEN_BYTES))

    def read_goals(self, goals: bytes) -> Snapshot | None:
        """Return what goals.json says; None when it is not readable as ours."""
        if goals != self._parsed[0]:
            try:
                self._parsed = (goals, snapshot.load(goals))
            except SnapshotTooNew as exc:
                found, known = f"version {exc}", f"version {snapshot.VERSION}"
                raise StateTooNew(path=self.files.goals, found=found, known=known) from exc
        return self._parsed[1]

    def _read_position(self, goals: bytes) -> Position | None:
        """Return where the ledger stood by goals.json, also if an older goalkeeper wrote it."""
        known = self.read_goals(goals)
        return known.position if known else snapshot.read_outdated(goals)

    def _load_remembered(self, fd: int, ledger: Ledger) -> Snapshot | None:
        """Return goals.json with what the ledger adds, if both are as we left them."""
        goals = read_plain_file(self.files.goals)
        now, then = LedgerMark(*_mark(fd), sha256(goals)), self._read_mark()
        known = self.read_goals(goals)
        if known is None or then is None or then.goals != now.goals:
            return None
        if now == then:
            return known
        grown = now.inode == then.inode and now.size > then.size
        return self.replay(ledger, known) if grown and ledger.ends_at(known.position) else None

    def _read_first_line(self, ledger: Ledger) -> Snapshot:
        """Return the plan after the ledger's first line, which must be the one that created it."""
        first = next(ledger.read_batches(), None)
        event = first.entries[0].event if first else None
        if first is None or not isinstance(event, PlanCreated):
            raise self._make_broken(1, "it does not begin with plan_created")
        if event.run_id != self.run_id:
            raise self._make_broken(1, f"it is the ledger of run {event.run_id}")
        return Snapshot(begin(event, first.entries[0].at), first.position)

    def _explain_missing(self) -> GoalkeeperError | None:
        """Say why there is no ledger to open, if there is none."""
        if not os.path.isdir(self.files.dir):
            return RunGone(run=self.run_id)
        lost = not os.path.lexists(self.files.ledger)
        return self._make_broken(1, "the file is missing") if lost else None

    def _read_mark(self) -> LedgerMark | None:
        try:
            inode, size, changed_ns, goals = read_plain_file(self.files.seen).decode().split()
            return LedgerMark(int(inode), int(size), int(changed_ns), goals)
        except ValueError:
            return None

    @contextmanager
    def holding(self, *, shared: bool) -> Iterator[None]:
        if shared and not os.path.exists(self.files.lock):
            yield  # a reader cannot make the lock, and without a lock file nobody writes
            return
        if not os.path.isdir(self.files.dir):
            raise RunGone(run=self.run_id)
        with lock.hold_lock(self.files.lock, shared=shared, timeout_seconds=self._timeout_seconds):
            yield

    def _make_broken(self, line: int, reason: str) -> LedgerBroken:
        return LedgerBroken(path=self.files.ledger, line=line, reason=reason, run=self.run_id)


def _mark(fd: int) -> tuple[int, int, int]:
    """Return numbers that change whenever the file is written to or replaced."""
    stat = os.fstat(fd)
    return stat.st_ino, stat.st_size, stat.st_ctime_ns
