"""Freed files: what the base's tests asked for before the work, they ask for after it.

A contract frees files so that tests can be added, moved or written otherwise. A test that was red
and passes only with the files as the work has them was not met, it was changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.git.folders import Blob
from goalkeeper.git.trees import Trees
from goalkeeper.system.run import Exited
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import CheckResult, list_some
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.scheduler import CheckJob

RULE = "passes-only-as-changed"
_BAD = (Outcome.FAILED, Outcome.ERROR)


class FreedFiles(Value):
    """The probe. `freed` are files that the contract frees and the work changed, as before it."""

    trees: Trees
    tree: str
    freed: Mapping[str, Blob | None]
    name: str = "freed files"

    @cached_property
    def _with_new_files(self) -> str:
        old = {path: blob for path, blob in self.freed.items() if blob}
        return self.trees.compose_tree(self.tree, old)

    @cached_property
    def _as_before(self) -> str:
        """Return the tree without new files: these may need what was changed beside them."""
        return self.trees.compose_tree(self.tree, self.freed)

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        opened = asked.reads.files if asked.reads else self.freed.keys()
        gone = self.freed.keys() - self.trees.list_entries(self.tree).keys()
        is_asked = not self.freed.keys().isdisjoint(opened) or bool(gone)
        return [CheckJob(asked.criterion.id, self._with_new_files)] if is_asked else []

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        seen = results.get(CheckJob(asked.criterion.id, self._with_new_files))
        is_doubted = bool(seen and _list_failed(asked, seen))
        return [CheckJob(asked.criterion.id, self._as_before)] if is_doubted else []

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        trees = dict.fromkeys((self._with_new_files, self._as_before))
        runs = [results.get(CheckJob(asked.criterion.id, tree)) for tree in trees]
        if runs[0] is None:
            return None
        failed = set.intersection(*(_list_failed(asked, seen) for seen in runs if seen))
        # A file that no longer loads, because what it tested is gone, was no test that was red.
        failed -= self.freed.keys() - asked.before
        paths = list_some(sorted(self.freed))
        names = list_some(sorted(failed - {""}))
        told = f"{names} pass" if names else "it passes"
        said = f"{asked.criterion.id}: {told} only with {paths} as the work changed them"
        finding = Finding(RULE, Level.ASKING, min(self.freed), 0, said)
        saw = f"{len(failed)} tests that were red fail with what the base has of freed files"
        return ProbeReport(self.name, asked.criterion.id, saw, (), (finding,) if failed else ())


def _list_failed(asked: ProbedCheck, seen: CheckResult) -> set[str]:
    """Return the tests that fail, and did on the base; the empty name is the check as a whole."""
    if asked.criterion.check.kind in TEST_KINDS:
        return {case.id for case in seen.cases if case.outcome in _BAD} - asked.known
    ran = seen.ran
    is_red = isinstance(ran, Exited) and seen.verdict is Verdict.FAILED
    return {""} - asked.known if is_red else set()
