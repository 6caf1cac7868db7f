"""Running many checks on several trees: each worker has a workspace and takes the next check."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from goalkeeper.app.trials import Files
from goalkeeper.core.contract.document import Criterion
from goalkeeper.git.trees import Trees
from goalkeeper.system.reaper import end_runs, end_strays
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import Seen, Work, unknown
from goalkeeper.witness.checks.table import carried_out
from goalkeeper.witness.pool import Pool
from goalkeeper.witness.workspace import Room, Spot, Terms

_MANY = 4  # with more checks for each core one more workspace saves time


class Job(Value):
    """One check to run on one tree; `turn` counts repetitions."""

    id: str
    tree: str
    turn: int = 0


class Hall(Value):
    trees: Trees
    criteria: Mapping[str, Criterion]
    terms: Callable[[str], Terms]  # of a tree
    files: Callable[[str], Files]
    work: Work
    protected: frozenset[str]
    fresh: bool

    def run(self, jobs: Sequence[Job]) -> dict[Job, Seen]:
        """Return the result of every check; as many run at once as there are cores.

        With many checks there is one more workspace, so that no core waits while one is cleaned.
        """
        usable = getattr(os, "sched_getaffinity", None)  # not on every system
        cores = len(usable(0)) if usable else os.cpu_count() or 1
        workers = min(cores + (len(jobs) > _MANY * cores), len(jobs))
        shift = _Shift(jobs)
        end_strays()  # processes that a filter of git started must not run beside checks
        try:
            with ThreadPoolExecutor(max(workers, 1)) as threads:
                self._work_through(shift, workers, threads)
        finally:
            end_strays()
        return shift.seen

    def _work_through(self, shift: _Shift, workers: int, threads: ThreadPoolExecutor) -> None:
        try:
            for done in [threads.submit(self._serve, shift) for _ in range(workers)]:
                done.result()
        except BaseException:  # also Ctrl-C: running checks are ended, waiting ones do not start
            shift.close()
            end_runs()
            raise

    def _serve(self, shift: _Shift) -> None:
        """Take a job, and use one workspace as long as there are more for its tree."""
        while job := shift.take():
            tree, terms = job.tree, self.terms(job.tree)
            with Pool(self.trees).lease(tree, fresh=self.fresh, kept=terms.setup.kept) as slot:
                room = Room(self.trees, slot, tree, terms)
                room.set_up()
                shift.seen[job] = self._check(job, room)
                while job := shift.take(tree):
                    room.tidy()
                    shift.seen[job] = self._check(job, room)

    def _check(self, job: Job, room: Room) -> Seen:
        criterion = self.criteria[job.id]
        try:
            problem = room.problem or room.show(criterion.held_out)
            spot = Spot(room, self.files(job.tree), self.work)
            check = criterion.check
            saw = unknown(problem) if problem else carried_out(check, spot)
        finally:
            room.hide()
        meddled = [path for path in room.changed() if path in self.protected]
        said = f"it changed protected files while it ran: {', '.join(meddled[:3])}"
        return unknown(said) if meddled else saw


class _Shift:
    """The checks that are still to run, and the results of the others."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.seen: dict[Job, Seen] = {}
        self._lock = threading.Lock()
        self._waiting = list(jobs)

    def take(self, tree: str = "") -> Job | None:
        """Return the next job; with a tree, the next one for it."""
        with self._lock:
            for number, job in enumerate(self._waiting):
                if tree in ("", job.tree):
                    return self._waiting.pop(number)
            return None

    def close(self) -> None:
        with self._lock:
            self._waiting.clear()
