"""The proof: every criterion of a contract is checked on the exact trees that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, Protocol

from goalkeeper.app.trials import SettledAnswer, Trial
from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.check_kinds import ANSWERED_KINDS, PROCESS_KINDS, TEST_KINDS
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.contract.protected import is_test
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.git.tree_files import TreeFiles
from goalkeeper.git.trees import Trees
from goalkeeper.tamper.identity import follow_renames, read_suite
from goalkeeper.wire.value import Value
from goalkeeper.witness import audit, verdict_merge
from goalkeeper.witness.cache import Cache
from goalkeeper.witness.check_context import Seen, Work, passed
from goalkeeper.witness.checks.table import carried_out
from goalkeeper.witness.evidence import Store, record, sound
from goalkeeper.witness.redaction import Redactor
from goalkeeper.witness.scheduler import Job
from goalkeeper.witness.variants import Variants
from goalkeeper.witness.verdict_merge import Sides
from goalkeeper.witness.workspace import Spot

_SILENT = Judged("", Verdict.UNKNOWN, "held-out: no more reports to agents; a human may judge")


class Proof(Value):
    """Verdicts and findings for one candidate, and the evidence of each verdict."""

    criteria: tuple[Judged, ...]
    findings: tuple[Finding, ...]


class Halls(Protocol):
    def run(self, jobs: Sequence[Job]) -> dict[Job, Seen]: ...


class Means(Value):
    """What a proof needs besides the trial."""

    trees: Trees
    hall: Halls
    evidence: Store
    held_out: Store  # evidence that is not shown to workers
    redactor: Redactor
    isolation: str
    repeats: int  # of what passed before and fails now
    cache: Cache | None  # none when a base is examined


class Prover:
    """One proof: it chooses which checks run on which trees, and judges their results."""

    def __init__(
        self,
        means: Means,
        trial: Trial,
        variants: Variants,
        work: Work,
        known: Mapping[str, tuple[TestCase, ...]],
    ) -> None:
        self._means = means
        self._trial = trial
        self._contract = trial.contract
        self._variants = variants
        self._work = work
        self._known = known
        self._seen: dict[Job, Seen] = {}

    def prove(self) -> Proof:
        cached = {name: _SILENT.replace(id=name) for name in self._trial.silenced}
        if cache := self._means.cache:
            cached |= {c.id: told for c in self._contract.criteria if (told := cache.answer(c))}
        asked = [c for c in self._contract.criteria if c.id not in cached]
        found = self._looked_at(asked) if asked else self._audit()
        criteria = tuple(cached.get(c.id) or self._judged(c) for c in self._contract.criteria)
        return Proof(criteria, found)

    def _looked_at(self, asked: Sequence[Criterion]) -> tuple[Finding, ...]:
        """Run every check on every tree that it needs, and read the change at the same time."""
        programs = [c for c in asked if c.check.kind in PROCESS_KINDS]
        with ThreadPoolExecutor(1) as reader:
            reading = reader.submit(self._audit)
            for jobs_of in (self._first, self._second, self._again):
                self._run([job for c in programs for job in jobs_of(c)])
            lost = [f for c in programs if self._has_tests(c) for f in self._lost(c)]
            return (*reading.result(), *lost)

    def _audit(self) -> tuple[Finding, ...]:
        cache = self._means.cache
        known = cache.findings if cache else audit.read_anew
        protected = self._variants.protected(self._variants.differing)
        return audit.audit(self._contract, self._spot, self._changes, protected, known)

    @cached_property
    def _changes(self) -> tuple[FileChange, ...]:
        return self._means.trees.changes(self._variants.base, self._variants.candidate)

    @cached_property
    def _spot(self) -> Spot:
        files = TreeFiles(self._means.trees, self._variants.candidate_entries)
        return Spot(None, files, self._work)

    def _run(self, jobs: Sequence[Job]) -> None:
        new = [job for job in dict.fromkeys(jobs) if job not in self._seen]
        self._seen |= self._means.hall.run(new) if new else {}

    def _first(self, criterion: Criterion) -> list[Job]:
        variants = self._variants
        trees = [variants.guarded]
        if not criterion.held_out:
            trees.append(variants.candidate)
            if criterion.check.kind in TEST_KINDS and criterion.id not in self._known:
                trees.append(variants.base)
        return [Job(criterion.id, tree) for tree in trees]

    def _has_tests(self, criterion: Criterion) -> bool:
        return criterion.check.kind in TEST_KINDS and not criterion.held_out

    def _second(self, criterion: Criterion) -> list[Job]:
        """The worker's new tests run on the base's code."""
        if self._has_tests(criterion) and verdict_merge.unseen(self._sides(criterion)):
            return [Job(criterion.id, self._variants.tests_on_base)]
        return []

    def _again(self, criterion: Criterion) -> list[Job]:
        """A check that passed before and fails now runs again: it may be flaky."""
        if criterion.id not in self._trial.passed_before:
            return []
        verdict = verdict_merge.judge(criterion, self._sides(criterion)).verdict
        turns = range(1, self._means.repeats + 1) if verdict is Verdict.FAILED else ()
        return [
            job.replace(turn=turn)
            for turn in turns
            for job in self._first(criterion)
            if self._seen[job].verdict is Verdict.FAILED
        ]

    def _sides(self, criterion: Criterion) -> Sides:
        variants, name = self._variants, criterion.id
        apart = not criterion.held_out and variants.candidate != variants.guarded
        base = self._known.get(name, ())
        asked = self._seen.get(Job(name, variants.base))
        if name not in self._known and asked and not criterion.held_out:
            base = asked.cases
        on_base = None
        if self._has_tests(criterion):
            on_base = self._seen.get(Job(name, variants.tests_on_base))
        found = Sides(
            self._seen[Job(name, variants.guarded)],
            self._seen[Job(name, variants.candidate)] if apart else None,
            base,
            on_base,
            same=variants.candidate == variants.base,
        )
        after = {case.id for case in (found.candidate or found.guarded).cases}
        vanished = [case.id for case in found.base if case.id not in after]
        appeared = sorted(verdict_merge.unseen(found)) if vanished else []
        renamed = follow_renames(vanished, appeared, *self._bodies) if appeared else {}
        return found.replace(renamed=renamed)

    def _judged(self, criterion: Criterion) -> Judged:
        answer = self._answer(criterion)
        if answer:
            seen = passed(answer.reason)
        elif criterion.check.kind not in PROCESS_KINDS:
            seen = carried_out(criterion.check, self._spot)
        else:
            seen = verdict_merge.judge(criterion, self._sides(criterion))
            repeated = [s for job, s in self._seen.items() if job.id == criterion.id and job.turn]
            if any(again.verdict is Verdict.PASSED for again in repeated):
                said = f"flaky: it failed, then passed on the same tree ({seen.reason})"
                seen = seen.replace(verdict=Verdict.UNKNOWN, reason=said)
        store = self._means.held_out if criterion.held_out else self._means.evidence
        digest = store.put(self._document(criterion, seen))
        reason = category(seen) if criterion.held_out else self._means.redactor.clean(seen.reason)
        return Judged(criterion.id, seen.verdict, sound(reason), digest)

    def _answer(self, criterion: Criterion) -> SettledAnswer | None:
        """Return the answer, for exactly this tree, to a criterion that no program decides."""
        given = self._trial.answers.get(criterion.id)
        is_asked = criterion.check.kind in ANSWERED_KINDS
        return given if given and is_asked and given.tree == self._variants.candidate else None

    def _document(self, criterion: Criterion, seen: Seen) -> dict[str, Any]:
        runs = [
            self._recorded(job, run) for job, run in self._seen.items() if job.id == criterion.id
        ]
        return {
            "criterion": criterion.plain(),
            "verdict": seen.verdict,
            "reason": self._means.redactor.clean(seen.reason),
            "tree": self._variants.candidate,
            "base": self._variants.base,
            "runs": runs,
            **({"answers": answer.document} if (answer := self._answer(criterion)) else {}),
        }

    def _recorded(self, job: Job, seen: Seen) -> dict[str, Any]:
        facts = {
            "tree": job.tree,
            "side": self._side(job.tree),
            "isolation": self._means.isolation,
            "verdict": seen.verdict,
            "reason": self._means.redactor.clean(seen.reason),
            "tests": [[case.id, case.outcome] for case in seen.cases],
        }
        if seen.ended is None:
            return {"facts": facts}
        ended = seen.ended
        return record(ended.ran, argv=ended.argv, redactor=self._means.redactor, facts=facts)

    def _side(self, tree: str) -> str:
        variants = self._variants
        names = {
            variants.tests_on_base: "candidate's tests on base's code",
            variants.base: "base",
            variants.candidate: "candidate",
            variants.guarded: "candidate with base's tests",
        }
        return names[tree] if variants.candidate != variants.base else "base"

    def _lost(self, criterion: Criterion) -> tuple[Finding, ...]:
        homes = {title: path for path, _, title in (key.partition("::") for key in self._bodies[0])}
        found = self._sides(criterion)
        return verdict_merge.lost_tests(criterion, found, self._contract.may_change, homes)

    @cached_property
    def _bodies(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """The bodies of tests in files that changed, of base and candidate."""
        old = {c.old_path: c.old for c in self._changes if is_test(c.old_path) and c.old}
        new = {c.path: c.new for c in self._changes if is_test(c.path) and c.new}
        return read_suite(old), read_suite(new)


def category(seen: Seen) -> str:
    """Return all that workers may know of a held-out check: how it failed, not at what."""
    if seen.verdict is Verdict.PASSED:
        return "held-out: met"
    outcomes = {case.outcome for case in seen.cases}
    if seen.verdict is Verdict.UNKNOWN:
        return "held-out: could not be run"
    if outcomes and outcomes <= {Outcome.PASSED, Outcome.ERROR}:
        return "held-out: it breaks down"
    return "held-out: a wrong result"


def cases_of(document: Mapping[str, Any]) -> tuple[TestCase, ...]:
    """Return the tests that an evidence document lists for its first run."""
    runs = document.get("runs") or [{"facts": {}}]
    tests = runs[0]["facts"].get("tests", [])
    return tuple(TestCase(name, Outcome(outcome)) for name, outcome in tests)
