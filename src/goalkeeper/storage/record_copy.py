"""The copy of its run that an agent of a campaign finds where the record lies.

It looks around there, and asks: it says that it is blocked, or answers a finding. Whoever writes in
the record itself also says what was spent, what was found, and what is proven.
"""

from __future__ import annotations

import os
from contextlib import suppress

from goalkeeper.app.ports import Entry
from goalkeeper.core.snapshot import Position
from goalkeeper.errors import GoalkeeperError
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.ledger import GENESIS
from goalkeeper.storage.places import RunFiles, State
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import make_folder, read_plain_file, replace_file
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import sha256

_MOST_BYTES = 4 << 20  # an agent asks for no more


class RecordCopy:
    """A folder with copies of the state's folders; only one run is in it."""

    def __init__(self, folder: str, run: FileRun, state: State) -> None:
        self._folder = folder
        self._run = run
        self._state = State(folder, "")
        files = self._state.files_of_run(run.run_id)
        self._copied = FileRun(files, run.run_id, run.disk, timeout_seconds=0, redact=run.redact)
        # Each comes with the folder in whose place the agent finds it.
        self.places = ((self._state.runs, state.runs), (self._state.cache, state.cache))
        self.evidence = os.path.join(files.dir, layout.EVIDENCE)
        self._known = state.made_here

    def lay(self) -> None:
        """Copy the run as it is now, and what says that its state was made here."""
        ours, its = self._run.files, self._copied.files
        evidence = os.path.join(ours.dir, layout.EVIDENCE)
        with self._run.holding(shared=True), disk_errors("copy the run to", self._folder):
            for place, _ in self.places:
                make_folder(place, 0o700)
            _copy_file(self._known, self._state.made_here)
            make_folder(its.dir, 0o700)
            for source, target in zip(_list_files(ours), _list_files(its), strict=True):
                _copy_file(source, target)
            for folder, _, names in os.walk(evidence):
                target = os.path.join(self.evidence, os.path.relpath(folder, evidence))
                make_folder(os.path.normpath(target), 0o700)
                for name in names:
                    _copy_file(os.path.join(folder, name), os.path.join(target, name))

    def read_added(self) -> tuple[Entry, ...]:
        """Return what was recorded in the copy, and the run does not have yet.

        What nobody can read is lost, and so is all that comes after it.
        """
        ours = read_plain_file(self._run.files.ledger)
        its = read_plain_file(self._copied.files.ledger, len(ours) + _MOST_BYTES)
        parting = _find_parting(ours, its)
        known = [entry.event for entry in _read_after(self._run, parting)]
        added = _read_after(self._copied, parting) if its else ()
        return tuple(entry for entry in added if entry.event not in known)


def _list_files(files: RunFiles) -> tuple[str, ...]:
    return files.brief, files.ledger, files.goals, files.lock


def _copy_file(source: str, target: str) -> None:
    replace_file(target, read_plain_file(source))


def _read_after(run: FileRun, position: Position) -> list[Entry]:
    found: list[Entry] = []
    with suppress(GoalkeeperError), run.open(os.O_RDONLY) as (_, ledger):
        for batch in ledger.read_batches(position):
            found += batch.entries
    return found


def _find_parting(ours: bytes, its: bytes) -> Position:
    """Return the end of the last line that both ledgers have."""
    last = GENESIS
    for mine, other in zip(ours.splitlines(keepends=True), its.splitlines(keepends=True)):  # noqa: B905  one goes on
        if mine != other:
            break
        last = Position(last.seq + 1, last.end, last.end + len(mine), sha256(mine[:-1]))
    return last
