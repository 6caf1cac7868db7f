"""Checks run on these trees: the candidate as it is, and with base's tests and harness."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import dropwhile

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.check_kinds import ARGV_KINDS, Check
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import (
    Role,
    is_checking_name,
    is_launcher,
    is_partly,
    is_runner,
    is_runner_file,
    role_of_path,
)
from goalkeeper.core.contract.restoring import restore_file
from goalkeeper.git.folders import LINK, SUBMODULE, Blob, Entries
from goalkeeper.git.links import Links
from goalkeeper.git.trees import TreeFiles, Trees
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value

_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_WORDS = re.compile(r"[\w@%+=:,./-]+")
_SHELL = re.compile(r"(.*/)?(ba|da|k|z)?sh")
_TABLES = "its tools' tables"


class CheckOrders(Value):
    """Files that decide what checks do, besides those that are known by their names."""

    runners: tuple[str, ...]  # programs such as make, as checks call them
    scripts: Mapping[str, str]  # it maps files that checks run to how they run them

    @classmethod
    def from_checks(
        cls, checks: Sequence[Check], setup: Sequence[Sequence[str]] = ()
    ) -> CheckOrders:
        named = {
            path: check.kind
            for check in checks
            for word in {word for line in _list_commands(check) for word in line}
            for place in _list_folders(check)
            for path in _guess_paths(word, place)
        }
        scripts = {
            place: f"check {kind} names it"
            for path, kind in named.items()
            if is_checking_name(path)
            for place in (path, *_list_parents(path))  # a link may stand there
        }
        made = {
            path: "set-up runs it" for argv in setup for w in argv for path in _guess_paths(w, "")
        }
        words = {word for check in checks for line in _list_commands(check) for word in line}
        return cls(tuple(sorted(filter(is_runner, words))), {**scripts, **made})


def why_protected(path: str, orders: CheckOrders) -> str:
    """Return why a path decides what checks say; empty if the goal may change it."""
    kind = role_of_path(path)
    if kind:
        return kind
    runner = next((word for word in orders.runners if is_runner_file(path, word)), "")
    if runner:
        return f"{runner} takes its orders from it"
    return orders.scripts.get(path) or (_TABLES if is_partly(path) else "")


def _list_commands(check: Check) -> list[tuple[str, ...]]:
    """Return the words of every command of a check, also of commands that a shell gets as text."""
    if check.kind == "pytest":
        files = [("pytest", path.split("::")[0]) for path in check.main_option]
        return [*files, ("pytest", *check.options.get("args", ()))]
    if check.kind == "shell":
        return [*_split_commands(check.main_option)]
    argv = tuple(check.main_option) if check.kind in ARGV_KINDS else ()
    shell = next((n for n, word in enumerate(argv) if _SHELL.fullmatch(word)), len(argv))
    texts = [word for word in argv[shell:] if not _WORDS.fullmatch(word)]
    return [argv, *(line for text in texts for line in _split_commands(text))]


@cache
def _split_commands(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_WORDS.findall(part)) for part in _split_text(text))


def _list_folders(check: Check) -> list[str]:
    """Return folders that a check runs in or changes to."""
    first = str(check.options.get("cwd") or "")
    gone_to = [line[1] for line in _list_commands(check) if line[:1] == ("cd",) and len(line) > 1]
    return [first, *(os.path.join(first, folder) for folder in gone_to)]


@cache
def _guess_paths(word: str, cwd: str) -> frozenset[str]:
    """Return files that a word may mean: also as a module, and without its ending."""
    module = word.replace(".", "/")
    named = {word, f"{word}.js", f"{word}.py", f"{module}.py", f"{module}/__main__.py"}
    return frozenset(os.path.normpath(os.path.join(cwd, n)) for n in named if n.strip("."))


def _list_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def find_run_files(check: Check, files: Container[str]) -> set[str]:
    """Return the files that a check runs, also as arguments of a program that runs them."""
    if check.kind == "http":
        return set()  # it starts the product, which answers
    places = _list_folders(check)
    commands = [_without_variables(line) for line in _list_commands(check)]
    return {path for words in commands for path in _find_started(words, places, files)}


def _find_started(
    words: Sequence[str], places: Sequence[str], files: Container[str]
) -> Iterator[str]:
    program = words[0] if words else ""
    given = words[1:] if is_launcher(program) else ()
    for word in (*((program,) if "/" in program else ()), *given):
        found = [path for place in places for path in _guess_paths(word, place) if path in files]
        if found:
            yield from found
            return  # the words after it are its arguments


def list_programs(checks: Sequence[Check]) -> list[tuple[str, ...]]:
    """Return the argv of every check that has one; a shell command is split into words."""
    found = []
    for check in checks:
        if check.kind in ARGV_KINDS:
            found.append(check.main_option)
        elif check.kind == "shell":
            found += [_without_variables(part.split()) for part in _split_text(check.main_option)]
    return [argv for argv in found if argv]


def _without_variables(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words from the program on: in `CI=1 make test` from make on."""
    return tuple(dropwhile(_VARIABLE.match, words))


def _split_text(text: str) -> list[str]:
    for separator in ("&&", "||", ";", "|"):
        text = text.replace(separator, "\n")
    return [line for line in text.splitlines() if line.split()]


class TreeVariants:
    """Base, candidate, and the trees that are composed of the two."""

    def __init__(
        self,
        trees: Trees,
        contract: Contract,
        base: str,
        candidate: str,
        setup: Sequence[Sequence[str]] = (),
    ) -> None:
        self.trees = trees
        self._contract = contract
        self.base = base
        self.candidate = candidate
        checks = [criterion.check for criterion in contract.criteria]
        self._orders = CheckOrders.from_checks(checks, setup)
        self._records = frozenset(check.main_option for check in checks if check.kind == "replay")

    @cached_property
    def base_entries(self) -> dict[str, Blob]:
        return self.trees.list_entries(self.base)

    @cached_property
    def candidate_entries(self) -> dict[str, Blob]:
        """Return the base's entries with what differs, which is faster for a large tree."""
        return self.trees.derive_entries(self.base, self._differences, self.candidate)

    @cached_property
    def _differences(self) -> dict[str, Blob | None]:
        return self.trees.list_differences(self.base, self.candidate)

    @cached_property
    def _links(self) -> Links:
        found = {path: blob.id for path, blob in self.base_entries.items() if blob.mode == LINK}
        texts = self.trees.read_blobs(sorted(set(found.values())))
        return Links({p: os.fsdecode(texts[blob]) for p, blob in found.items() if blob in texts})

    def find_protected(self, paths: Iterable[str]) -> dict[str, str]:
        """Return why paths are protected, without those that the contract permits to change."""
        may_change = self._contract.may_change
        found = {path: self._explain_protected(path) or self._explain_link(path) for path in paths}
        return {p: why for p, why in found.items() if why and not is_match(p, may_change)}

    def _explain_protected(self, path: str) -> str:
        """Return why a path is protected. A record of the base says what a replay must print."""
        if path in self._records and path in self.base_entries:
            return "check replay compares with it"
        return why_protected(path, self._orders)

    def _explain_link(self, path: str) -> str:
        """Return why a path is protected under another name; empty if it is not."""
        free = self._contract.may_change
        for name, link in self._links.find_names(path).items():
            if self._explain_protected(name) and not is_match(name, free):
                return f"the link {link} leads to it"
        return ""

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """Return files that checks run and the goal may change; people know which of them judge."""
        entries: dict[str, list[str]] = {}  # the files by all their names
        for path in self.base_entries:
            for name in (path, *self._links.find_names(path)):
                entries.setdefault(name, []).append(path)
        running: dict[str, list[str]] = {}
        for criterion in self._contract.criteria:
            # Workers must not learn what held-out checks run.
            names = () if criterion.held_out else sorted(find_run_files(criterion.check, entries))
            for path in dict.fromkeys(path for name in names for path in entries[name]):
                running.setdefault(path, []).append(criterion.id)
        contract = self._contract
        return tuple(
            f"{', '.join(by)} {'runs' if len(by) == 1 else 'run'} {path}, which this goal may "
            "change; if it judges rather than is judged, add it under scope.never"
            for path, by in running.items()
            if path not in self.base_protected
            and not is_match(path, (*contract.never, *contract.may_change))
            and (not contract.touch or is_match(path, contract.touch))
        )

    @cached_property
    def differing(self) -> list[str]:
        """Return paths that differ between base and candidate."""
        return sorted(self._differences)

    @cached_property
    def changes(self) -> tuple[FileChange, ...]:
        return self.trees.list_changes(self.base, self.candidate)

    @cached_property
    def changed_protected(self) -> dict[str, str]:
        return self.find_protected(self.differing)

    @cached_property
    def files(self) -> TreeFiles:
        """Return the files of the candidate."""
        return TreeFiles(self.trees, self.candidate_entries)

    @cached_property
    def base_protected(self) -> dict[str, str]:
        return self.find_protected(self.base_entries)

    @cached_property
    def guarded(self) -> str:
        """Return the candidate with the base's protected files."""
        overlay: dict[str, Blob | None] = {}
        for path, why in self.changed_protected.items():
            if why == _TABLES:
                overlay |= self._restore_tables(path)
            else:
                overlay[path] = self.base_entries.get(path)
        files = {path for path, blob in overlay.items() if blob}
        below = (path for path in self.differing if not files.isdisjoint(_list_parents(path)))
        overlay |= dict.fromkeys(below)  # a folder replaced a file or a link
        return self.trees.compose_tree(self.candidate, overlay)

    def _restore_tables(self, path: str) -> dict[str, Blob | None]:
        old, new = self.base_entries.get(path), self.candidate_entries.get(path)
        if new is None or new.mode == SUBMODULE:
            return {path: old}
        found = self.trees.read_blobs([blob.id for blob in (old, new) if blob])
        merged = restore_file(path, found.get(old.id) if old else None, found[new.id])
        if merged is None:
            return {path: old}
        return {path: Blob(new.mode, self.trees.write_blob(merged))}

    @cached_property
    def tests_on_base(self) -> str:
        """Return the base's code with the candidate's tests, test data and harness."""
        telling = (Role.TEST, Role.DATA, Role.HARNESS)
        overlay = {
            path: self.candidate_entries.get(path)
            for path in self.differing
            if any(role_of_path(name) in telling for name in (path, *self._links.find_names(path)))
        }
        return self.trees.compose_tree(self.base, overlay)


class UnguardedVariants(TreeVariants):
    """The worker's own tree, in which the worker's tests count."""

    @cached_property
    def guarded(self) -> str:
        return self.candidate


def digest_protected(protected: Iterable[str], entries: Entries) -> str:
    """Return one digest of all protected files."""
    return digest({path: [entries[path].mode, entries[path].id] for path in sorted(protected)})
