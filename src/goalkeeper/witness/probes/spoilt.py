"""Spoilt tests: with other expectations every test of the base must fail on the candidate's code.

One that still passes was not decided by the product's answer: its runner was bent, or the product
took its answer from the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.core.contract.protection import list_programs
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.core.projects.commands import only_looks, split_command
from goalkeeper.git.folders import EXECUTABLE, PLAIN, Blob
from goalkeeper.git.trees import Trees
from goalkeeper.system.run import Exited
from goalkeeper.tamper.identity import SourceIndex
from goalkeeper.tamper.spoiling.suite import SpoiltSuite, spoil_suite
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import CheckResult
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.scheduler import CheckJob

RULE = "passes-whatever-is-expected"
_PLAIN_FILES = (PLAIN, EXECUTABLE)
_TELLING = (Role.TEST, Role.DATA)


class SpoiltTests(Value):
    """The probe. `opened` are the files that checks were seen to open; None if nobody knows."""

    trees: Trees
    base: str
    tree: str
    seed: str
    opened: frozenset[str] | None
    doctested: frozenset[str] = frozenset()  # files of the product with tests that reports name
    name: str = "spoilt tests"

    @cached_property
    def _entries(self) -> dict[str, Blob]:
        return {
            path: blob
            for path, blob in self.trees.list_entries(self.tree).items()
            if role_of_path(path) in _TELLING
            and blob.mode in _PLAIN_FILES
            and (self.opened is None or path in self.opened)
        }

    def list_files(self) -> dict[str, bytes]:
        """Return the tests, and their data."""
        found = self.trees.read_blobs(sorted({blob.id for blob in self._entries.values()}))
        return {path: found[blob.id] for path, blob in self._entries.items()}

    @cached_property
    def suite(self) -> SpoiltSuite:
        return spoil_suite(self.list_files(), self.seed, self._read_doctests(self.tree))

    def _read_doctests(self, tree: str) -> dict[str, bytes]:
        entries = self.trees.list_entries(tree)
        blobs = {p: entries[p] for p in sorted(self.doctested) if p in entries}
        found = self.trees.read_blobs(sorted({blob.id for blob in blobs.values()}))
        return {p: found[b.id] for p, b in blobs.items() if b.mode in _PLAIN_FILES}

    def lay_files(self, tree: str, files: Mapping[str, bytes]) -> str:
        entries = {**self.trees.list_entries(tree), **self.trees.list_entries(self.tree)}
        overlay: dict[str, Blob | None] = {
            path: Blob(entries[path].mode, self.trees.write_blob(data))
            for path, data in files.items()
        }
        return self.trees.compose_tree(tree, overlay)

    @cached_property
    def _spoilt_tree(self) -> str:
        return self.lay_files(self.tree, self.suite.files)

    @cached_property
    def _spoilt_base(self) -> str:
        """Return the base with spoilt tests; its doctests stand in its own code.

        Files that the contract frees are the base's own: what the work has made of them may not
        fit the base's code, and would fail for that.
        """
        before = self.trees.list_entries(self.base)
        paths = self.suite.files.keys() & self._entries.keys()
        freed = {p: before[p] for p in paths & before.keys() if before[p] != self._entries[p]}
        found = self.trees.read_blobs(sorted({blob.id for blob in freed.values()}))
        old = {path: found[blob.id] for path, blob in freed.items()}
        own = spoil_suite(old, self.seed, self._read_doctests(self.base)).files
        same = {path: self.suite.files[path] for path in paths - freed.keys()}
        return self.lay_files(self.base, {**same, **own})

    @cached_property
    def _index(self) -> SourceIndex:
        return SourceIndex(dict.fromkeys(self.suite.spoilt, ""))

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        is_claimed = self.list_claimed(asked)
        return [CheckJob(asked.criterion.id, self._spoilt_tree)] if is_claimed else []

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        """Ask the base: a test of it that passes there, too, is one that we cannot spoil."""
        passed = self._list_passed(asked, self._find_result(asked, self._spoilt_tree, results))
        is_known = not passed.isdisjoint(asked.known) or ("" in passed and bool(asked.known))
        return [CheckJob(asked.criterion.id, self._spoilt_base)] if is_known else []

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        claimed = self.list_claimed(asked)
        report = ProbeReport(self.name, asked.criterion.id, "")
        if not claimed:
            return report.replace(saw="nothing", unseen=("no expectation of its tests is known",))
        seen = self._find_result(asked, self._spoilt_tree, results)
        passed = self._list_passed(asked, seen)
        if "" not in claimed:
            passed.discard("")
        control = self._find_result(asked, self._spoilt_base, results)
        excused = self._list_passed(asked, control) & asked.known if control else set()
        if not self._has_effect(asked, control):
            excused |= {""} & passed
        accused = sorted(passed - excused)
        unseen = [f"{len(excused)} tests cannot be spoilt: on the base they pass, too"]
        if seen is None or (seen.verdict is Verdict.UNKNOWN and not accused):
            why = seen.reason if seen else "it did not run"
            return report.replace(saw="nothing", unseen=(f"with other expectations: {why}",))
        failed = len(claimed) - len(passed)
        saw = f"{failed} of {len(claimed)} tests fail when they expect other values"
        if "" in claimed:
            told = "passes" if passed else "fails"
            saw = f"it {told} when its tests expect other values"
        return report.replace(
            saw=saw,
            unseen=tuple(unseen if excused else ()) + self._describe_left(asked),
            findings=tuple(self._accuse(asked, name) for name in accused),
        )

    def _has_effect(self, asked: ProbedCheck, control: CheckResult | None) -> bool:
        """Return whether it is sure that a check as a whole must fail.

        Where we do not know which tests run, fewer of the base's must pass on the base.
        """
        if asked.criterion.check.kind not in TEST_KINDS:
            return True
        passed = {c.id for c in control.cases if c.outcome is Outcome.PASSED} if control else set()
        return bool(control and control.cases) and not asked.known <= passed

    def _describe_left(self, asked: ProbedCheck) -> tuple[str, ...]:
        found = SourceIndex(dict.fromkeys(self.suite.left, ""))
        left = [case.id for case in asked.seen.cases if found.find(case.id)]
        said = f"{len(left)} tests: whether they fail is known, not by which value"
        return (said,) if left else ()

    def _accuse(self, asked: ProbedCheck, name: str) -> Finding:
        found = self._index.find(name)
        said = (
            "passes although it expects other values now"
            if name
            else ("ends as if all were well although its tests expect other values now")
        )
        told = f"{asked.criterion.id}: {name} {said}".replace("  ", " ")
        return Finding(RULE, Level.BLOCKING, found.file if found else "", 0, told)

    def list_claimed(self, asked: ProbedCheck) -> set[str]:
        """Return the tests that must fail now; the empty name stands for the check as a whole."""
        if asked.criterion.check.kind in TEST_KINDS:
            named = {
                case.id
                for case in asked.seen.cases
                if case.outcome is Outcome.PASSED and self._index.find(case.id)
            }
            return named or ({""} if self._opens_whole(asked) else set())
        if asked.reads is None or self._only_looks(asked):
            return set()
        files = {key.partition("::")[0] for key in self.suite.spoilt}
        tests = files & self._entries.keys()  # a command that runs the product runs no doctest
        return {""} if tests & asked.reads.files else set()

    def _opens_whole(self, asked: ProbedCheck) -> bool:
        """Return whether a check opened a file that must fail as a whole."""
        whole = {key.removesuffix("::") for key in self.suite.spoilt if key.endswith("::")}
        return asked.reads is not None and not whole.isdisjoint(asked.reads.files)

    def _only_looks(self, asked: ProbedCheck) -> bool:
        """Return whether a check is a linter or the like, which opens tests and runs none."""
        files = self.trees.open_tree(self.tree)

        def read(path: str) -> str:
            return (files.read_file(path) or b"").decode(errors="replace")

        programs = list_programs([asked.criterion.check])
        parts = [part for argv in programs for part in split_command(argv, read) or (argv,)]
        return all(map(only_looks, parts))

    def _find_result(
        self, asked: ProbedCheck, tree: str, results: JobResults
    ) -> CheckResult | None:
        return results.get(CheckJob(asked.criterion.id, tree))

    def _list_passed(self, asked: ProbedCheck, seen: CheckResult | None) -> set[str]:
        if seen is None:
            return set()
        if asked.criterion.check.kind not in TEST_KINDS:
            ended = seen.ran
            return {""} if isinstance(ended, Exited) and seen.verdict is Verdict.PASSED else set()
        named = {
            case.id
            for case in seen.cases
            if case.outcome is Outcome.PASSED and self._index.find(case.id)
        }
        return named | ({""} if seen.verdict is Verdict.PASSED else set())
