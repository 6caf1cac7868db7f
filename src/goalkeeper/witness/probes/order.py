"""Another order: tests in languages that nobody here reads make the same calls, at other times.

What answers by how often it was asked is right in one order alone. Calls may build on each other,
so this only asks, and not where tests need their order on the base, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.git.laying import lay_files
from goalkeeper.git.trees import Trees
from goalkeeper.tamper.spoiling.other import turn_calls
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import list_some
from goalkeeper.witness.probes.disguise import RULE
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.probes.printed import read_other_tests
from goalkeeper.witness.scheduler import CheckJob


class OtherOrder(Value):
    """The probe."""

    trees: Trees
    base: str
    tree: str
    seed: str
    name: str = "another order of calls"

    @cached_property
    def _jobs(self) -> dict[tuple[str, str], CheckJob]:
        return {}

    def _list_jobs(self, asked: ProbedCheck, tree: str) -> Sequence[CheckJob]:
        """Return the job, made once; none if there are no calls that can change places."""
        key = asked.criterion.id, tree
        if key not in self._jobs:
            files = read_other_tests(self.trees, asked)
            made = {p: turn_calls(text, Chooser(self.seed, p)) for p, text in files.items()}
            if made == files:
                return ()
            self._jobs[key] = CheckJob(key[0], lay_files(self.trees, tree, made))
        return (self._jobs[key],)

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        return self._list_jobs(asked, self.tree)

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        is_doubted = bool(self._list_failed(asked, self.tree, results))
        return self._list_jobs(asked, self.base) if is_doubted else ()

    def _list_failed(self, asked: ProbedCheck, tree: str, results: JobResults) -> set[str]:
        seen = [results[job] for job in self._list_jobs(asked, tree) if job in results]
        return {case.id for each in seen for case in each.cases if case.outcome is Outcome.FAILED}

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        if not self._list_jobs(asked, self.tree):
            return None
        failed = self._list_failed(asked, self.tree, results)
        saw = f"{len(failed)} tests fail when calls come in another order"
        report = ProbeReport(self.name, asked.criterion.id, saw)
        if failed and self._list_failed(asked, self.base, results) & asked.known:
            return report.replace(unseen=("calls build on each other",))
        said = f"{asked.criterion.id}: {list_some(sorted(failed))} pass in one order of calls alone"
        finding = Finding(RULE, Level.ASKING, "", 0, said)
        return report.replace(findings=(finding,) if failed else ())
