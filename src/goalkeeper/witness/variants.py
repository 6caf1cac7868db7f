"""Checks run on these trees: the candidate as it is, and with base's tests and harness."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import Role, is_test, role_of_path
from goalkeeper.core.contract.protection import (
    TOOL_TABLES,
    CheckOrders,
    find_run_files,
    list_parents,
    why_protected,
)
from goalkeeper.core.contract.restoring import restore_file
from goalkeeper.core.contract.watching import find_judges, gives_orders
from goalkeeper.errors import OutsideError
from goalkeeper.git.folders import LINK, SUBMODULE, Blob
from goalkeeper.git.links import Links
from goalkeeper.git.trees import TreeFiles, Trees
from goalkeeper.wire.canonical import digest

_MOST_TEXT = 1 << 20
_MOST_TESTS = 500  # of a larger suite not all files are read


class BaseChanged(OutsideError, hint="git fsck; the repository's objects were changed or lost"):
    """The protected files of base tree {tree} are not what was frozen."""


class TreeVariants:
    """Base, candidate, and the trees that are composed of the two."""

    def __init__(
        self,
        trees: Trees,
        contract: Contract,
        base: str,
        candidate: str,
        setup: Sequence[Sequence[str]] = (),
        *,
        opened: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.trees = trees
        self._contract = contract
        self.base = base
        self.candidate = candidate
        checks = [criterion.check for criterion in contract.criteria]
        self._orders = CheckOrders.from_checks(checks, setup)
        self._opened = opened or {}  # what checks were seen to open of the base
        self._records = frozenset(check.main_option for check in checks if check.kind == "replay")

    @cached_property
    def base_entries(self) -> dict[str, Blob]:
        return self.trees.list_entries(self.base)

    @cached_property
    def candidate_entries(self) -> dict[str, Blob]:
        """Return the base's entries with what differs, which is faster for a large tree."""
        return self.trees.derive_entries(self.base, self._differences, self.candidate)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a checkout of the base lacks, and what could be protected better."""
        modules = [path for path, blob in self.base_entries.items() if blob.mode == SUBMODULE]
        found = [f"submodule {path} is not in the checkout" for path in modules[:3]]
        attributes = TreeFiles(self.trees, self.base_entries).read_file(".gitattributes") or b""
        if b"filter=lfs" in attributes:
            found.append("files kept by git LFS are pointers in the checkout")
        return (*found, *self.advice)

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
        return self._explain_paths(p for p in paths if not is_match(p, self._contract.may_change))

    def _explain_paths(self, paths: Iterable[str]) -> dict[str, str]:
        found = {
            path: self._explain_protected(path)
            or self._explain_link(path)
            or self._watched.get(path, "")
            for path in paths
        }
        return {path: why for path, why in found.items() if why}

    def _explain_protected(self, path: str) -> str:
        """Return why a path is protected. A record of the base says what a replay must print."""
        if path in self._records and path in self.base_entries:
            return "check replay compares with it"
        return why_protected(path, self._orders)

    @cached_property
    def _watched(self) -> dict[str, str]:
        """Return why files of the base decide that are not known by their names."""

        def orders(path: str) -> bool:
            is_known = bool(self._explain_protected(path)) and not is_test(path)
            return is_known and (gives_orders(path) or path in self._orders.scripts)

        entries = {p for files in self._opened.values() for p in files if p in self.base_entries}
        blobs = {path: self.base_entries[path].id for path in entries}
        texts = self.trees.read_blobs(sorted(set(blobs.values())))
        read = {path: texts.get(blob, b"")[:_MOST_TEXT] for path, blob in blobs.items()}
        seen = {name: [p for p in files if p in read] for name, files in self._opened.items()}
        found = find_judges(seen, orders, lambda path: read[path].decode(errors="replace"))
        return {path: why for path, why in found.items() if not self._explain_protected(path)}

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
    def named_protected(self) -> dict[str, str]:
        """Return what is protected before anything ran: a contract is frozen with its digest."""
        return {path: why for path, why in self.base_protected.items() if path not in self._watched}

    @property
    def protected_digest(self) -> str:
        """Return one digest of all these files."""
        found = {path: self.base_entries[path] for path in sorted(self.named_protected)}
        return digest({path: [blob.mode, blob.id] for path, blob in found.items()})

    @cached_property
    def guarded(self) -> str:
        """Return the candidate with the base's protected files."""
        overlay = self._restore_files(self.changed_protected)
        files = {path for path, blob in overlay.items() if blob}
        below = (path for path in self.differing if not files.isdisjoint(list_parents(path)))
        overlay |= dict.fromkeys(below)  # a folder replaced a file or a link
        return self.trees.compose_tree(self.candidate, overlay)

    @cached_property
    def freed(self) -> dict[str, Blob | None]:
        """Return what the base has where the work changed files that the contract frees."""
        free = self._contract.may_change
        return self._restore_files(
            self._explain_paths(path for path in self.differing if is_match(path, free))
        )

    def _restore_files(self, protected: Mapping[str, str]) -> dict[str, Blob | None]:
        overlay: dict[str, Blob | None] = {}
        for path, why in protected.items():
            if why == TOOL_TABLES:
                overlay |= self._restore_tables(path)
            else:
                overlay[path] = self.base_entries.get(path)
        return overlay

    def read_kept_tests(self) -> dict[str, bytes]:
        """Return the test files that the guarded tree has as the base has them."""
        moved = set(self.differing) - self.changed_protected.keys()
        kept = [p for p in self.base_entries if is_test(p) and p not in moved]
        blobs = {path: self.base_entries[path].id for path in kept[:_MOST_TESTS]}
        found = self.trees.read_blobs(sorted(set(blobs.values())))
        return {path: found[blob] for path, blob in blobs.items() if blob in found}

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
