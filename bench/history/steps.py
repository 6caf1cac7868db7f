"""The steps of a project's history, read as the witness reads a goal's change."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.history.releases import open_releases
from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.protected import Role, is_test, role_of_path
from goalkeeper.errors import UsageError
from goalkeeper.git.trees import TreeFiles, Trees
from goalkeeper.tamper.memory import forget_readings
from goalkeeper.tamper.review import review
from goalkeeper.wire.value import Value

_REPACKED = 3  # times more or fewer test files
SMALL = 20  # a commit seldom changes more files; a release does
FREED: Mapping[str, frozenset[Role]] = {
    "nothing freed": frozenset(),
    "tests freed": frozenset({Role.TEST, Role.DATA}),
    "tests and harness freed": frozenset({Role.TEST, Role.DATA, Role.HARNESS, Role.CI}),
}


class Project(Value):
    name: str
    registry: str  # pypi, npm or git
    place: str  # the package, or the repository
    without: tuple[str, ...] = ()  # what packing adds at the top of a package


class Step(Value):
    """One step, and what reading it found under each contract."""

    project: str
    name: str
    files: int
    seconds: float  # of CPU, for the slowest reading
    findings: Mapping[str, tuple[Finding, ...]]

    def has(self, contract: str, level: Level) -> bool:
        return any(each.level is level for each in self.findings[contract])


def read_list(path: Path) -> list[Project]:
    entries: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8")).get("project", [])
    return [_read_project(entry, path.parent) for entry in entries]


def _read_project(entry: Mapping[str, Any], folder: Path) -> Project:
    for registry in ("pypi", "npm"):
        if registry in entry:
            without = tuple(entry.get("without", ()))
            return Project(entry[registry], registry, entry[registry], without)
    if "git" not in entry:
        problem = f"a project has no `pypi`, `npm` or `git`: {entry}"
        raise UsageError(problem=problem, hint='git = "path"')
    place = (folder / entry["git"]).resolve()
    return Project(entry.get("name", place.name), "git", str(place))


def read_project(
    project: Project, cache: Path, *, most: int, most_files: int = sys.maxsize
) -> Iterator[Step]:
    """Read the last `most` steps, commits without merges or releases, that are small enough."""
    root, ends = Path(project.place), "HEAD"
    if project.registry != "git":
        name, without = project.place, project.without
        most += 1  # the first has nothing before it
        root = open_releases(project.registry, name, cache, most=most, without=without)
        ends = "--branches"
    with tempfile.TemporaryDirectory(prefix="goalkeeper-history-") as store:
        trees = Trees(str(root), store)
        for old, new in _list_steps(root, most, ends):
            if project.registry != "git" and _is_repacked(trees, old, new):
                continue
            step = _read_step(project.name, trees, old, new, most_files)
            if step is not None:
                yield step


def _is_repacked(trees: Trees, old: str, new: str) -> bool:
    """Return whether a release was packed in another way: all tests are new, or gone."""
    sides = [trees.list_entries(trees.find_tree(commit)) for commit in (old, new)]
    counts = [sum(map(is_test, side)) for side in sides]
    return _REPACKED * min(counts) < max(counts)


def _list_steps(root: Path, most: int, ends: str) -> list[tuple[str, str]]:
    log = ["git", "log", "--no-merges", f"--max-count={most}", "--format=%H %P", ends]
    told = subprocess.run(log, cwd=root, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in told.splitlines()]
    return [(row[1], row[0]) for row in reversed(rows) if len(row) > 1]


def _read_step(project: str, trees: Trees, old: str, new: str, most_files: int) -> Step | None:
    base, candidate = trees.find_tree(old), trees.find_tree(new)
    changes = trees.list_changes(base, candidate)
    if len(changes) > most_files:
        return None
    files = TreeFiles(trees, trees.list_entries(candidate))
    paths = files.list_paths()
    tests = [path for path in paths if is_test(path)]
    product = [path for path in paths if not is_test(path)]
    forget_readings()  # the witness starts with nothing known
    began = time.process_time()
    first, *rest = FREED
    findings = {first: review(changes, tree=files.read_file, tests=tests, product=product)}
    seconds = time.process_time() - began
    is_telling = any(each.level is not Level.ADVISORY for each in findings[first])
    for contract in rest:
        freed = _free(changes, FREED[contract])
        # A contract that frees something finds nothing more.
        findings[contract] = (
            review(freed, tree=files.read_file, tests=tests, product=product)
            if is_telling
            else findings[first]
        )
    title = subprocess.run(
        ["git", "log", "-1", "--format=%h %s", new],
        cwd=trees.worktree, capture_output=True, text=True, check=True, errors="replace",
    ).stdout.strip()  # fmt: skip
    return Step(project, title, len(changes), seconds, findings)


def _free(changes: Sequence[FileChange], roles: frozenset[Role]) -> tuple[FileChange, ...]:
    return tuple(
        each.replace(may_change=True)
        if any(role_of_path(path) in roles for path in (each.path, each.old_path) if path)
        else each
        for each in changes
    )
