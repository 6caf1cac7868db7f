"""The trees a contract is judged on: the candidate as it is, and with base's tests and harness."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import dropwhile

from goalkeeper.core.checks import Check
from goalkeeper.core.contract import Contract
from goalkeeper.core.globs import matches
from goalkeeper.core.protected import (
    Role,
    is_checking_name,
    is_partly,
    is_runner_file,
    role,
)
from goalkeeper.core.restoring import restored
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value
from goalkeeper.witness.trees import SUBMODULE, Blob, Entries, Trees

_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_WORDS = re.compile(r"[\w@%+=:,./-]+")
_WITH_ARGV = frozenset({"command", "tap", "junit", "metric", "http"})


class Orders(Value):
    """What checks take their orders from, besides what is known by its name."""

    runners: tuple[str, ...]  # words that may be programs such as make
    scripts: Mapping[str, str]  # files that checks run, and how

    @classmethod
    def of(cls, checks: Sequence[Check], setup: Sequence[Sequence[str]] = ()) -> Orders:
        words = [(check, word) for check in checks for word in _words(check)]
        scripts = {
            path: f"check {check.kind} names it"
            for check, word in words
            for path in _paths(word, str(check.options.get("cwd") or ""))
            if is_checking_name(path)
        }
        made = {path: "set-up runs it" for argv in setup for w in argv for path in _paths(w, "")}
        return cls(tuple(sorted({word for _, word in words})), {**scripts, **made})


def why_protected(path: str, orders: Orders) -> str:
    """Why a path decides what checks say; empty for what the goal is free to change."""
    kind = role(path)
    if kind:
        return kind
    runner = next((word for word in orders.runners if is_runner_file(path, word)), "")
    if runner:
        return f"{runner} takes its orders from it"
    return orders.scripts.get(path) or ("its tools' tables" if is_partly(path) else "")


def _words(check: Check) -> list[str]:
    """Every word of what a check runs, shell text taken apart."""
    if check.kind == "shell":
        return _WORDS.findall(check.main)
    return list(check.main) if check.kind in _WITH_ARGV else []


def _paths(word: str, cwd: str) -> set[str]:
    """Files that a word may mean: as it is, below the folder, as a module, without its ending."""
    named = {word, word.replace(".", "/") + ".py", f"{word}.js", f"{word}.py"}
    return {os.path.normpath(os.path.join(cwd, name)) for name in named if name.strip(".")}


def programs_of(checks: Sequence[Check]) -> list[tuple[str, ...]]:
    """The argv of every check that has one; shell text by its words."""
    found = []
    for check in checks:
        if check.kind in _WITH_ARGV:
            found.append(check.main)
        elif check.kind == "shell":
            found += [_without_variables(part.split()) for part in _commands(check.main)]
    return [argv for argv in found if argv]


def _without_variables(words: list[str]) -> tuple[str, ...]:
    """From the program on: `CI=1 make test` is about make."""
    return tuple(dropwhile(_VARIABLE.match, words))


def _commands(text: str) -> list[str]:
    for separator in ("&&", "||", ";", "|"):
        text = text.replace(separator, "\n")
    return [line for line in text.splitlines() if line.split()]


class Variants:
    """Base, candidate, and what can be composed of the two."""

    def __init__(
        self,
        trees: Trees,
        contract: Contract,
        base: str,
        candidate: str,
        setup: Sequence[Sequence[str]] = (),
    ) -> None:
        self._trees = trees
        self._contract = contract
        self.base = base
        self.candidate = candidate
        self._orders = Orders.of([c.check for c in contract.criteria], setup)

    @cached_property
    def base_entries(self) -> dict[str, Blob]:
        return self._trees.entries(self.base)

    @cached_property
    def candidate_entries(self) -> dict[str, Blob]:
        """Those of the base, with what differs: a tree may be large, and a change is small."""
        return self._trees.derived(self.base, self._differences, self.candidate)

    @cached_property
    def _differences(self) -> dict[str, Blob | None]:
        return self._trees.differences(self.base, self.candidate)

    def protected(self, paths: Iterable[str]) -> dict[str, str]:
        """Paths of these that are protected, and why; what the contract frees is left out."""
        may_change = self._contract.may_change
        found = {}
        for path in paths:
            why = why_protected(path, self._orders)
            if why and not matches(path, may_change):
                found[path] = why
        return found

    @cached_property
    def differing(self) -> list[str]:
        """Paths that are not the same on both sides."""
        return sorted(self._differences)

    @cached_property
    def base_protected(self) -> dict[str, str]:
        return self.protected(self.base_entries)

    @cached_property
    def guarded(self) -> str:
        """The candidate with protected paths as in base."""
        overlay: dict[str, Blob | None] = {}
        for path in self.protected(self.differing):
            if is_partly(path):
                overlay |= self._partly(path)
            else:
                overlay[path] = self.base_entries.get(path)
        return self._trees.composed(self.candidate, overlay)

    def _partly(self, path: str) -> dict[str, Blob | None]:
        old, new = self.base_entries.get(path), self.candidate_entries.get(path)
        if new is None or new.mode == SUBMODULE:
            return {path: old}
        found = self._trees.blobs([blob.id for blob in (old, new) if blob])
        merged = restored(path, found.get(old.id) if old else None, found[new.id])
        if merged is None:
            return {path: old}
        return {path: Blob(new.mode, self._trees.write(merged))}

    @cached_property
    def tests_on_base(self) -> str:
        """The base's code with the candidate's tests, their data and harness."""
        telling = (Role.TEST, Role.DATA, Role.HARNESS)
        overlay = {
            path: self.candidate_entries.get(path)
            for path in self.differing
            if role(path) in telling
        }
        return self._trees.composed(self.base, overlay)


class Unguarded(Variants):
    """The worker's own tree, for better or worse."""

    @cached_property
    def guarded(self) -> str:
        return self.candidate


def protected_digest(protected: Iterable[str], entries: Entries) -> str:
    """What the protected files are, as one digest that a ledger can hold."""
    return digest({path: [entries[path].mode, entries[path].id] for path in sorted(protected)})
