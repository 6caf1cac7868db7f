"""The tree that set-up runs in: the base's code with what the candidate declares.

Set-up makes what the checks run with, so it runs no code of the work. What is only read
(declarations) and what is only compiled (sources) comes from the candidate. What a build executes
comes from the base, unless the contract frees it. New packages are empty: a build looks for them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.app.trials import Trial
from goalkeeper.config import WitnessSettings
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import is_partly, is_test
from goalkeeper.core.contract.restoring import restore_file
from goalkeeper.git.folders import EXECUTABLE, PLAIN, Blob
from goalkeeper.git.trees import Trees
from goalkeeper.system.environment import (
    FETCH_SETTINGS,
    choose_fetch_variables,
    find_user_home,
)
from goalkeeper.system.run import ProgramLimits
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.setup import (
    COMPILED,
    DECLARATION,
    EXECUTED,
    PAGE,
    FetchMeans,
    ProjectSetup,
)

_PACKAGE = late_pattern(r"(?:.*/)?__init__\.py")


def _make_limits(settings: WitnessSettings) -> ProgramLimits:
    return ProgramLimits(
        seconds=settings.timeout,
        memory_mb=settings.memory_mb,
        processes=settings.processes,
        output_mb=settings.output_mb,
    )


def choose_setup(trees: Trees, trial: Trial, tree: str, environ: Mapping[str, str]) -> ProjectSetup:
    """Choose the set-up of a tree; the environment is the user's."""
    witness = trial.settings.witness
    setup = ProjectSetup(witness.setup, _make_limits(witness), {}, witness.fetch)
    if not setup.is_needed:
        return setup
    source, left, new = _compose_tree(trees, trial.base.tree, tree, trial.contract.may_change)
    found = setup.read_tree(source, trees.list_entries(source))
    sources = {**found.sources, **dict.fromkeys(new, "")}
    return found.replace(sources=sources, left=left, means=_find_means(environ))


def _find_means(environ: Mapping[str, str]) -> FetchMeans:
    home = find_user_home(environ)
    files = {path: os.path.join(home, path) for path in FETCH_SETTINGS}
    settings = {path: source for path, source in files.items() if os.path.isfile(source)}
    return FetchMeans(choose_fetch_variables(environ), settings)


def _compose_tree(
    trees: Trees, base: str, candidate: str, may_change: Sequence[str]
) -> tuple[str, tuple[str, ...], Sequence[str]]:
    """Return the tree, what the candidate has changed in vain, and its new packages."""
    old = trees.list_entries(base) if candidate != base else {}
    taken: dict[str, Blob | None] = {}
    packages: list[str] = []
    for path, new in trees.list_differences(base, candidate).items() if old else ():
        if EXECUTED.fullmatch(path):
            if new and is_match(path, may_change):
                return candidate, (), ()  # a build that is the work's may use all of it
            taken[path] = new if is_match(path, may_change) else old.get(path)
        elif DECLARATION.fullmatch(path) or COMPILED.fullmatch(path):
            is_free = is_match(path, may_change) or not is_partly(path)
            taken[path] = new if is_free else _restore(trees, path, old.get(path), new)
        elif PAGE.fullmatch(path) and path not in old:
            taken[path] = new
        elif _PACKAGE.fullmatch(path) and path not in old and not is_test(path):
            packages.append(path)
    changed = {path: blob for path, blob in taken.items() if blob != old.get(path)}
    if packages:  # what is declared has to be there, and may be empty
        changed |= dict.fromkeys(packages, Blob(PLAIN, trees.write_blob(b"")))
    left = tuple(sorted(taken.keys() - changed.keys()))
    return trees.compose_tree(base, changed), left, packages


def _restore(trees: Trees, path: str, old: Blob | None, new: Blob | None) -> Blob | None:
    """Return the candidate's declaration without what a build would execute for it."""
    if new is None:
        return None
    found = trees.read_blobs([blob.id for blob in (old, new) if blob])
    before, after = found.get(old.id) if old else None, found.get(new.id)
    if after is None or new.mode not in {PLAIN, EXECUTABLE}:
        return old
    if path.endswith(".toml") and _find_backend_path(before) != _find_backend_path(after):
        return old
    merged = restore_file(path, before, after)
    return old if merged is None else Blob(new.mode, trees.write_blob(merged))


def _find_backend_path(pyproject: bytes | None) -> object:
    """Return the folders of the tree from which a build imports code."""
    import tomllib  # noqa: PLC0415  slow, and few changes touch such a file

    try:
        table: dict[str, Any] = tomllib.loads((pyproject or b"").decode())
        return table.get("build-system", {}).get("backend-path")
    except (ValueError, AttributeError):
        return pyproject  # nobody can build it
