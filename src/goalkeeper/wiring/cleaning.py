"""Finds what nothing needs any more, in all places where goalkeeper writes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from goalkeeper.app.cleaning import CleanResult, Garbage, is_branch_over, remove_garbage
from goalkeeper.bootstrap import App, cache_home
from goalkeeper.core.keeping import KeepSettings, RunNeeds, find_ids
from goalkeeper.errors import GoalkeeperError
from goalkeeper.git import garbage as git_garbage
from goalkeeper.storage.garbage import find_needed_ids, find_recorded_ids, find_stale_evidence
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.system.scratch import find_leftovers
from goalkeeper.wire import layout
from goalkeeper.wiring.stores import hold_user_lock, read_settings
from goalkeeper.wiring.trees import (
    find_held_out,
    find_witness_folders,
    open_trees,
    open_worktrees,
)
from goalkeeper.witness.garbage import find_gone_repositories, find_unused_cache, measure_folder
from goalkeeper.witness.pool import remove_path

_SECONDS = 3.0  # so long it may take when a run ends
_MOST_LEDGER_BYTES = 64 << 20  # more is read only when a user asks
_LEAST_LOOSE = 256  # fewer single objects are packed only when a user asks


def clean_up(app: App) -> CleanResult:
    """Clean by itself when a run ends, for a short time; what fails is left for the next time.

    A campaign cleans when it ends. Each of its sessions would look through the runs of all others,
    and the next session would wait for that.
    """
    end = time.monotonic() + _SECONDS
    nothing = CleanResult((), ())
    if layout.IN_CAMPAIGN in app.world.environ:
        return nothing
    try:
        with hold_user_lock(app, "clean", timeout_seconds=0):
            if _measure_ledgers(app) > _MOST_LEDGER_BYTES:
                return nothing
            found = find_garbage(app, least_loose=_LEAST_LOOSE, is_asked=False)
            return remove_garbage(found, is_time_up=lambda: time.monotonic() > end)
    except (GoalkeeperError, OSError):
        return nothing


def find_garbage(
    app: App, *, least_loose: int = 1, asked_days: int | None = None, is_asked: bool = True
) -> Iterator[Garbage]:
    """Find all that may be removed now.

    Only where a user has asked for it, branches go at once that have landed or were set aside.
    With `asked_days` also branches with proven work that has not landed, of runs that ended so
    many days ago.
    """
    keep, now = read_settings(app).keep, time.time()
    for path in find_leftovers():
        size = measure_folder(path)
        yield Garbage("left by a killed process", path, size, partial(remove_path, path))
    runs = {run_id: _read_needs(app.runs.named(run_id)) for run_id in app.runs.all_ids()}
    for run_id, needs in runs.items():
        kept, recorded = needs.list_evidence(app.clock(), keep.days), needs.recorded
        evidence = os.path.join(app.runs.named(run_id).files.dir, layout.EVIDENCE)
        for folder in (evidence, find_held_out(app, run_id)):
            yield from find_stale_evidence(folder, run_id, needed=kept, recorded=recorded, now=now)
    plans = {run_id: needs.plan for run_id, needs in runs.items()}
    yield from git_garbage.find_done_branches(
        open_worktrees(app, ""),
        lambda branch: is_branch_over(
            plans.get(branch.run_id), branch.name, is_contained=branch.is_contained,
            now=app.clock(), days=keep.days, asked_days=asked_days, is_asked=is_asked,
        ),
    )  # fmt: skip
    state, cache = _list_places(app)
    folders, trees = find_witness_folders(app), open_trees(app)
    yield from find_unused_cache(folders.cache, keep, now)
    # The settings of this repository say nothing about the stores of others.
    yield from find_gone_repositories(state, cache, KeepSettings().days, now)
    has_repository = os.path.lexists(os.path.join(app.worktree, ".git"))
    if has_repository and os.path.isdir(trees.store):
        named = _list_held(app).union(
            *(needs.list_contents(app.clock(), keep.days) for needs in runs.values())
        )
        yield from git_garbage.find_half_written(trees, now)
        yield from git_garbage.find_stale_refs(trees, named, now)
        yield from git_garbage.find_packable(trees, named, now, least=least_loose)


def measure_disk(app: App) -> dict[str, int]:
    """Measure in bytes what goalkeeper has written for this repository."""
    folders = find_witness_folders(app)
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
    for run_id in app.runs.all_ids():
        with suppress(OSError):
            size += os.lstat(app.runs.named(run_id).files.ledger).st_size
    return size


def _read_needs(run: FileRun) -> RunNeeds:
    recorded = find_recorded_ids(run)
    try:
        plan = run.read()
    except GoalkeeperError:
        return RunNeeds(None, recorded, recorded, run.is_archived)
    return RunNeeds(plan, recorded, find_needed_ids(run, plan), run.is_archived)


def _list_held(app: App) -> set[str]:
    """List the ids that holds name."""
    found: set[str] = set()
    with suppress(OSError):
        for entry in os.scandir(os.path.join(app.state.dir, layout.HOLD)):
            found |= find_ids(read_plain_file(entry.path))
    return found
