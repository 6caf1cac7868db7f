"""Checks that passed need not run again as long as nothing changed that they depend on.

A check that does not declare what it depends on depends on all: both trees and the contract.
Passes count for a few iterations only. The cache lies outside of every repository, and the final
proof of a goal does not read it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from typing import Any

from goalkeeper import tamper
from goalkeeper.core.contract.check_kinds import NEVER_CACHED
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.globs import filter_paths
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.contract.protection import list_programs
from goalkeeper.core.decode import Malformed, decode, plain
from goalkeeper.git.folders import Entries
from goalkeeper.system.safe_open import replace_file
from goalkeeper.wire.canonical import compact, digest
from goalkeeper.wire.value import Value
from goalkeeper.witness.pool import read_note
from goalkeeper.witness.setup import list_lockfiles
from goalkeeper.witness.terms import CheckTerms

MAX_AGE = 3


class PassCache(Value):
    """Passes by key. `iteration` is the current one."""

    dir: str
    recalls: bool  # whether it answers; passes are stored in any case
    change: str  # the digest of both trees and the contract; findings of tampering depend on it
    iteration: int
    terms: CheckTerms
    entries: Entries  # the entries of the candidate
    protected: str  # the digest of the protected files on both sides

    def find_pass(self, criterion: Criterion) -> Judged | None:
        if not self.recalls or not _is_cacheable(criterion):
            return None
        kept = read_note(self._entry_path(self.compute_key(criterion)))
        if not kept.keys() >= {"iteration", "reason", "evidence"}:
            return None
        if not 0 <= self.iteration - int(kept["iteration"]) <= MAX_AGE:
            return None
        return Judged(criterion.id, Verdict.PASSED, kept["reason"], kept["evidence"], cached=True)

    def store_passes(self, criteria: Sequence[Criterion], judged: Sequence[Judged]) -> None:
        for criterion, seen in _list_passes(criteria, judged):
            kept = {"iteration": self.iteration, "reason": seen.reason, "evidence": seen.evidence}
            if not seen.cached:
                self._write_entry(self.compute_key(criterion), kept)

    def read_findings(self, read: Callable[[], tuple[Finding, ...]]) -> tuple[Finding, ...]:
        """Return the findings of reading a change, which is read once."""
        key = digest([_describe_rules(), self.change])
        kept = read_note(self._entry_path(key)).get("findings") if self.recalls else None
        with suppress(Malformed):
            if isinstance(kept, list):
                return tuple(decode(Finding, each) for each in kept)
        found = read()
        self._write_entry(key, {"findings": plain(found)})
        return found

    def _write_entry(self, key: str, note: Mapping[str, Any]) -> None:
        os.makedirs(self.dir, mode=0o700, exist_ok=True)
        replace_file(self._entry_path(key), compact(note).encode(errors="surrogateescape"))

    def compute_key(self, criterion: Criterion) -> str:
        names = {argv[0] for argv in list_programs([criterion.check])} or {"python3"}
        if criterion.paths and criterion.paths not in self._file_digests:
            found = filter_paths(self.entries, criterion.paths)
            self._file_digests[criterion.paths] = digest(
                {path: self.entries[path] for path in found}
            )
        tools = [self._describe_once(name) for name in sorted(names)]
        files = self._file_digests[criterion.paths] if criterion.paths else self.change
        return digest([self._common_digest, criterion.to_plain(), tools, files])

    @cached_property
    def _describe_once(self) -> Callable[[str], list[Any]]:
        """Describe each program once; many criteria run the same."""
        return cache(partial(_describe_tool, path=self.terms.environ.get("PATH", "")))

    @cached_property
    def _file_digests(self) -> dict[tuple[str, ...], str]:
        """Hold digests of the files that patterns match; many criteria have the same patterns."""
        return {}

    @cached_property
    def _common_digest(self) -> str:
        """Return a digest of what all criteria of a candidate depend on."""
        terms = self.terms
        variables = {name: terms.environ.get(name) for name in terms.keep}
        return digest(
            [terms.isolation, terms.limits.as_dict(), terms.setup.key, variables,
             list_lockfiles(self.entries), self.protected]
        )  # fmt: skip

    def _entry_path(self, key: str) -> str:
        return os.path.join(self.dir, key)


class SeenGuards(Value):
    """Guards that were green on a base. While this process lives they need not run there again.

    Nothing of it answers for work: a candidate is judged by what runs on it.
    """

    seen: dict[str, Judged]
    passes: PassCache  # it knows what a check depends on

    def find_pass(self, criterion: Criterion) -> Judged | None:
        is_recalled = self.passes.recalls and criterion.guard
        return self.seen.get(self.passes.compute_key(criterion)) if is_recalled else None

    def store_passes(self, criteria: Sequence[Criterion], judged: Sequence[Judged]) -> None:
        guards = [pair for pair in _list_passes(criteria, judged) if pair[0].guard]
        self.seen.update({self.passes.compute_key(criterion): seen for criterion, seen in guards})


Passes = PassCache | SeenGuards


def _list_passes(
    criteria: Sequence[Criterion], judged: Sequence[Judged]
) -> list[tuple[Criterion, Judged]]:
    pairs = zip(criteria, judged, strict=True)
    return [(c, seen) for c, seen in pairs if seen.verdict is Verdict.PASSED and _is_cacheable(c)]


def _describe_rules() -> list[list[Any]]:
    """Return path, size and time of all rules: other rules may find something else."""
    paths = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(os.path.dirname(tamper.__file__))
        for name in names
        if name.endswith((".py", ".toml"))
    ]
    return sorted([path, os.stat(path).st_size, os.stat(path).st_mtime_ns] for path in paths)


def _is_cacheable(criterion: Criterion) -> bool:
    return not criterion.held_out and criterion.check.kind not in NEVER_CACHED


def _describe_tool(name: str, path: str) -> list[Any]:
    """Return path, size and time of a program: another version is another tool."""
    place = shutil.which(name, path=path)
    if place is None:
        return [name]
    stat = os.stat(place)
    return [os.path.realpath(place), stat.st_size, stat.st_mtime_ns]
