"""Many checks run on several trees: each worker has a workspace and takes the next check.

With isolation `none` checks run in the worker's own tree, and their results open no gate.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

from goalkeeper.app.trials import Files
from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.held_out import find_python
from goalkeeper.core.contract.named_tests import OWN_REPORTS
from goalkeeper.git.trees import Trees
from goalkeeper.system.reaper import end_runs, end_strays
from goalkeeper.system.run import Exited, ProgramLimits, run
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.system.scratch import make_scratch
from goalkeeper.system.threads import SideThread
from goalkeeper.wire.value import Value
from goalkeeper.witness.across.pair import (
    AcrossContext,
    build_judge_tree,
    list_import_names,
)
from goalkeeper.witness.check_context import (
    OUTPUT_BYTES,
    CheckResult,
    ProgramCall,
    ProgramRun,
    WorkFacts,
    make_result,
    make_unknown,
)
from goalkeeper.witness.checks import run_check
from goalkeeper.witness.pool import CheckoutPool
from goalkeeper.witness.setup import LentSetup
from goalkeeper.witness.setups import borrow_setup
from goalkeeper.witness.terms import CheckTerms
from goalkeeper.witness.tokens import count_cores, hold_judging_token
from goalkeeper.witness.workspace import Workspace, WorkspaceContext

_MANY = 4  # with more checks for each core one more workspace saves time
_LOOK_SECONDS = 0.1
_PRINTED_BYTES = 8 << 20
_BYTECODE = (".pyc", ".pyo")  # Python writes it anew for sources that are newer
_LARGE_TREE = 10_000  # to write so many files takes longer than most checks


class CheckJob(Value):
    """One check to run on one tree; `turn` counts repetitions."""

    id: str
    tree: str
    turn: int = 0
    argv: tuple[str, ...] = ()  # this program runs in the place of the check
    env: tuple[tuple[str, str], ...] = ()  # it has these variables, too
    seconds: float = 30  # it may take so long


class CheckScheduler(Value):
    trees: Trees
    criteria: Mapping[str, Criterion]
    terms: Callable[[str], CheckTerms]  # returns the terms of a tree
    files: Callable[[str], Files]
    work: WorkFacts
    protected: frozenset[str]
    fresh: bool
    lent: LentSetup | None = None  # it is laid into checkouts in place of what set-up makes
    base: str = ""  # the tree whose modules are the product's under any circumstances

    def run_jobs(self, jobs: Sequence[CheckJob]) -> dict[CheckJob, CheckResult]:
        """Return the result of every check; as many run at once as there are cores.

        With many checks there is one more workspace, so that no core waits while one is cleaned.
        """
        cores = count_cores()
        workers = min(cores + (len(jobs) > _MANY * cores), len(jobs))
        shift = _JobQueue(jobs)
        end_strays()  # processes that a filter of git started must not run beside checks
        is_large = any(len(self.trees.list_entries(job.tree)) >= _LARGE_TREE for job in jobs)
        others = self._serve_if_it_pays if is_large else self._serve_queue
        servers = (self._serve_queue, *[others] * (workers - 1))
        with hold_judging_token(CheckoutPool(self.trees).tokens), ExitStack() as borrowed:
            setups = self._borrow_setups(jobs, borrowed)
            threads = [SideThread(partial(serve, shift, setups)) for serve in servers]
            try:
                for thread in threads:
                    thread.wait_for_result()
            except BaseException:  # running checks are ended, and waiting ones do not start
                shift.close_queue()
                for thread in threads:
                    while not thread.is_over():  # a check may be about to start another program
                        end_runs()
                        thread.join(_LOOK_SECONDS)
                raise
            finally:
                for thread in threads:
                    thread.join()
                end_strays()
        return shift.seen

    def _borrow_setups(self, jobs: Sequence[CheckJob], borrowed: ExitStack) -> dict[str, LentSetup]:
        """Borrow every set-up that the trees need, once, before any check runs."""
        setups: dict[str, LentSetup] = {}
        for terms in (self.terms(tree) for tree in dict.fromkeys(job.tree for job in jobs)):
            if self.lent:
                setups[terms.setup.key] = self.lent
            elif terms.setup.key not in setups:
                lent = borrow_setup(self.trees, terms)
                setups[terms.setup.key] = borrowed.enter_context(lent)
        return setups

    def _serve_if_it_pays(self, shift: _JobQueue, setups: Mapping[str, LentSetup]) -> None:
        """Open another workspace only if the checks go on for as long as that takes."""
        began = time.monotonic()
        shift.is_served.wait()
        if not shift.is_empty.wait(time.monotonic() - began):
            self._serve_queue(shift, setups)

    def _serve_queue(self, shift: _JobQueue, setups: Mapping[str, LentSetup]) -> None:
        """Take a job, and use one workspace as long as there are more for its tree."""
        while job := shift.take_job():
            tree, terms = job.tree, self.terms(job.tree)
            with (
                CheckoutPool(self.trees).lease_slot(
                    tree, fresh=self.fresh, kept=terms.list_kept
                ) as slot,
                Workspace(self.trees, slot, tree, terms, setups[terms.setup.key]) as room,
            ):
                room.set_up()
                shift.is_served.set()
                shift.seen[job] = self._run_check(job, room)
                while job := shift.take_job(tree):
                    room.clean_up()
                    shift.seen[job] = self._run_check(job, room)

    def _run_check(self, job: CheckJob, room: Workspace) -> CheckResult:
        criterion = self.criteria[job.id]
        room.fill_home()
        room.begin_watch()
        is_across = not job.argv and criterion.held_out and find_python(criterion.check)
        saw = (self._ask_across if is_across else self._ask_inside)(job, room)
        saw = saw.replace(reads=room.list_reads())
        meddled = [
            path
            for path in room.list_changed()
            if path in self.protected and not path.endswith(_BYTECODE)
        ]
        said = f"it changed protected files while it ran: {', '.join(meddled[:3])}"
        return make_unknown(said) if meddled else saw

    def _ask_inside(self, job: CheckJob, room: Workspace) -> CheckResult:
        """Run a check where the product is."""
        criterion = self.criteria[job.id]
        try:
            problem = room.problem or room.show_held_out(criterion)
            spot = WorkspaceContext(room, self.files(job.tree), self.work)
            if problem or not job.argv:
                return make_unknown(problem) if problem else run_check(criterion.check, spot)
            return run_other_program(job, criterion.check, spot)
        finally:
            room.hide_held_out()

    def _ask_across(self, job: CheckJob, room: Workspace) -> CheckResult:
        """Run held-out tests in a checkout of their own, without the product's code."""
        criterion, entries = self.criteria[job.id], self.trees.list_entries(job.tree)
        base = self.trees.list_entries(self.base) if self.base else {}
        tree = build_judge_tree(self.trees, job.tree, self.protected)
        with (
            CheckoutPool(self.trees).lease_slot(tree, fresh=self.fresh) as slot,
            Workspace(self.trees, slot, tree, self.terms(job.tree), room.lent) as tests,
        ):
            tests.set_up_beside(room)
            problem = tests.problem or tests.show_held_out(criterion)
            if problem:
                return make_unknown(problem)
            pair = AcrossContext(
                tests,
                room,
                self.files(job.tree),
                self.work,
                find_python(criterion.check),
                list_import_names(entries, self.protected),
                list_import_names(base, self.protected, regular=True),
            )
            return pair.conclude(run_check(criterion.check, pair))


def run_other_program(job: CheckJob, check: Check, spot: WorkspaceContext) -> CheckResult:
    """Run a program of ours where a check would run; all that it prints is kept."""
    env = {**dict(check.options.get("env") or {}), **dict(job.env)}
    options = {"env": env, "cwd": check.options.get("cwd", ""), "timeout": job.seconds}
    ended = spot.run_program(ProgramCall(job.argv, options, keep_bytes=_PRINTED_BYTES))
    return make_result("" if isinstance(ended.ran, Exited) else "it did not end", "it ended", ended)


class _JobQueue:
    """The checks that are still to run, and the results of the others."""

    def __init__(self, jobs: Sequence[CheckJob]) -> None:
        self.seen: dict[CheckJob, CheckResult] = {}
        self.is_served = threading.Event()  # a workspace was prepared, or none ever will be
        self.is_empty = threading.Event()
        self._lock = threading.Lock()
        self._waiting = list(jobs)

    def take_job(self, tree: str = "") -> CheckJob | None:
        """Return the next job; with a tree, the next one for it."""
        with self._lock:
            for number, job in enumerate(self._waiting):
                if tree in ("", job.tree):
                    if len(self._waiting) == 1:
                        self.is_empty.set()
                    return self._waiting.pop(number)
            return None

    def close_queue(self) -> None:
        with self._lock:
            self._waiting.clear()
        self.is_empty.set()
        self.is_served.set()


class UnisolatedScheduler(Value):
    """Runs one check after another in the working tree, and is the context of each."""

    worktree: str
    tree: str  # the working tree at the last snapshot
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
        with make_scratch("check") as folder:
            argv, reports = call.list_words(folder), call.place_outputs(self.worktree, folder)
            before = [_read_mtime(path) for path in reports]
            ran = run(
                argv,
                cwd=os.path.join(self.worktree, call.cwd),
                env={**self.environ, **call.build_variables()},
                limits=call.choose_limits(self.limits),
                keep_bytes=call.keep_bytes,
            )
            found = tuple(  # an old report is not of this run
                b"" if _read_mtime(path) == then else _take_report(path)
                for path, then in zip(reports, before, strict=True)
            )
        return ProgramRun(argv, ran, found, self.worktree)


def _read_mtime(path: str) -> int:
    return os.stat(path).st_mtime_ns if os.path.isfile(path) else 0


def _take_report(path: str) -> bytes:
    """Return a report that the check wrote. It is removed, so that the tree stays as it was."""
    data = read_plain_file(path, OUTPUT_BYTES)
    if os.path.isfile(path) and os.path.basename(path) in OWN_REPORTS:
        os.unlink(path)
    return data
