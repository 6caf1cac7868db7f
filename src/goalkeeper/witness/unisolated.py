"""Isolation `none`: checks run in the worker's own tree. Their results open no gate."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory

from goalkeeper.app.trials import Files
from goalkeeper.core.contract.document import Criterion
from goalkeeper.system import run
from goalkeeper.system.run import ProgramLimits
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import (
    OUTPUT_BYTES,
    CheckResult,
    ProgramCall,
    ProgramRun,
    WorkFacts,
    make_unknown,
)
from goalkeeper.witness.checks import run_check
from goalkeeper.witness.scheduler import CheckJob


class UnisolatedScheduler(Value):
    """Runs one check after another in the working tree, and is the context of each."""

    worktree: str
    tree: str  # of the working tree at the last snapshot
    criteria: Mapping[str, Criterion]
    environ: Mapping[str, str]
    limits: ProgramLimits
    files: Files
    work: WorkFacts

    def run_jobs(self, jobs: Sequence[CheckJob]) -> dict[CheckJob, CheckResult]:
        return {job: self._run_check(job) for job in jobs}

    def _run_check(self, job: CheckJob) -> CheckResult:
        criterion = self.criteria[job.id]
        if job.tree != self.tree:
            return make_unknown("isolation none looks at the working tree only")
        if criterion.held_out:
            return make_unknown("held-out checks need a checkout of their own")
        return run_check(criterion.check, self)

    def run_program(self, call: ProgramCall) -> ProgramRun:
        reports = [os.path.join(self.worktree, path) for path in call.outputs]
        before = [_read_mtime(path) for path in reports]
        with TemporaryDirectory() as folder:
            ran = run.run(
                call.argv,
                cwd=os.path.join(self.worktree, call.cwd),
                env={**self.environ, **call.build_variables(folder)},
                limits=call.choose_limits(self.limits),
                keep_bytes=call.keep_bytes,
            )
        found = tuple(  # an old report is not of this run
            b"" if _read_mtime(path) == then else _take_report(path)
            for path, then in zip(reports, before, strict=True)
        )
        return ProgramRun(call.argv, ran, found, self.worktree)


def _read_mtime(path: str) -> int:
    return os.stat(path).st_mtime_ns if os.path.isfile(path) else 0


def _take_report(path: str) -> bytes:
    """Return a report that the check wrote. It is removed, so that the tree stays as it was."""
    data = read_plain_file(path, OUTPUT_BYTES)
    if data and os.path.basename(path).startswith(".goalkeeper-"):
        os.unlink(path)
    return data
