"""Finds what nothing needs any more, in all places where goalkeeper writes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial

from goalkeeper.app.cleaning import CleanResult, Garbage, remove_garbage
from goalkeeper.app.queries.drives import find_proven_work
from goalkeeper.bootstrap import App, cache_home
from goalkeeper.core.keeping import KeepSettings, find_ids, is_branch_done, is_over, is_past
from goalkeeper.core.plan.model import Plan
from goalkeeper.errors import GoalkeeperError
from goalkeeper.git import garbage as git_garbage
from goalkeeper.git.garbage import OwnBranch
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.garbage import find_needed_ids, find_recorded_ids, find_stale_evidence
from goalkeeper.storage.lock import hold_lock
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.system.scratch import find_leftovers
from goalkeeper.wire import layout
from goalkeeper.wire.value import Value
from goalkeeper.wiring.driving import open_worktrees
from goalkeeper.wiring.judging import open_witness
from goalkeeper.wiring.stores import read_settings
from goalkeeper.witness.garbage import find_gone_repositories, find_unused_cache, measure_folder
from goalkeeper.witness.pool import remove_path

_LOCK = "clean.lock"
_SECONDS = 3.0  # so long it may take when a run ends
_MOST_LEDGER_BYTES = 64 << 20  # more is read only when a user asks
_LEAST_LOOSE = 256  # fewer single objects are packed only when a user asks


class KeptDays(Value):
    """After how many days a branch goes: usually, and if a user asks."""

    usual: int
    asked: int | None


class RunNeeds(Value):
    """A run, and the ids that it names."""

    run: FileRun
    plan: Plan | None  # it is None if the run cannot be read
    recorded: set[str]
    needed: set[str]


def clean_up(app: App) -> CleanResult:
    """Clean by itself when a run ends, for a short time; what fails is left for the next time."""
    end = time.monotonic() + _SECONDS
    nothing = CleanResult((), ())
    try:
        with hold_cleaning(app, timeout_seconds=0):
            if _measure_ledgers(app) > _MOST_LEDGER_BYTES:
                return nothing
            found = find_garbage(app, least_loose=_LEAST_LOOSE)
            return remove_garbage(found, is_time_up=lambda: time.monotonic() > end)
    except (GoalkeeperError, OSError):
        return nothing


def hold_cleaning(app: App, timeout_seconds: float) -> AbstractContextManager[None]:
    """Keep others from cleaning at the same time."""
    home = layout.state_home(app.world.environ)
    with disk_errors("make", home):
        os.makedirs(home, exist_ok=True)
    return hold_lock(os.path.join(home, _LOCK), shared=False, timeout_seconds=timeout_seconds)


def find_garbage(
    app: App, *, least_loose: int = 1, asked_days: int | None = None
) -> Iterator[Garbage]:
    """Find all that may be removed now.

    With `asked_days` also branches with proven work that has not landed, of runs that ended so
    many days ago.
    """
    keep, now = read_settings(app).keep, time.time()
    for path in find_leftovers():
        size = measure_folder(path)
        yield Garbage("left by a killed process", path, size, partial(remove_path, path))
    runs = [_read_needs(app, run_id) for run_id in (*app.runs.ids(), *app.runs.archived_ids())]
    for each in runs:
        yield from _find_evidence(app, each, keep, now)
    known, days = {each.run.run_id: each for each in runs}, KeptDays(keep.days, asked_days)
    yield from git_garbage.find_done_branches(
        open_worktrees(app, ""),
        lambda branch: _is_done(app, known.get(branch.run_id), branch, days),
    )
    state, cache = _list_places(app)
    witness = open_witness(app)
    yield from find_unused_cache(witness.folders.cache, keep, now)
    # The settings of this repository say nothing about the stores of others.
    yield from find_gone_repositories(state, cache, KeepSettings().days, now)
    has_repository = os.path.lexists(os.path.join(app.worktree, ".git"))
    if has_repository and os.path.isdir(witness.trees.store):
        named = _list_named(app, runs, keep)
        yield from git_garbage.find_half_written(witness.trees, now)
        yield from git_garbage.find_stale_refs(witness.trees, named, now)
        yield from git_garbage.find_packable(witness.trees, named, now, least=least_loose)


def measure_disk(app: App) -> dict[str, int]:
    """Measure in bytes what goalkeeper has written for this repository."""
    folders = open_witness(app).folders
    places = {
        "state": app.state.dir,
        "trees": folders.store,
        "cache": folders.cache,
        "worktrees": open_worktrees(app, "").place,
    }
    return {name: measure_folder(place) for name, place in places.items()}


def _list_places(app: App) -> tuple[str, str]:
    """Return where the stores and the caches of all repositories are."""
    environ = app.world.environ
    return (
        os.path.join(layout.state_home(environ), "trees"),
        os.path.join(cache_home(environ), "witness"),
    )


def _measure_ledgers(app: App) -> int:
    size = 0
    for run_id in (*app.runs.ids(), *app.runs.archived_ids()):
        with suppress(OSError):
            size += os.lstat(app.runs.named(run_id).files.ledger).st_size
    return size


def _read_needs(app: App, run_id: str) -> RunNeeds:
    run = app.runs.named(run_id)
    recorded = find_recorded_ids(run)
    try:
        plan = run.read()
    except GoalkeeperError:
        return RunNeeds(run, None, recorded, recorded)
    return RunNeeds(run, plan, recorded, find_needed_ids(run, plan))


def _find_evidence(app: App, each: RunNeeds, keep: KeepSettings, now: float) -> Iterator[Garbage]:
    is_ended = each.plan is not None and is_over(each.plan, app.clock(), keep.days)
    needed = each.needed if is_ended else each.needed | each.recorded
    run_id = each.run.run_id
    held_out = os.path.join(layout.state_home(app.world.environ), "held_out", run_id)
    for folder in (os.path.join(each.run.files.dir, layout.EVIDENCE), held_out):
        yield from find_stale_evidence(
            folder, run_id, needed=needed, recorded=each.recorded, now=now
        )


def _list_named(app: App, runs: list[RunNeeds], keep: KeepSettings) -> set[str]:
    """List all ids that somebody may still want to see the contents of."""
    found: set[str] = set()
    for each in runs:
        is_archived = not each.run.files.seen
        if each.plan is None or each.plan.is_live:
            found |= each.recorded
        elif not is_archived or not is_over(each.plan, app.clock(), keep.days):
            found |= each.needed
    holds = os.path.join(app.state.dir, layout.HOLD)
    with suppress(OSError):
        for entry in os.scandir(holds):
            found |= find_ids(read_plain_file(entry.path))
    return found


def _is_done(app: App, each: RunNeeds | None, branch: OwnBranch, days: KeptDays) -> bool:
    if each is None or each.plan is None:
        return False
    plan, now = each.plan, app.clock()
    if days.asked is not None and is_over(plan, now, days.asked):
        return True
    is_proven = branch.name in {place.branch for place, _, _ in find_proven_work(plan)}
    old = is_past(plan.updated_at, now, days.usual)
    return is_branch_done(plan, is_contained=branch.is_contained, is_proven=is_proven, is_old=old)
