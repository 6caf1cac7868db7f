"""The sources of the tests that a proof hears of, for both sides."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

from goalkeeper.tamper.identity import SourceIndex, read_suite
from goalkeeper.wire.value import Value
from goalkeeper.witness.variants import TreeVariants


class TestSources(Value):
    __test__ = False  # pytest would collect it by its name

    variants: TreeVariants

    @cached_property
    def bodies(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the bodies of tests and doctests in files that changed, of base and candidate."""
        old = {c.old_path: c.old for c in self.variants.changes if c.old}
        new = {c.path: c.new for c in self.variants.changes if c.new}
        return read_suite(old), read_suite(new)

    @cached_property
    def sides(self) -> tuple[SourceIndex, SourceIndex]:
        old, new = self.bodies
        return SourceIndex(old), SourceIndex(new)

    @cached_property
    def kept(self) -> SourceIndex:
        return SourceIndex(read_suite(self.variants.read_kept_tests()))

    def find_absorbed(self, gone: Collection[str]) -> frozenset[str]:
        """Return the ids of those that are gone and whose assertions stand in other tests now."""
        found = {each.id: f"{each.file}::{each.name}" for each in self.sides[0].find_all([*gone])}
        return frozenset(test for test, key in found.items() if key in self._absorbed)

    @cached_property
    def _absorbed(self) -> frozenset[str]:
        from goalkeeper.tamper.tests_review import (  # noqa: PLC0415  slow, and often not needed
            find_absorbed_tests,
        )

        variants = self.variants
        base = variants.trees.open_tree(variants.base)
        return find_absorbed_tests(variants.changes, base.read_file, variants.files.read_file)
