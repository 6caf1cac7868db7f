"""A proof checks every criterion of a contract on the exact trees that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from goalkeeper.app.trials import SettledAnswer, Trial
from goalkeeper.core.contract.check_kinds import PROCESS_KINDS, TEST_KINDS
from goalkeeper.core.contract.criteria import ANSWERED_KINDS, Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.judgement import ISOLATIONS, Judged
from goalkeeper.core.contract.protected import is_test
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.core.contract.wants import ProgramEnd, TreeText, Want, find_want
from goalkeeper.system.redaction import Redactor
from goalkeeper.system.run import Exited, LimitHit
from goalkeeper.tamper.identity import find_moved, follow_renames
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value
from goalkeeper.witness import luck, verdict_merge
from goalkeeper.witness.audit import Reading
from goalkeeper.witness.cache import Passes
from goalkeeper.witness.check_context import CheckResult, WorkFacts, make_passed
from goalkeeper.witness.checks import run_check
from goalkeeper.witness.coming_tests import (
    SuiteRuns,
    find_coming_tests,
    gather_changed_tests,
    read_outcomes,
    weigh_findings,
)
from goalkeeper.witness.evidence import EvidenceStore, describe_run, make_valid_text
from goalkeeper.witness.known_tests import clean_result
from goalkeeper.witness.own_files import OwnFiles
from goalkeeper.witness.probes.model import ProbedCheck, ProbeReport, carry_out_probes
from goalkeeper.witness.scheduler import CheckJob
from goalkeeper.witness.seen_tests import excuse_seen_tests
from goalkeeper.witness.test_sources import TestSources
from goalkeeper.witness.variants import TreeVariants
from goalkeeper.witness.verdict_merge import TreeResults
from goalkeeper.witness.workspace import WorkspaceContext

TESTS_ON_BASE = "candidate's tests on base's code"
_SILENT = Judged("", Verdict.UNKNOWN, "held-out: no more reports to agents; a human may judge")


class JobRunner(Protocol):
    def run_jobs(self, jobs: Sequence[CheckJob]) -> dict[CheckJob, CheckResult]: ...


class Prover(Value):
    """One proof: it chooses which checks run on which trees, and judges their results."""

    trial: Trial
    variants: TreeVariants
    work: WorkFacts
    scheduler: JobRunner
    evidence: EvidenceStore
    held_out: EvidenceStore  # this evidence is not shown to workers
    redactor: Redactor
    isolation: str
    conditions: tuple[str, ...]
    known: Mapping[str, tuple[TestCase, ...]]  # the tests of the base, by criterion
    cache: Passes | None
    own_files: OwnFiles | None = None  # what only the user's checkout has
    is_base: bool = False  # no work was done yet: what fails must fail for the right reason
    is_probed: bool = False  # work that passes is doubted

    @cached_property
    def _results(self) -> dict[CheckJob, CheckResult]:
        return {}

    @cached_property
    def _reports(self) -> list[ProbeReport]:
        return []

    @property
    def _contract(self) -> Contract:
        return self.trial.contract

    def judge_criteria(self) -> tuple[Judged, ...]:
        """Return the verdict of every criterion; the evidence of each is kept."""
        cached = {name: _SILENT.replace(id=name) for name in self.trial.silenced}
        if (cache := self.cache) and not self._takes_tests:  # runs tell what tests may expect
            sure = [c for c in self._contract.criteria if c.id not in self.trial.failed_before]
            cached |= {c.id: told for c in sure if (told := cache.find_pass(c))}
        asked = [c for c in self._contract.criteria if c.id not in cached]
        ran = [c for c in asked if c.check.kind in PROCESS_KINDS]
        self._run_checks(ran)
        self._probe_checks(ran)
        return tuple(cached.get(c.id) or self._judge_criterion(c) for c in self._contract.criteria)

    def _run_checks(self, asked: Sequence[Criterion]) -> None:
        """Run every check on every tree that it needs."""
        for list_jobs in (self._list_first_jobs, self._list_new_test_jobs, self._list_repeat_jobs):
            jobs = dict.fromkeys(job for c in asked for job in list_jobs(c))
            self._results.update(self._run_jobs([j for j in jobs if j not in self._results]))

    def _run_jobs(self, jobs: Sequence[CheckJob]) -> dict[CheckJob, CheckResult]:
        results = self.scheduler.run_jobs(jobs) if jobs else {}
        return {job: clean_result(seen, self.redactor) for job, seen in results.items()}

    def _probe_checks(self, ran: Sequence[Criterion]) -> None:
        """Doubt the checks that passed, if all did: work that fails needs no more doubt.

        What held-out checks say does not matter: workers must not learn it from our doubts.
        """
        is_work = self.variants.candidate != self.variants.base
        if not self.is_probed or self.isolation == ISOLATIONS[0] or not is_work:
            return
        shown = [c for c in ran if not c.held_out]
        seen = (verdict_merge.merge_verdict(c, self._collect_results(c)) for c in shown)
        if any(each.verdict is not Verdict.PASSED for each in seen):
            return
        asked = [self._describe_probed(c) for c in shown]
        if not asked:
            return
        from goalkeeper.witness.probes.table import make_probes  # noqa: PLC0415  slow, seldom asked

        probes = make_probes(self.variants, asked, self.trial.suspected)
        self._reports.extend(carry_out_probes(probes, asked, self._run_jobs))

    def _describe_probed(self, criterion: Criterion) -> ProbedCheck:
        found = self._collect_results(criterion)
        passed = {case.id for case in found.base if case.outcome is Outcome.PASSED}
        if criterion.guard and criterion.check.kind not in TEST_KINDS:
            passed = {""}  # the check as a whole
        known, before = frozenset(passed), frozenset(case.id for case in found.base)
        if self._takes_tests:  # the proof rests on tests that only the candidate has
            seen = found.candidate or found.guarded
            return ProbedCheck(criterion, seen, self.variants.candidate, known, before)
        return ProbedCheck(criterion, found.guarded, self.variants.guarded, known, before)

    def list_findings(self) -> list[Finding]:
        """Return what probes found, and tests that suites no longer run."""
        doubts = {finding: None for report in self._reports for finding in report.findings}
        return [*doubts, *(found for c in self._list_suites() for found in self._find_lost(c))]

    def _list_suites(self) -> list[Criterion]:
        ran = {job.id for job in self._results}
        return [c for c in self._contract.criteria if c.id in ran and self._has_tests(c)]

    @cached_property
    def context(self) -> WorkspaceContext:
        return WorkspaceContext(None, self.variants.files, self.work)

    def _list_first_jobs(self, criterion: Criterion) -> list[CheckJob]:
        variants = self.variants
        trees = [variants.guarded]
        if not criterion.held_out:
            trees.append(variants.candidate)
            if criterion.check.kind in TEST_KINDS and criterion.id not in self.known:
                trees.append(variants.base)
        return [CheckJob(criterion.id, tree) for tree in trees]

    def _has_tests(self, criterion: Criterion) -> bool:
        return criterion.check.kind in TEST_KINDS and not criterion.held_out

    def _list_new_test_jobs(self, criterion: Criterion) -> list[CheckJob]:
        """List jobs that run the worker's new tests on the base's code."""
        if self.variants.tests_on_base == self.variants.base:  # all that passes there is known
            return []
        if not self._has_tests(criterion):
            return []
        asks = self._takes_tests or verdict_merge.find_new_tests(self._collect_results(criterion))
        return [CheckJob(criterion.id, self.variants.tests_on_base)] if asks else []

    @property
    def _takes_tests(self) -> bool:
        """Return whether tests come with the work, by this contract or by one beside it."""
        return self.trial.takes_changed or self._contract.brings_tests

    def _list_repeat_jobs(self, criterion: Criterion) -> list[CheckJob]:
        """List repetitions of a check that passed before and fails now, or the other way round."""
        trial, name = self.trial, criterion.id
        if name not in trial.passed_before and name not in trial.failed_before:
            return []
        verdict = verdict_merge.merge_verdict(criterion, self._collect_results(criterion)).verdict
        decisive = (self.variants.guarded, self.variants.candidate)
        jobs = [job for job in self._list_first_jobs(criterion) if job.tree in decisive]
        turns = luck.count_passes(trial.failed_before.get(name, 0))
        if verdict is Verdict.FAILED:
            jobs = [job for job in jobs if self._results[job].verdict is Verdict.FAILED]
            turns = trial.settings.judge.repeats if name in trial.passed_before else 0
        return [job.replace(turn=turn) for turn in range(1, turns + 1) for job in jobs]

    def _collect_results(self, criterion: Criterion) -> TreeResults:
        variants, name = self.variants, criterion.id
        apart = not criterion.held_out and variants.candidate != variants.guarded
        base = self.known.get(name, ())
        asked = self._results.get(CheckJob(name, variants.base))
        if name not in self.known and asked and not criterion.held_out:
            base = asked.cases
        on_base = None
        if self._has_tests(criterion):
            on_base = self._results.get(CheckJob(name, variants.tests_on_base))
        found = verdict_merge.align_results(
            self._results[CheckJob(name, variants.guarded)],
            self._results[CheckJob(name, variants.candidate)] if apart else None,
            base,
            on_base,
        ).replace(same=variants.candidate == variants.base)
        after = {case.id for case in (found.candidate or found.guarded).cases}
        vanished = [case.id for case in found.base if case.id not in after]
        appeared = sorted(verdict_merge.find_new_tests(found)) if vanished else []
        bodies = self._tests.bodies if vanished else ({}, {})
        renamed = follow_renames(vanished, appeared, *bodies, rows_count=self._takes_tests)
        if criterion.check.kind == "tap" and not apart:
            tests = self.variants.read_kept_tests().values() if vanished else ()
            renamed = {**renamed, **verdict_merge.pair_by_place(found, tests)}
        found = found.replace(renamed=renamed, moved=find_moved(vanished, *bodies))
        if not self._takes_tests:
            left = {*vanished} - renamed.keys() - found.moved.keys()
            groups = {test for test in left if any(now.startswith(f"{test} > ") for now in after)}
            absorbed = groups | self._tests.find_absorbed(left - groups)
            found = found.replace(absorbed=frozenset(absorbed))
        if self._has_tests(criterion) and {c.id for c in base} - {
            c.id for c in found.guarded.cases
        }:
            lost = verdict_merge.find_unreported(found, self._tests.kept)
            found = found.replace(unreported=lost)
        if not self._takes_tests or found.on_base is None:
            return found
        runs = SuiteRuns(
            found.base_outcomes,
            read_outcomes((found.candidate or found.guarded).cases),
            read_outcomes(found.on_base.cases),
            read_outcomes(found.guarded.cases),
        )
        takes = self.trial.takes_changed
        return found.replace(coming=find_coming_tests(runs, self._tests.sides, takes_changed=takes))

    def _judge_criterion(self, criterion: Criterion) -> Judged:
        answer = self._find_answer(criterion)
        if answer:
            seen = make_passed(answer.reason)
        elif criterion.check.kind not in PROCESS_KINDS:
            seen = clean_result(run_check(criterion.check, self.context), self.redactor)
        else:
            seen = verdict_merge.merge_verdict(criterion, self._collect_results(criterion))
            seen = self._doubt_luck(criterion, seen)
            seen = self._doubt_base(criterion, seen)
            seen = self._doubt_failure(seen)
        store = self.held_out if criterion.held_out else self.evidence
        digest = store.put(self._describe_criterion(criterion, seen))
        reason = describe_category(seen) if criterion.held_out else seen.reason
        outside = (seen.outside and seen.verdict is Verdict.UNKNOWN) or None
        limit = (outside and seen.ended and isinstance(seen.ended.ran, LimitHit)) or None
        return Judged(
            criterion.id,
            seen.verdict,
            make_valid_text(reason),
            digest,
            outside=outside,
            limit=limit,
        )

    def _doubt_luck(self, criterion: Criterion, seen: CheckResult) -> CheckResult:
        repeated = [
            (self._results[job.replace(turn=0)], again)
            for job, again in self._results.items()
            if job.id == criterion.id and job.turn
        ]
        if seen.verdict is Verdict.PASSED:
            return luck.doubt_pass(seen, repeated)
        return luck.doubt_failure(seen, (again for _, again in repeated))

    def _doubt_base(self, criterion: Criterion, seen: CheckResult) -> CheckResult:
        """Return a failure of the base as unknown where the checkout lacks something."""
        ran = self._results[CheckJob(criterion.id, self.variants.guarded)]
        if not self.is_base or ran.verdict is Verdict.PASSED or criterion.held_out:
            return seen
        want = None if seen.outside else self._find_want(seen)
        if want:
            seen = seen.replace(verdict=Verdict.UNKNOWN, reason=want.reason, outside=want.outside)
        if self.own_files is None or not (seen.outside or seen.verdict is Verdict.FAILED):
            return seen
        return self.own_files.compare_result(CheckJob(criterion.id, self.variants.guarded), seen)

    def _find_want(self, seen: CheckResult) -> Want | None:
        if seen.ended is None or not isinstance(seen.ended.ran, Exited):
            return None
        ran, files = seen.ended.ran, self.variants.files
        ended = ProgramEnd(ran.code, f"{ran.out.text}\n{ran.err.text}", seen.ended.root)
        contract = self._contract
        tree = TreeText(
            frozenset(files.list_paths()),
            lambda path: (files.read_file(path) or b"").decode(errors="replace"),
            contract.may_change,
            compact(contract.plain),
        )
        return find_want(ended, tree)

    def _doubt_failure(self, seen: CheckResult) -> CheckResult:
        """Return work that failed as unknown where settings were left out that nobody trusts."""
        lacking = self.trial.settings.weakened
        is_work = self.variants.candidate != self.variants.base
        if not lacking or not is_work or seen.verdict is not Verdict.FAILED:
            return seen
        said = f"without {lacking}, which nobody trusts (goalkeeper trust): {seen.reason}"
        return seen.replace(verdict=Verdict.UNKNOWN, reason=said, outside=True)

    def _find_answer(self, criterion: Criterion) -> SettledAnswer | None:
        """Return the answer, for exactly this tree, to a criterion that no program decides."""
        given = self.trial.answers.get(criterion.id)
        is_asked = criterion.check.kind in ANSWERED_KINDS
        return given if given and is_asked and given.tree == self.variants.candidate else None

    def _describe_criterion(self, criterion: Criterion, seen: CheckResult) -> dict[str, Any]:
        runs = [
            self._describe_job(job, run)
            for job, run in self._results.items()
            if job.id == criterion.id
        ]
        return {
            "criterion": criterion.to_plain(),
            "verdict": seen.verdict,
            "reason": seen.reason,
            "tree": self.variants.candidate,
            "base": self.variants.base,
            "runs": runs,
            **({"probes": told} if (told := self._describe_probes(criterion)) else {}),
            **({"answers": answer.document} if (answer := self._find_answer(criterion)) else {}),
        }

    def _describe_probes(self, criterion: Criterion) -> list[dict[str, object]]:
        return [each.describe() for each in self._reports if each.criterion == criterion.id]

    def _describe_job(self, job: CheckJob, seen: CheckResult) -> dict[str, Any]:
        facts: dict[str, object] = {
            "tree": job.tree,
            "side": self._name_side(job.tree),
            "isolation": self.isolation,
            **({"conditions": self.conditions} if self.conditions else {}),
            "verdict": seen.verdict,
            "reason": seen.reason,
            "tests": [[case.id, case.outcome] for case in seen.cases],
        }
        if seen.asked:
            facts["asked"] = seen.asked
        if seen.reads:
            files, folders = sorted(seen.reads.files), sorted(seen.reads.folders)
            facts["reads"] = {"files": files, "folders": folders}
        if seen.ended is None:
            return {"facts": facts}
        ended = seen.ended
        return describe_run(ended.ran, argv=ended.argv, redactor=self.redactor, facts=facts)

    def _name_side(self, tree: str) -> str:
        variants = self.variants
        names = {
            variants.tests_on_base: TESTS_ON_BASE,
            variants.base: "base",
            variants.candidate: "candidate",
            variants.guarded: "candidate with base's tests",
        }
        return names[tree] if variants.candidate != variants.base else "base"

    def _find_lost(self, criterion: Criterion) -> tuple[Finding, ...]:
        homes = {
            title: path for path, _, title in (key.partition("::") for key in self._tests.bodies[0])
        }
        found = self._collect_results(criterion)
        return verdict_merge.find_lost_tests(criterion, found, self._contract.may_change, homes)

    @cached_property
    def _tests(self) -> TestSources:
        return TestSources(self.variants)

    def weigh_findings(self, read: Sequence[Finding], decided: Reading) -> tuple[Finding, ...]:
        """Return what reading found, with regard to tests that were seen, and that come with it."""
        own = [seen for job, seen in self._results.items() if job.tree == self.variants.candidate]
        found = excuse_seen_tests(read, own, self.known)
        if not self.trial.takes_changed:
            return found
        coming = [self._collect_results(c).coming for c in self._list_suites()]
        files = {c.path: c.new for c in self.variants.changes if c.new and is_test(c.path)}
        return weigh_findings(
            found, gather_changed_tests(coming, self._tests.sides, files), decided
        )


def describe_category(seen: CheckResult) -> str:
    """Return all that workers may know of a held-out check: how it failed, not at what."""
    if seen.verdict is Verdict.PASSED:
        return "held-out: met"
    outcomes = {case.outcome for case in seen.cases}
    if seen.verdict is Verdict.UNKNOWN:
        return "held-out: could not be run"
    if outcomes and outcomes <= {Outcome.PASSED, Outcome.ERROR}:
        return "held-out: it breaks down"
    return "held-out: a wrong result"
