"""Isolation `none`: checks run in the worker's own tree. Their results open no gate."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory

from goalkeeper.app.trials import Files
from goalkeeper.core.contract.document import Criterion
from goalkeeper.system import run
from goalkeeper.system.run import Limits
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import Call, Ended, Seen, Work, unknown
from goalkeeper.witness.checks.table import carried_out
from goalkeeper.witness.scheduler import Job

_OUTPUT_BYTES = 64 << 20


class Outdoors(Value):
    """Runs one check after another in the working tree, without a workspace."""

    worktree: str
    tree: str  # of the working tree at the last snapshot
    criteria: Mapping[str, Criterion]
    environ: Mapping[str, str]
    limits: Limits
    files: Files
    work: Work

    def run(self, jobs: Sequence[Job]) -> dict[Job, Seen]:
        return {job: self._check(job) for job in jobs}

    def _check(self, job: Job) -> Seen:
        criterion = self.criteria[job.id]
        if job.tree != self.tree:
            return unknown("isolation none looks at the working tree only")
        if criterion.held_out:
            return unknown("held-out checks need a checkout of their own")
        return carried_out(criterion.check, _Open(self))


class _Open:
    def __init__(self, around: Outdoors) -> None:
        self._around = around
        self.files = around.files
        self.work = around.work

    def run(self, call: Call) -> Ended:
        around = self._around
        reports = [os.path.join(around.worktree, path) for path in call.outputs]
        before = [_written(path) for path in reports]
        with TemporaryDirectory() as folder:
            ran = run.run(
                call.argv,
                cwd=os.path.join(around.worktree, call.cwd),
                env={**around.environ, **call.variables(folder)},
                limits=call.limits(around.limits),
                keep_bytes=call.keep_bytes,
            )
        found = tuple(
            None if _written(path) == then else _taken(path)  # an old report is not of this run
            for path, then in zip(reports, before, strict=True)
        )
        return Ended(call.argv, ran, found, around.worktree)


def _written(path: str) -> int:
    return os.stat(path).st_mtime_ns if os.path.isfile(path) else 0


def _taken(path: str) -> bytes | None:
    """Return a report that the check wrote. It is removed, so that the tree stays as it was."""
    if not os.path.isfile(path) or os.path.getsize(path) > _OUTPUT_BYTES:
        return None
    with open(path, "rb") as file:
        data = file.read()
    if os.path.basename(path).startswith(".goalkeeper-"):
        os.unlink(path)
    return data
