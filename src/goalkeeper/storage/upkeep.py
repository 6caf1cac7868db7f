"""Is the state sound, and what mends it: verify, doctor, repair."""

from __future__ import annotations

import os
from contextlib import suppress

from goalkeeper.core import snapshot
from goalkeeper.core.events import LedgerRepaired, PlanCreated
from goalkeeper.core.model import Actor
from goalkeeper.core.snapshot import Snapshot
from goalkeeper.errors import GoalkeeperError, LedgerTorn, ProjectionDiffers
from goalkeeper.storage.ledger import Ledger
from goalkeeper.storage.lock import holder_of, is_held
from goalkeeper.storage.run import FileRun, Turn, contents
from goalkeeper.storage.runs import STAGED, Runs, discard
from goalkeeper.storage.settings import read_settings
from goalkeeper.wire.value import Value


class Finding(Value):
    """Something wrong, and the command that mends it."""

    code: str
    message: str
    mend: str


class Verified(Value):
    entries: int
    head: str


def verify(run: FileRun) -> Verified:
    """Every line of the ledger, and that goals.json and brief.md follow from it."""
    with run.holding(shared=True), run.open(os.O_RDONLY) as (_, ledger):
        loaded = run.replay(ledger)
        differing = _differing(run, ledger, loaded)
    if differing:
        raise ProjectionDiffers(path=differing[0], run=run.run_id)
    return Verified(loaded.position.seq, loaded.position.head)


def diagnose(runs: Runs) -> list[Finding]:
    found = _of_config(runs.state.config)
    found += [finding for run_id in runs.ids() for finding in _of_run(runs, run_id)]
    found += [
        Finding("staged-run", f"{path} is left from an interrupted create-goals", _REPAIR)
        for path in _staged(runs)
    ]
    return found + _replaced(runs)


def repair(runs: Runs, run: FileRun, *, at: str, actor: Actor) -> list[str]:
    """Mend what can be mended without guessing; what was done, as recorded in the ledger."""
    actions = [_discard(path) for path in _staged(runs)]
    actions += _dead_holder(run)
    with run.holding(shared=False), run.open(os.O_RDWR | os.O_APPEND) as (fd, ledger):
        actions += _quarantine(run, fd, ledger)
        loaded = run.replay(ledger)
        actions += _missing(run, loaded)
        differing = _differing(run, ledger, loaded)
        actions += [f"rebuilt {os.path.basename(path)}" for path in differing]
        _rewrite_brief(run, ledger, differing)
        turn = Turn(ledger, loaded)
        if actions:
            turn.append((LedgerRepaired(tuple(actions)),), at=at, actor=actor)
        run.project(fd, turn.loaded)
    return actions


_REPAIR = "goalkeeper state repair"


def _of_config(path: str) -> list[Finding]:
    try:
        if os.path.exists(path):
            read_settings(path)
    except GoalkeeperError as exc:
        return [Finding(exc.code, exc.message, exc.hint)]
    return []


def _of_run(runs: Runs, run_id: str) -> list[Finding]:
    found: list[Finding] = []
    try:
        run = runs.named(run_id)
        mend = f"{_REPAIR} --run {run_id}"
        found += [Finding("dead-lock-holder", died, mend) for died in _dead_holder(run)]
        verify(run)
    except GoalkeeperError as exc:
        found.append(Finding(exc.code, exc.message, exc.hint))
    return found


def _replaced(runs: Runs) -> list[Finding]:
    """Plans that a newer one replaced, but that a crash kept from the archive."""
    known = runs.ids()
    found = []
    for run_id in known:
        with suppress(GoalkeeperError):
            old = runs.named(run_id).read().replaces
            if old in known:
                mend = f"goalkeeper state clear --force --mode ultragoal --run {old}"
                found.append(Finding("not-archived", f"run {old} was replaced by {run_id}", mend))
    return found


def _staged(runs: Runs) -> list[str]:
    with suppress(OSError):
        names = os.listdir(runs.state.runs)
        return [os.path.join(runs.state.runs, n) for n in names if n.startswith(STAGED)]
    return []


def _discard(path: str) -> str:
    discard(path)
    return f"discarded {os.path.basename(path)}, which was never finished"


def _dead_holder(run: FileRun) -> list[str]:
    holder = holder_of(run.files.lock)
    if holder is None or holder.is_alive or is_held(run.files.lock):
        return []
    return [f"{holder} died holding the lock; the kernel released it"]


def _quarantine(run: FileRun, fd: int, ledger: Ledger) -> list[str]:
    """Move an incomplete last command out of the ledger; its bytes are kept."""
    try:
        for _ in ledger.batches():
            pass
    except LedgerTorn as exc:
        offset = int(str(exc.facts["offset"]))
        torn = os.pread(fd, int(str(exc.facts["torn_bytes"])), offset)
        kept = os.path.join(run.files.quarantine, f"ledger-{offset}.torn")
        os.makedirs(run.files.quarantine, exist_ok=True)
        with open(kept, "wb") as file:
            file.write(torn)
            file.flush()
            os.fsync(file.fileno())
        os.ftruncate(fd, offset)
        os.fsync(fd)
        name = os.path.join(os.path.basename(run.files.quarantine), os.path.basename(kept))
        return [f"moved {len(torn)} torn bytes from line {exc.facts['line']} on to {name}"]
    return []


def _missing(run: FileRun, loaded: Snapshot) -> list[str]:
    known = run.known(contents(run.files.goals))
    if known is None or known.position.seq <= loaded.position.seq:
        return []
    first, last = loaded.position.seq + 1, known.position.seq
    return [f"lines {first} to {last}, which goals.json knew, are missing from the ledger"]


def _differing(run: FileRun, ledger: Ledger, loaded: Snapshot) -> list[str]:
    files = run.files
    expected = {files.goals: snapshot.dump(loaded), files.brief: _brief(ledger)}
    return [path for path, data in expected.items() if contents(path) != data]


def _rewrite_brief(run: FileRun, ledger: Ledger, differing: list[str]) -> None:
    if run.files.brief in differing:
        run.disk.replace(run.files.brief, _brief(ledger))


def _brief(ledger: Ledger) -> bytes:
    event = next(ledger.batches()).entries[0].event
    return event.brief.encode() if isinstance(event, PlanCreated) else b""
