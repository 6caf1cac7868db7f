"""Isolation `none`: checks in the worker's own tree, as the worker left it. It opens no gate."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from goalkeeper import process
from goalkeeper.core.contract import Criterion
from goalkeeper.process import Limits
from goalkeeper.wire.value import Value
from goalkeeper.witness.checks.table import CHECKS
from goalkeeper.witness.hall import Job
from goalkeeper.witness.place import Ended, Files, Seen, Work, unknown

_OUTPUT_BYTES = 64 << 20


class Outdoors(Value):
    """What a hall is to rooms, without rooms: one place, one check after another."""

    worktree: str
    tree: str  # of the working tree when it was looked at
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
        return CHECKS[criterion.check.kind](criterion.check, _Open(self))


class _Open:
    def __init__(self, around: Outdoors) -> None:
        self._around = around
        self.files = around.files
        self.work = around.work

    def run(
        self,
        argv: Sequence[str],
        *,
        options: Mapping[str, object],
        outputs: Sequence[str] = (),
        keep_bytes: int = 0,
    ) -> Ended:
        around = self._around
        place = os.path.join(around.worktree, str(options.get("cwd") or ""))
        seconds = float(str(options.get("timeout") or around.limits.seconds))
        reports = [os.path.join(around.worktree, path) for path in outputs]
        before = [_written(path) for path in reports]
        ran = process.run(
            argv,
            cwd=place,
            env={**around.environ, **_texts(options.get("env"))},
            limits=around.limits.replace(seconds=seconds),
            keep_bytes=keep_bytes or process.KEEP_BYTES,
        )
        found = tuple(
            None if _written(path) == then else _taken(path)  # an old report is none of this run
            for path, then in zip(reports, before, strict=True)
        )
        return Ended(tuple(argv), ran, found, around.worktree)


def _written(path: str) -> int:
    return os.stat(path).st_mtime_ns if os.path.isfile(path) else 0


def _texts(given: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in given.items()} if isinstance(given, Mapping) else {}


def _taken(path: str) -> bytes | None:
    """A report the check left; taken away again, so that the tree stays as it was."""
    if not os.path.isfile(path) or os.path.getsize(path) > _OUTPUT_BYTES:
        return None
    with open(path, "rb") as file:
        data = file.read()
    if os.path.basename(path).startswith(".goalkeeper-"):
        os.unlink(path)
    return data
