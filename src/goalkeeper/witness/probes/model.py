"""What a probe is asked, what it answers, and how probes are carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.reads import Reads
from goalkeeper.system.run import Exited
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import CheckResult
from goalkeeper.witness.scheduler import CheckJob

JobResults: TypeAlias = Mapping[CheckJob, CheckResult]


class ProbedCheck(Value):
    """A check that passed, and what is known of it."""

    criterion: Criterion
    seen: CheckResult
    tree: str  # it passed on this tree: the candidate's code with the tests that count
    known: frozenset[str]  # the tests that pass on the base, too
    before: frozenset[str]  # what was reported on the base, as passed or not

    @property
    def reads(self) -> Reads | None:
        return self.seen.reads

    def count_runs(self, *, most: int, seconds: float) -> int:
        """Return how often the check may run again in so many seconds; once at least."""
        ran = self.seen.ran
        taken = ran.seconds if isinstance(ran, Exited) else seconds
        return max(1, min(most, int(seconds / max(taken, 0.1))))


class ProbeReport(Value):
    """What one probe saw of one check, and what it could not see."""

    probe: str
    criterion: str
    saw: str
    unseen: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def describe(self) -> dict[str, object]:
        """Return what evidence keeps of it; its findings are kept with the judgement."""
        return {"probe": self.probe, "saw": self.saw, "unseen": self.unseen}


class CheckProbe(Protocol):
    """One way to doubt a check that passed.

    The controls of an accusation run only where there is one: if a control behaves in the same
    way, the probe does not fit the test, and nothing is held against the work.
    """

    @property
    def name(self) -> str: ...
    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]: ...
    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]: ...
    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        """Return what the runs show; None if the probe has nothing to say of such a check."""


def carry_out_probes(
    probes: Sequence[CheckProbe],
    asked: Sequence[ProbedCheck],
    run_jobs: Callable[[Sequence[CheckJob]], JobResults],
) -> tuple[ProbeReport, ...]:
    """Run what all probes want at once, then the controls that they want."""
    pairs = [(probe, check) for probe in probes for check in asked]
    first = dict.fromkeys(job for probe, check in pairs for job in probe.list_jobs(check))
    results = dict(run_jobs([*first]) if first else {})
    more = dict.fromkeys(
        job for probe, check in pairs for job in probe.list_controls(check, results)
    )
    results |= run_jobs([job for job in more if job not in results])
    reports = (probe.conclude(check, results) for probe, check in pairs)
    return tuple(report for report in reports if report)
