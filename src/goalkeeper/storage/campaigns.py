"""Campaigns on disk: each has a ledger of its own, as runs have, and is folded from it.

The process that runs a campaign keeps it in memory and reads only what others append. All others
read the whole ledger, which has a few lines for each session.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from goalkeeper.app.ports import Entry
from goalkeeper.core.campaign import codec
from goalkeeper.core.campaign.events import CampaignEvent, CampaignMade
from goalkeeper.core.campaign.fold import apply_event, begin_campaign
from goalkeeper.core.campaign.state import Campaign
from goalkeeper.core.plan import ids
from goalkeeper.core.plan.model import Actor
from goalkeeper.core.snapshot import Position
from goalkeeper.errors import LedgerBroken, LedgerTorn, NoCampaign, UnknownCampaign
from goalkeeper.storage.disk import Disk, disk_errors
from goalkeeper.storage.ledger import GENESIS, Ledger
from goalkeeper.storage.lock import hold_lock
from goalkeeper.storage.runs import Runs, discard, list_run_ids
from goalkeeper.system.safe_open import make_folder, open_without_links
from goalkeeper.wire import layout

_STAGED = ".new-"
MakeEvent = Callable[[str], CampaignMade]  # it makes the first event for an id


class CampaignFiles:
    def __init__(self, directory: str) -> None:
        self.dir = directory
        self.plan = os.path.join(directory, layout.CAMPAIGN_PLAN)
        self.ledger = os.path.join(directory, layout.LEDGER)
        self.lock = os.path.join(directory, layout.LOCK)
        self.drive_lock = os.path.join(directory, layout.DRIVE_LOCK)
        self.quarantine = os.path.join(directory, layout.QUARANTINE)
        self.logs = os.path.join(directory, layout.SESSION_LOGS)


class FileCampaign:
    def __init__(self, directory: str, disk: Disk, *, timeout_seconds: float) -> None:
        self.campaign_id = os.path.basename(directory)
        self.files = CampaignFiles(directory)
        self._disk = disk
        self._timeout_seconds = timeout_seconds
        self._known: tuple[Campaign, Position] | None = None  # as it was when we last looked

    def read(self) -> Campaign:
        """Read the campaign; what a crash cut short was never recorded, and `repair` moves it."""
        with self._open(os.O_RDONLY, shared=True) as ledger:
            try:
                return self._catch_up(ledger)[0]
            except LedgerTorn:
                if self._known is None:
                    raise
                return self._known[0]

    def head(self) -> tuple[str, int]:
        """Return the digest and the number of the ledger's last line."""
        with self._open(os.O_RDONLY, shared=True) as ledger:
            position = self._catch_up(ledger)[1]
            return position.head, position.seq

    def record(self, *events: CampaignEvent, at: str, actor: Actor) -> Campaign:
        """Append events, all or none, and return the campaign after them."""
        with self._open(os.O_RDWR | os.O_APPEND, shared=False) as ledger:
            try:
                now, position = self._catch_up(ledger)
            except LedgerTorn as exc:
                exc.hint = f"goalkeeper campaign run --campaign {self.campaign_id}"
                raise
            with disk_errors("append to", self.files.ledger):
                position = ledger.append(cast("tuple[()]", events), at=at, actor=actor,
                                         after=position)  # fmt: skip
            for event in events:
                now = apply_event(now, event, at)
            self._known = (now, position)
            return now

    def entries(self) -> Iterator[tuple[Entry, CampaignEvent]]:
        """Read the whole ledger, and check every line on the way."""
        with self._open(os.O_RDONLY, shared=True) as ledger:
            for batch in ledger.read_batches():
                for entry in batch.entries:
                    yield entry, cast("CampaignEvent", entry.event)

    def repair(self) -> str:
        """Move the bytes of a command that a crash cut short to quarantine; say where they are."""
        with (
            hold_lock(self.files.lock, shared=False, timeout_seconds=self._timeout_seconds),
            disk_errors("repair", self.files.ledger),
        ):
            fd = open_without_links(self.files.ledger, os.O_RDWR | os.O_APPEND)
            try:
                ledger = self._ledger(fd)
                try:
                    self._catch_up(ledger)
                    return ""
                except LedgerTorn as exc:
                    offset = int(str(exc.facts["offset"]))
                torn = os.pread(fd, os.fstat(fd).st_size - offset, offset)
                kept = os.path.join(self.files.quarantine, f"{offset}.torn")
                make_folder(self.files.quarantine)
                self._disk.preserve(kept, torn)
                os.ftruncate(fd, offset)
                self._disk.sync(fd)
                return kept
            finally:
                os.close(fd)

    def _catch_up(self, ledger: Ledger) -> tuple[Campaign, Position]:
        """Fold what was appended since we last looked."""
        known = self._known or self._read_first_line(ledger)
        if not ledger.ends_at(known[1]):
            raise self._broken("a line that we have read is gone")
        now, position = known
        self._known = known  # also if a torn line ends the loop
        for batch in ledger.read_batches(position):
            for entry in batch.entries:
                now = apply_event(now, cast("CampaignEvent", entry.event), entry.at)
            position = batch.position
            self._known = (now, position)
        return now, position

    def _read_first_line(self, ledger: Ledger) -> tuple[Campaign, Position]:
        first = next(ledger.read_batches(), None)
        event = cast("CampaignEvent", first.entries[0].event) if first else None
        if first is None or not isinstance(event, CampaignMade):
            raise self._broken("it does not begin with campaign_made")
        if event.campaign_id != self.campaign_id:
            raise self._broken(f"it is the ledger of campaign {event.campaign_id}")
        return begin_campaign(event, first.entries[0].at), first.position

    @contextmanager
    def _open(self, flags: int, *, shared: bool) -> Iterator[Ledger]:
        with hold_lock(self.files.lock, shared=shared, timeout_seconds=self._timeout_seconds):
            with disk_errors("open", self.files.ledger):
                fd = open_without_links(self.files.ledger, flags)
            try:
                yield self._ledger(fd)
            finally:
                os.close(fd)

    def _ledger(self, fd: int) -> Ledger:
        return Ledger(fd, self.files.ledger, self.campaign_id, self._disk, codec)

    def _broken(self, reason: str) -> LedgerBroken:
        return LedgerBroken(path=self.files.ledger, line=1, reason=reason, run=self.campaign_id)


class Campaigns:
    """The campaigns of a repository."""

    def __init__(self, runs: Runs, disk: Disk, *, timeout_seconds: float) -> None:
        self._runs = runs
        self._place = os.path.join(runs.state.dir, layout.CAMPAIGNS)
        self._disk = disk
        self._timeout_seconds = timeout_seconds

    def ids(self) -> list[str]:
        """Return all campaigns, oldest first."""
        self._runs.state.check_own()
        return list_run_ids(self._place)

    def named(self, campaign_id: str) -> FileCampaign:
        """Return a campaign by its id; without one, the newest."""
        known = self.ids()
        if not known:
            raise NoCampaign
        wanted = campaign_id or known[-1]
        if wanted not in known:
            raise UnknownCampaign(campaign=wanted)
        return self._open(os.path.join(self._place, wanted))

    def create(self, make: MakeEvent, *, suffix: str, at: str, actor: Actor) -> FileCampaign:
        """Make a campaign with a new id: it is there as a whole or not at all."""
        with self._runs.holding():
            newest = next(reversed(list_run_ids(self._place)), "")
            event = make(ids.run_id(at, suffix, newest=newest))
            made = self._open(os.path.join(self._place, event.campaign_id))
            staged = CampaignFiles(os.path.join(self._place, _STAGED + event.campaign_id))
            with disk_errors("make a campaign in", self._place):
                if not self._runs.state.is_known:
                    self._runs.state.make_known(self._disk)
                make_folder(self._place)
                discard(staged.dir)
                make_folder(staged.dir)
                self._disk.write_new(staged.plan, event.text.encode())
                self._disk.write_new(staged.lock, b"")
                self._write_ledger(staged.ledger, event, at, actor)
                self._disk.sync_dir(staged.dir)
                self._disk.rename(staged.dir, made.files.dir)
                self._disk.sync_dir(self._place)
        return made

    def _write_ledger(self, path: str, event: CampaignMade, at: str, actor: Actor) -> None:
        fd = open_without_links(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        try:
            ledger = Ledger(fd, path, event.campaign_id, self._disk, codec)
            ledger.append(cast("tuple[()]", (event,)), at=at, actor=actor, after=GENESIS)
            next(ledger.read_batches())  # what nobody can read back is never put in its place
        finally:
            os.close(fd)

    def _open(self, directory: str) -> FileCampaign:
        return FileCampaign(directory, self._disk, timeout_seconds=self._timeout_seconds)
