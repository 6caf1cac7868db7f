"""Spoilt files one by one: of a check that only ends well or not, each file of tests must decide.

Where all expectations change at once, one file that fails hides another that cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.tamper.source import is_other_code, is_shell
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.wire.value import Value
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.probes.spoilt import RULE, SpoiltTests
from goalkeeper.witness.scheduler import CheckJob

_MOST_FILES = 6
_MOST_SECONDS = 20.0
_BROKEN = b"exit 1\n"  # a script, run or sourced, that cannot end well


class SpoiltAlone(Value):
    """The probe. It has its files from the one that spoils them all."""

    spoilt: SpoiltTests
    name: str = "spoilt tests, file by file"

    @cached_property
    def _files(self) -> dict[str, bytes]:
        """Return files that must end badly as a whole, with other expectations."""
        suite = self.spoilt.suite
        whole = {key.removesuffix("::") for key in suite.spoilt if key.endswith("::")}
        found = {path: suite.files[path] for path in sorted(whole) if path in suite.files}
        return {p: data for p, data in found.items() if is_other_code(p) or self._is_script(p)}

    def _is_script(self, path: str) -> bool:
        return is_shell(Source(path, text_of(self.spoilt.suite.files[path])))

    def _choose_files(self, asked: ProbedCheck) -> list[str]:
        """Return the files of a check that are tried; of many only some, which nobody knows."""
        if self.spoilt.list_claimed(asked) != {""} or asked.reads is None:
            return []
        opened = [path for path in self._files if path in asked.reads.files]
        count = asked.count_runs(most=_MOST_FILES, seconds=_MOST_SECONDS)
        chooser = Chooser(self.spoilt.seed, asked.criterion.id)
        drawn = sorted(opened, key=lambda path: chooser.draw(1 << 30, path))
        return sorted(drawn[:count]) if len(opened) > 1 else []

    @cached_property
    def _trees(self) -> dict[tuple[str, str, bytes], str]:
        return {}

    def _make_job(self, asked: ProbedCheck, tree: str, path: str, data: bytes) -> CheckJob:
        """Make a job; the tree is put together once, however often its result is looked at."""
        key = tree, path, data
        if key not in self._trees:
            self._trees[key] = self.spoilt.lay_files(tree, {path: data})
        return CheckJob(asked.criterion.id, self._trees[key])

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        tree = self.spoilt.tree
        chosen = self._choose_files(asked)
        return [self._make_job(asked, tree, path, self._files[path]) for path in chosen]

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        """Ask whether a file counts at all, and whether the base passes with it, too."""
        return [
            job for path in self._list_passed(asked, results) for job in self._doubt(asked, path)
        ]

    def _doubt(self, asked: ProbedCheck, path: str) -> list[CheckJob]:
        if is_other_code(path):
            return []
        on_base = self._make_job(asked, self.spoilt.base, path, self._files[path])
        jobs = [self._make_job(asked, self.spoilt.tree, path, _BROKEN)]
        return [*jobs, on_base] if asked.known else jobs

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        chosen = self._choose_files(asked)
        if not chosen:
            return None
        passed = self._list_passed(asked, results)
        accused = [
            path
            for path in passed
            if all(_has_failed(results, job) for job in self._doubt(asked, path))
        ]
        saw = f"{len(chosen) - len(passed)} of {len(chosen)} files alone make it fail"
        left = len(passed) - len(accused)
        unseen = (f"{left} files do not decide, whatever they say",) if left else ()
        findings = tuple(_accuse(asked, path) for path in accused)
        return ProbeReport(self.name, asked.criterion.id, saw, unseen, findings)

    def _list_passed(self, asked: ProbedCheck, results: JobResults) -> list[str]:
        """Return the files that did not make it fail; of other languages, if they surely ran.

        Where literals are in the names of tests, these have other names then.
        """
        known = {case.id for case in asked.seen.cases}
        found = []
        for path in self._choose_files(asked):
            job = self._make_job(asked, self.spoilt.tree, path, self._files[path])
            seen = results.get(job)
            if seen is None or seen.verdict is not Verdict.PASSED:
                continue
            if not is_other_code(path) or not {case.id for case in seen.cases} <= known:
                found.append(path)
        return found


def _has_failed(results: JobResults, job: CheckJob) -> bool:
    seen = results.get(job)
    return seen is not None and seen.verdict is Verdict.FAILED


def _accuse(asked: ProbedCheck, path: str) -> Finding:
    said = (
        f"{asked.criterion.id}: ends as if all were well although {path} expects other values now"
    )
    # A language that nobody here reads may have tests that hold for every value.
    level = Level.ASKING if is_other_code(path) else Level.BLOCKING
    return Finding(RULE, level, path, 0, said)
