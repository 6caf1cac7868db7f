"""The trees a contract is judged on: the candidate as it is, and with base's tests and harness."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import dropwhile

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.globs import matches
from goalkeeper.core.contract.protected import (
    Role,
    is_checking_name,
    is_launcher,
    is_partly,
    is_runner,
    is_runner_file,
    role,
)
from goalkeeper.core.contract.restoring import restored
from goalkeeper.git.folders import LINK, SUBMODULE, Blob, Entries
from goalkeeper.git.links import Links
from goalkeeper.git.trees import Trees
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value

_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_WORDS = re.compile(r"[\w@%+=:,./-]+")
_SHELL = re.compile(r"(.*/)?(ba|da|k|z)?sh")
_WITH_ARGV = frozenset({"command", "tap", "junit", "metric", "http"})
_TABLES = "its tools' tables"


class Orders(Value):
    """What checks take their orders from, besides what is known by its name."""

    runners: tuple[str, ...]  # programs such as make, as checks call them
    scripts: Mapping[str, str]  # files that checks run, and how

    @classmethod
    def of(cls, checks: Sequence[Check], setup: Sequence[Sequence[str]] = ()) -> Orders:
        named = {path: check.kind for check in checks for path in _named(check)}
        scripts = {
            place: f"check {kind} names it"
            for path, kind in named.items()
            if is_checking_name(path)
            for place in (path, *_above(path))  # a link may stand there
        }
        made = {path: "set-up runs it" for argv in setup for w in argv for path in _paths(w, "")}
        words = {word for check in checks for line in _lines(check) for word in line}
        return cls(tuple(sorted(filter(is_runner, words))), {**scripts, **made})


def why_protected(path: str, orders: Orders) -> str:
    """Why a path decides what checks say; empty for what the goal is free to change."""
    kind = role(path)
    if kind:
        return kind
    runner = next((word for word in orders.runners if is_runner_file(path, word)), "")
    if runner:
        return f"{runner} takes its orders from it"
    return orders.scripts.get(path) or (_TABLES if is_partly(path) else "")


def _lines(check: Check) -> list[tuple[str, ...]]:
    """Every command of a check as its words, also those that a shell gets as text."""
    if check.kind == "pytest":
        files = [("pytest", path.split("::")[0]) for path in check.main]
        return [*files, ("pytest", *check.options.get("args", ()))]
    if check.kind == "shell":
        return [*_lines_of(check.main)]
    argv = tuple(check.main) if check.kind in _WITH_ARGV else ()
    shell = next((n for n, word in enumerate(argv) if _SHELL.fullmatch(word)), len(argv))
    texts = [word for word in argv[shell:] if not _WORDS.fullmatch(word)]
    return [argv, *(line for text in texts for line in _lines_of(text))]


@cache
def _lines_of(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_WORDS.findall(part)) for part in _commands(text))


def _named(check: Check) -> set[str]:
    """Files that the words of a check may mean, wherever it runs."""
    words = {word for line in _lines(check) for word in line}
    places = _places(check)
    return {path for word in words for place in places for path in _paths(word, place)}


def _places(check: Check) -> list[str]:
    """Folders that a check runs in, or goes to."""
    first = str(check.options.get("cwd") or "")
    gone_to = [line[1] for line in _lines(check) if line[:1] == ("cd",) and len(line) > 1]
    return [first, *(os.path.join(first, folder) for folder in gone_to)]


@cache
def _paths(word: str, cwd: str) -> frozenset[str]:
    """Files that a word may mean: as it is, below the folder, as a module, without its ending."""
    module = word.replace(".", "/")
    named = {word, f"{word}.js", f"{word}.py", f"{module}.py", f"{module}/__main__.py"}
    return frozenset(os.path.normpath(os.path.join(cwd, n)) for n in named if n.strip("."))


def _above(path: str) -> list[str]:
    """The folders that a path lies in."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def run_by(check: Check, files: Container[str]) -> set[str]:
    """Which of the files a check runs: as a program, or by giving it to one that runs it."""
    if check.kind == "http":
        return set()  # what answers is the product
    places = _places(check)
    commands = [_without_variables(line) for line in _lines(check)]
    return {path for words in commands for path in _started(words, places, files)}


def _started(words: Sequence[str], places: Sequence[str], files: Container[str]) -> Iterator[str]:
    program = words[0] if words else ""
    given = words[1:] if is_launcher(program) else ()
    for word in (*((program,) if "/" in program else ()), *given):
        found = [path for place in places for path in _paths(word, place) if path in files]
        if found:
            yield from found
            return  # what comes after it is for it to read


def programs_of(checks: Sequence[Check]) -> list[tuple[str, ...]]:
    """The argv of every check that has one; shell text by its words."""
    found = []
    for check in checks:
        if check.kind in _WITH_ARGV:
            found.append(check.main)
        elif check.kind == "shell":
            found += [_without_variables(part.split()) for part in _commands(check.main)]
    return [argv for argv in found if argv]


def _without_variables(words: Sequence[str]) -> tuple[str, ...]:
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
        checks = [criterion.check for criterion in contract.criteria]
        self._orders = Orders.of(checks, setup)
        self._records = frozenset(check.main for check in checks if check.kind == "replay")

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

    @cached_property
    def _links(self) -> Links:
        """Those of the base."""
        found = {path: blob.id for path, blob in self.base_entries.items() if blob.mode == LINK}
        texts = self._trees.blobs(sorted(set(found.values())))
        return Links({p: os.fsdecode(texts[blob]) for p, blob in found.items() if blob in texts})

    def protected(self, paths: Iterable[str]) -> dict[str, str]:
        """Paths of these that are protected, and why; what the contract frees is left out."""
        may_change = self._contract.may_change
        found = {path: self._why(path) or self._led_to(path) for path in paths}
        return {p: why for p, why in found.items() if why and not matches(p, may_change)}

    def _why(self, path: str) -> str:
        """Why a path is protected. A record that was there before says what must come out."""
        if path in self._records and path in self.base_entries:
            return "check replay compares with it"
        return why_protected(path, self._orders)

    def _led_to(self, path: str) -> str:
        """Why a path is protected under another name; empty when it is under none."""
        free = self._contract.may_change
        for name, link in self._links.names(path).items():
            if self._why(name) and not matches(name, free):
                return f"the link {link} leads to it"
        return ""

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """Files that checks run and the goal may change: only people know which of them judge."""
        entries: dict[str, list[str]] = {}  # by all their names
        for path in self.base_entries:
            for name in (path, *self._links.names(path)):
                entries.setdefault(name, []).append(path)
        running: dict[str, list[str]] = {}
        for criterion in self._contract.criteria:
            # Of held-out checks workers are not told what they do.
            names = () if criterion.held_out else sorted(run_by(criterion.check, entries))
            for path in dict.fromkeys(path for name in names for path in entries[name]):
                running.setdefault(path, []).append(criterion.id)
        return tuple(_advised(path, by) for path, by in running.items() if self._is_free(path))

    def _is_free(self, path: str) -> bool:
        """Whether nothing keeps the goal from changing it, and nobody said that it may."""
        contract = self._contract
        fenced = bool(contract.touch) and not matches(path, contract.touch)
        said = matches(path, (*contract.never, *contract.may_change))
        return not (fenced or said or path in self.base_protected)

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
        for path, why in self.protected(self.differing).items():
            if why == _TABLES:
                overlay |= self._partly(path)
            else:
                overlay[path] = self.base_entries.get(path)
        files = {path for path, blob in overlay.items() if blob}
        below = (path for path in self.differing if not files.isdisjoint(_above(path)))
        overlay |= dict.fromkeys(below)  # a folder that took a file's or a link's place
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
            if any(role(name) in telling for name in (path, *self._links.names(path)))
        }
        return self._trees.composed(self.base, overlay)


def _advised(path: str, criteria: Sequence[str]) -> str:
    run = f"{criteria[0]} runs" if len(criteria) == 1 else f"{', '.join(criteria)} run"
    return (
        f"{run} {path}, which this goal may change; "
        "if it judges rather than is judged, add it under scope.never"
    )


class Unguarded(Variants):
    """The worker's own tree, for better or worse."""

    @cached_property
    def guarded(self) -> str:
        return self.candidate


def protected_digest(protected: Iterable[str], entries: Entries) -> str:
    """What the protected files are, as one digest that a ledger can hold."""
    return digest({path: [entries[path].mode, entries[path].id] for path in sorted(protected)})
