"""Passes that need not be shown again: bound to everything that could change them.

Only passes of checks that say what they depend on are kept, and only for a few iterations.
The cache lies outside every repository, and the final proof of a goal does not look at it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from goalkeeper import tamper
from goalkeeper.core.contract.check_kinds import NEVER_CACHED
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.globs import matching
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.decode import Malformed, decode, plain
from goalkeeper.git.folders import Entries
from goalkeeper.wire.canonical import compact, digest
from goalkeeper.wire.value import Value
from goalkeeper.witness.setup import lockfiles
from goalkeeper.witness.variants import programs_of
from goalkeeper.witness.workspace import Terms

MAX_AGE = 3
_TEXT: Any = {"encoding": "utf-8", "errors": "surrogateescape"}  # paths may be anything


class Cache(Value):
    """Passes by key. `iteration` is the one that asks."""

    dir: str
    recalls: bool  # whether it answers; what was seen is kept in any case
    change: str  # digest of both trees and the contract, by which tampering is told
    iteration: int
    terms: Terms
    entries: Entries  # of the candidate
    protected: str  # digest of the protected files on both sides

    def answer(self, criterion: Criterion) -> Judged | None:
        if not self.recalls or not _is_cacheable(criterion):
            return None
        told = self._read(self.key(criterion))
        if not told.keys() >= {"iteration", "reason", "evidence"}:
            return None
        if not 0 <= self.iteration - int(told["iteration"]) <= MAX_AGE:
            return None
        return Judged(criterion.id, Verdict.PASSED, told["reason"], told["evidence"], cached=True)

    def keep(self, criterion: Criterion, judged: Judged) -> None:
        if judged.cached or judged.verdict is not Verdict.PASSED or not _is_cacheable(criterion):
            return
        told = {"iteration": self.iteration, "reason": judged.reason, "evidence": judged.evidence}
        self._write(self.key(criterion), told)

    def findings(self, read: Callable[[], tuple[Finding, ...]]) -> tuple[Finding, ...]:
        """What a reading of the change says, read once for each change."""
        key = digest([_rules(), self.change])
        told = self._read(key).get("findings") if self.recalls else None
        with suppress(Malformed):
            if isinstance(told, list):
                return tuple(decode(Finding, each) for each in told)
        found = read()
        self._write(key, {"findings": plain(found)})
        return found

    def _write(self, key: str, told: Mapping[str, Any]) -> None:
        os.makedirs(self.dir, mode=0o700, exist_ok=True)
        path = self._path(key)
        with open(f"{path}.{os.getpid()}", "w", **_TEXT) as file:
            file.write(compact(told))
        os.replace(f"{path}.{os.getpid()}", path)

    def key(self, criterion: Criterion) -> str:
        tools, files = self._tools(criterion), self._files(criterion.paths)
        return digest([self._ground, criterion.plain(), tools, files])

    def _files(self, patterns: tuple[str, ...]) -> str:
        if patterns not in self._matched:
            found = matching(self.entries, patterns)
            self._matched[patterns] = digest({path: self.entries[path] for path in found})
        return self._matched[patterns]

    @cached_property
    def _matched(self) -> dict[tuple[str, ...], str]:
        return {}

    @cached_property
    def _ground(self) -> str:
        """What all criteria of a candidate have in common."""
        terms = self.terms
        variables = {name: terms.environ.get(name) for name in terms.keep}
        return digest(
            [terms.isolation, terms.limits.as_dict(), terms.setup.key, variables,
             lockfiles(self.entries), self.protected]
        )  # fmt: skip

    def _tools(self, criterion: Criterion) -> list[list[Any]]:
        names = {argv[0] for argv in programs_of([criterion.check])} or {"python3"}
        path = self.terms.environ.get("PATH", "")
        for name in names - self._known.keys():
            self._known[name] = _tool(name, path)
        return [self._known[name] for name in sorted(names)]

    @cached_property
    def _known(self) -> dict[str, list[Any]]:
        return {}

    def _path(self, key: str) -> str:
        return os.path.join(self.dir, key)

    def _read(self, key: str) -> Mapping[str, Any]:
        try:
            with open(self._path(key), **_TEXT) as file:
                told = json.load(file)
            return told if isinstance(told, dict) else {}
        except (OSError, ValueError):
            return {}


def _rules() -> list[list[Any]]:
    """The files that read a change, by size and time: other rules may find something else."""
    paths = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(os.path.dirname(tamper.__file__))
        for name in names
        if name.endswith((".py", ".toml"))
    ]
    return sorted([path, os.stat(path).st_size, os.stat(path).st_mtime_ns] for path in paths)


def _is_cacheable(criterion: Criterion) -> bool:
    declared = criterion.paths and not criterion.held_out
    return bool(declared) and criterion.check.kind not in NEVER_CACHED


def _tool(name: str, path: str) -> list[Any]:
    """A program by place, size and time: another version is another tool."""
    place = shutil.which(name, path=path)
    if place is None:
        return [name]
    stat = os.stat(place)
    return [os.path.realpath(place), stat.st_size, stat.st_mtime_ns]
