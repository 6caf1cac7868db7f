"""Many checks on several trees: each worker keeps a room and takes the next check for it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence

from goalkeeper.app.trials import Files
from goalkeeper.core.contract.document import Criterion
from goalkeeper.git.trees import Trees
from goalkeeper.system.reaper import end_runs, end_strays
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import Seen, Work, unknown
from goalkeeper.witness.checks import carried_out
from goalkeeper.witness.pool import Pool
from goalkeeper.witness.workspace import Room, Spot, Terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_MANY = 4  # checks per core, from which a room more pays


class Job(Value):
    """One check to run on one tree; `turn` tells repetitions apart."""

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
        """What every check saw; each in a clean room, as many at once as there are cores.

        With many checks there is a room more, so that no core waits while one is tidied.
        """
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  not for cached answers

        cores = _cores()
        workers = min(cores + (len(jobs) > _MANY * cores), len(jobs))
        shift = _Shift(jobs)
        end_strays()  # nobody whom a filter of git's started is there while checks run
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
        except BaseException:  # also Ctrl-C: what runs is ended, what waits is not begun
            shift.close()
            end_runs()
            raise

    def _serve(self, shift: _Shift) -> None:
        while tree := shift.next_tree():
            self._stay(tree, shift)

    def _stay(self, tree: str, shift: _Shift) -> None:
        """In one room, as long as there are checks for its tree."""
        job = shift.take(tree)
        if job is None:
            return
        terms = self.terms(tree)
        with Pool(self.trees).lease(tree, fresh=self.fresh, kept=terms.setup.kept) as slot:
            room = Room(self.trees, slot, tree, terms)
            room.set_up()
            while job is not None:
                shift.seen[job] = self._check(job, room)
                job = shift.take(tree)
                if job is not None:
                    room.tidy()

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


def _cores() -> int:
    """Those we may use, where the system tells."""
    asked = getattr(os, "sched_getaffinity", None)
    return len(asked(0)) if asked else os.cpu_count() or 1


class _Shift:
    """The checks still to be run, and what was seen of the others."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.seen: dict[Job, Seen] = {}
        self._lock = threading.Lock()
        self._waiting = list(jobs)

    def next_tree(self) -> str:
        with self._lock:
            return self._waiting[0].tree if self._waiting else ""

    def take(self, tree: str) -> Job | None:
        with self._lock:
            for number, job in enumerate(self._waiting):
                if job.tree == tree:
                    return self._waiting.pop(number)
            return None

    def close(self) -> None:
        with self._lock:
            self._waiting.clear()
