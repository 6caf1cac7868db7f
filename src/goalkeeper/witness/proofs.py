"""Proofs of earlier trees: whether what they rest on is still the same in a later tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.globs import filter_paths
from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.core.contract.reads import Reads, is_affected
from goalkeeper.git.folders import BlobPair
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value
from goalkeeper.witness.prove import TESTS_ON_BASE
from goalkeeper.witness.setup import LOCKFILE


class Proofs:
    def __init__(self, trees: Trees, tree: str) -> None:
        self._trees = trees
        self._tree = tree

    def is_affected(self, document: Mapping[str, Any] | None) -> bool:
        """Return whether the check of this evidence may come out differently on the tree."""
        try:
            passed = document is not None and document["verdict"] == Verdict.PASSED
            return document is None or not passed or self._can_differ(document)
        except (GitFailed, KeyError):  # the tree is no longer known, or the evidence is older
            return True

    def _can_differ(self, document: Mapping[str, Any]) -> bool:
        criterion, runs = document["criterion"], document["runs"]
        declared = criterion.get("paths")
        if declared:
            changed = self._compare(document["tree"])
            steering = (
                p for p in changed if LOCKFILE.fullmatch(p) or role_of_path(p) is Role.HARNESS
            )
            return bool(filter_paths(changed, tuple(declared))) or any(steering)
        facts = [run["facts"] for run in runs if run["facts"]["side"] != TESTS_ON_BASE]
        if document["tree"] != document["base"]:
            facts = [each for each in facts if each["tree"] != document["base"]]
        return not facts or any(self._sees_difference(criterion, each) for each in facts)

    def _sees_difference(self, criterion: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
        if "reads" not in facts:
            return True
        seen = Reads(frozenset(facts["reads"]["files"]), frozenset(facts["reads"]["folders"]))
        changed = self._compare(facts["tree"])
        there = OpenedTree(self._trees, facts["tree"], seen, compact(criterion["check"]))
        return any(map(LOCKFILE.fullmatch, changed)) or is_affected(seen, changed, there)

    @cached_property
    def _compare(self) -> Callable[[str], dict[str, BlobPair]]:
        return cache(lambda tree: self._trees.folders.compare_trees(tree, self._tree))


class OpenedTree(Value):
    """The tree on which a check was seen; `words` is the check as it is written."""

    trees: Trees
    tree: str
    reads: Reads
    words: str

    def list_names(self, folder: str) -> list[str]:
        return self.trees.folders.list_names(self.tree, folder)

    def mentions(self, text: str) -> bool:
        return text in self.words or any(text.encode() in data for data in self._texts)

    @cached_property
    def _texts(self) -> list[bytes]:
        entries = self.trees.list_entries(self.tree)
        found = (entries[path].id for path in self.reads.files if path in entries)
        return list(self.trees.read_blobs(sorted(set(found))).values())
