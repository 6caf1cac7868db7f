"""The base's examples: doctests are in files of the product, so the candidate brings its own.

With the examples of the base they must pass, too: what decided before the work still does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.git.folders import EXECUTABLE, PLAIN, Blob
from goalkeeper.git.trees import Trees
from goalkeeper.tamper.examples import restore_examples
from goalkeeper.tamper.source import MOST_BYTES
from goalkeeper.tamper.syntax import text_of
from goalkeeper.wire.value import Value
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.scheduler import CheckJob

RULE = "judge-in-the-product"
_PLAIN_FILES = (PLAIN, EXECUTABLE)
_BAD = (Outcome.FAILED, Outcome.ERROR)


class BaseExamples(Value):
    """The probe. `doctested` are files of the product with tests that reports name."""

    trees: Trees
    base: str
    tree: str
    doctested: frozenset[str]
    name: str = "the base's examples"

    @cached_property
    def _restored(self) -> dict[str, Blob | None]:
        """Return files whose examples the work changed, with those of the base."""
        old, new = self.trees.list_entries(self.base), self.trees.list_entries(self.tree)
        pairs = {
            path: (old[path], new[path])
            for path in sorted(self.doctested)
            if path in old and path in new and old[path].id != new[path].id
            if {old[path].mode, new[path].mode} <= {*_PLAIN_FILES}
        }
        texts = self.trees.read_blobs(sorted({b.id for pair in pairs.values() for b in pair}))
        found: dict[str, Blob | None] = {}
        for path, (before, after) in pairs.items():
            sides = texts[before.id], texts[after.id]
            if max(map(len, sides)) <= MOST_BYTES:
                made = restore_examples(path, text_of(sides[0]), text_of(sides[1]))
                if made is not None:
                    data = made.encode(errors="surrogateescape")
                    found[path] = Blob(after.mode, self.trees.write_blob(data))
        return found

    @cached_property
    def _restored_tree(self) -> str:
        return self.trees.compose_tree(self.tree, self._restored)

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        files = {case.id.partition("::")[0] for case in asked.seen.cases}
        is_asked = not files.isdisjoint(self._restored)
        return [CheckJob(asked.criterion.id, self._restored_tree)] if is_asked else []

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:  # noqa: ARG002
        return ()

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        seen = results.get(CheckJob(asked.criterion.id, self._restored_tree))
        if not self._restored or seen is None:
            return None
        passed = {case.id for case in asked.seen.cases if case.outcome is Outcome.PASSED}
        failed = [c.id for c in seen.cases if c.outcome in _BAD and c.id in passed]
        said = f"{len(failed)} tests fail with the examples that the base has"
        found = [
            Finding(
                RULE,
                Level.ASKING,
                test.partition("::")[0],
                0,
                f"{asked.criterion.id}: {test} fails with the examples that the base has",
            )
            for test in failed
        ]
        return ProbeReport(self.name, asked.criterion.id, said, (), tuple(found))
