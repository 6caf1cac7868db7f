"""Finds out whether the state is sound, and repairs it: verify, doctor, repair."""

from __future__ import annotations

import os
import re
from contextlib import suppress

from goalkeeper.core import snapshot
from goalkeeper.core.plan.events import LedgerRepaired, PlanCreated
from goalkeeper.core.plan.model import Actor
from goalkeeper.core.snapshot import Snapshot
from goalkeeper.errors import (
    GoalkeeperError,
    LedgerForged,
    LedgerTorn,
    ProjectionDiffers,
)
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.ledger import Ledger
from goalkeeper.storage.lock import find_holder, is_held
from goalkeeper.storage.run import FileRun, Turn
from goalkeeper.storage.runs import STAGED, Runs, discard
from goalkeeper.storage.settings import find_settings
from goalkeeper.system.safe_open import make_folder, read_plain_file
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value


class StateProblem(Value):
    """A problem of the state, and the command that mends it."""

    code: str
    message: str
    mend: str


class LedgerSummary(Value):
    entries: int
    head: str


def verify_run(run: FileRun) -> LedgerSummary:
    """Check every line of the ledger, and that goals.json and brief.md follow from it."""
    with run.holding(shared=True), run.open(os.O_RDONLY) as (_, ledger):
        loaded = run.audit(ledger)
        differing = _find_differing(run, ledger, loaded)
    if differing:
        raise ProjectionDiffers(path=differing[0], run=run.run_id)
    return LedgerSummary(loaded.position.seq, loaded.position.head)


def find_problems(runs: Runs) -> list[StateProblem]:
    found: list[StateProblem] = []
    try:
        find_settings(runs.state.config)
    except GoalkeeperError as exc:
        found.append(StateProblem(exc.code, exc.message, exc.hint))
    found += [finding for run_id in runs.ids() for finding in _check_run(runs, run_id)]
    if not is_held(runs.state.lock):  # otherwise another process creates a run just now
        found += [
            StateProblem("staged-run", f"{path} is left from an interrupted create-goals", _REPAIR)
            for path in _find_staged(runs)
        ]
    return found + _find_unarchived(runs)


def discard_staged(runs: Runs) -> list[str]:
    """Delete what an interrupted create-goals left; return a sentence for each deletion."""
    if not _find_staged(runs):
        return []
    done = []
    with runs.holding():
        for path in _find_staged(runs):
            discard(path)
            done.append(f"discarded {os.path.basename(path)}, which was never finished")
    return done


def repair_run(run: FileRun, actions: list[str], *, at: str, actor: Actor) -> list[str]:
    """Repair what needs no guessing, and record it with the `actions` that were done before."""
    actions = actions + _describe_dead_holder(run)
    with run.holding(shared=False), run.open(os.O_RDWR | os.O_APPEND) as (fd, ledger):
        run.read_goals(read_plain_file(run.files.goals))  # a newer one may have written it
        try:
            loaded = run.replay(ledger)
        except (LedgerTorn, LedgerForged) as torn:
            _quarantine_tail(run, fd, torn)
            loaded = run.replay(ledger)
        lost = run.find_loss(loaded)
        if not lost:
            run.check_last_line(ledger)
        actions += _describe_unrecorded(run, ledger) + ([lost] if lost else [])
        actions += _rebuild_projections(run, fd, ledger, loaded)
        turn = Turn(ledger, loaded, run.redact)
        if actions:
            turn.append((LedgerRepaired(tuple(actions)),), at=at, actor=actor)
        run.project(fd, turn.loaded)
    return actions


_REPAIR = "goalkeeper state repair"
_TORN = late_pattern(r"line-\d+-[0-9a-f]{8}\.torn", re.ASCII)


def _check_run(runs: Runs, run_id: str) -> list[StateProblem]:
    found: list[StateProblem] = []
    try:
        run = runs.named(run_id)
        mend = f"{_REPAIR} --run {run_id}"
        found += [
            StateProblem("dead-lock-holder", died, mend) for died in _describe_dead_holder(run)
        ]
        verify_run(run)
    except GoalkeeperError as exc:
        found.append(StateProblem(exc.code, exc.message, exc.hint))
    return found


def _find_unarchived(runs: Runs) -> list[StateProblem]:
    """Find plans that were closed or replaced, but that a crash kept from the archive."""
    known = runs.ids()
    found: dict[str, str] = {}
    for run_id in known:
        with suppress(GoalkeeperError):
            plan = runs.named(run_id).read()
            if plan.replaces in known:
                found[plan.replaces] = f"run {plan.replaces} was replaced by {run_id}"
            if plan.closed:
                found[run_id] = f"run {run_id} is closed: {plan.closed}"
    mend = "goalkeeper state clear --force --mode ultragoal --run"
    return [StateProblem("not-archived", said, f"{mend} {name}") for name, said in found.items()]


def _find_staged(runs: Runs) -> list[str]:
    with suppress(OSError):
        names = os.listdir(runs.state.runs)
        return [os.path.join(runs.state.runs, n) for n in names if n.startswith(STAGED)]
    return []


def _describe_dead_holder(run: FileRun) -> list[str]:
    holder = find_holder(run.files.lock)
    if holder is None or holder.is_alive or is_held(run.files.lock):
        return []
    return [f"{holder} died holding the lock; the kernel released it"]


def _quarantine_tail(run: FileRun, fd: int, torn: LedgerTorn | LedgerForged) -> None:
    """Move an incomplete last command, or a forged one, out of the ledger into a file."""
    offset = int(str(torn.facts["offset"]))
    data = os.pread(fd, int(str(torn.facts["torn_bytes"])), offset)
    make_folder(run.files.quarantine)
    name = f"line-{torn.facts['line']}-{sha256(data)[:8]}.torn"
    run.disk.preserve(os.path.join(run.files.quarantine, name), data)
    os.ftruncate(fd, offset)
    os.fsync(fd)


def _describe_unrecorded(run: FileRun, ledger: Ledger) -> list[str]:
    """Return what is in quarantine and no repair has recorded: moved now, or before a crash."""
    if not os.path.isdir(run.files.quarantine):
        return []
    recorded = "".join(
        " ".join(entry.event.actions)
        for batch in ledger.read_batches()
        for entry in batch.entries
        if isinstance(entry.event, LedgerRepaired)
    )
    kept = sorted(name for name in os.listdir(run.files.quarantine) if _TORN.fullmatch(name))
    kept = [name for name in kept if name not in recorded]
    sizes = {name: os.path.getsize(os.path.join(run.files.quarantine, name)) for name in kept}
    return [
        f"moved {size} torn bytes from line {name.split('-')[1]} on to quarantine/{name}"
        for name, size in sizes.items()
    ]


def _find_differing(run: FileRun, ledger: Ledger, loaded: Snapshot) -> list[str]:
    goals, brief = run.files.goals, run.files.brief
    differing = [] if snapshot.is_of(read_plain_file(goals), loaded) else [goals]
    return differing if read_plain_file(brief) == _read_brief(ledger) else [*differing, brief]


def _rebuild_projections(run: FileRun, fd: int, ledger: Ledger, loaded: Snapshot) -> list[str]:
    """Write the projections that differ, before an entry says that they are rebuilt."""
    differing = _find_differing(run, ledger, loaded)
    if run.files.brief in differing:
        with disk_errors("rebuild", run.files.brief):
            run.disk.replace(run.files.brief, _read_brief(ledger))
    if run.files.goals in differing:
        with disk_errors("rebuild", run.files.goals):
            run.write_projections(fd, loaded)
    return [f"rebuilt {os.path.basename(path)}" for path in differing]


def _read_brief(ledger: Ledger) -> bytes:
    event = next(ledger.read_batches()).entries[0].event
    return event.brief.encode() if isinstance(event, PlanCreated) else b""
