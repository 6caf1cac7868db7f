"""Spoilt files one by one: of a check that only ends well or not, each file of tests must decide.

Where all expectations change at once, one file that fails hides another that cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.system.run import Exited
from goalkeeper.tamper.source import is_shell
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.wire.value import Value
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.probes.spoilt import RULE, SpoiltTests
from goalkeeper.witness.scheduler import CheckJob

_MOST_FILES = 6
_MOST_SECONDS = 6.0
_BROKEN = b"exit 1\n"  # a script, run or sourced, that cannot end well


class SpoiltAlone(Value):
    """The probe. It has its files from the one that spoils them all."""

    spoilt: SpoiltTests
    name: str = "spoilt tests, file by file"

    @cached_property
    def _files(self) -> dict[str, bytes]:
        """Return scripts that must end badly as a whole, with other expectations."""
        suite = self.spoilt.suite
        whole = {key.removesuffix("::") for key in suite.spoilt if key.endswith("::")}
        found = {path: suite.files[path] for path in sorted(whole) if path in suite.files}
        return {p: data for p, data in found.items() if is_shell(Source(p, text_of(data)))}

    def _choose_files(self, asked: ProbedCheck) -> list[str]:
        """Return the files of a check that are tried; of many only some, which nobody knows."""
        is_named = asked.criterion.check.kind in TEST_KINDS
        if is_named or not self.spoilt.list_claimed(asked) or asked.reads is None:
            return []
        opened = [path for path in self._files if path in asked.reads.files]
        ran = asked.seen.ended.ran if asked.seen.ended else None
        seconds = ran.seconds if isinstance(ran, Exited) else _MOST_SECONDS
        count = max(1, min(_MOST_FILES, int(_MOST_SECONDS / max(seconds, 0.1))))
        chooser = Chooser(self.spoilt.seed, asked.criterion.id)
        drawn = sorted(opened, key=lambda path: chooser.draw(1 << 30, path))
        return sorted(drawn[:count]) if len(opened) > 1 else []

    def _make_job(self, asked: ProbedCheck, tree: str, path: str, data: bytes) -> CheckJob:
        return CheckJob(asked.criterion.id, self.spoilt.lay_files(tree, {path: data}))

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
        jobs = [self._make_job(asked, self.spoilt.tree, path, _BROKEN)]
        if asked.known:
            jobs.append(self._make_job(asked, self.spoilt.base, path, self._files[path]))
        return jobs

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
        tree = self.spoilt.tree
        return [
            path
            for path in self._choose_files(asked)
            if (seen := results.get(self._make_job(asked, tree, path, self._files[path])))
            and seen.verdict is Verdict.PASSED
        ]


def _has_failed(results: JobResults, job: CheckJob) -> bool:
    seen = results.get(job)
    return seen is not None and seen.verdict is Verdict.FAILED


def _accuse(asked: ProbedCheck, path: str) -> Finding:
    said = (
        f"{asked.criterion.id}: ends as if all were well although {path} expects other values now"
    )
    return Finding(RULE, Level.BLOCKING, path, 0, said)
