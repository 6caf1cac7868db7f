"""Proofs of earlier trees: whether what they rest on is still the same in a later tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from typing import Any

from goalkeeper.core.contract.globs import filter_paths
from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.core.contract.reads import Reads, is_affected
from goalkeeper.git.folders import BlobPair
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.wire.canonical import compact
from goalkeeper.witness.prove import TESTS_ON_BASE
from goalkeeper.witness.setup import LOCKFILE


class Proofs:
    def __init__(self, trees: Trees, tree: str) -> None:
        self._trees = trees
        self._tree = tree

    def is_affected(self, document: Mapping[str, Any] | None) -> bool:
        """Return whether the check of this evidence may come out differently on the tree."""
        try:
            return document is None or self._can_differ(document)
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
        tree, changed = facts["tree"], self._compare(facts["tree"])
        words = compact(criterion["check"])
        names = partial(self._trees.folders.list_names, tree)
        return any(map(LOCKFILE.fullmatch, changed)) or is_affected(seen, words, changed, names)

    @cached_property
    def _compare(self) -> Callable[[str], dict[str, BlobPair]]:
        return cache(lambda tree: self._trees.folders.compare_trees(tree, self._tree))
