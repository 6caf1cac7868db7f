"""EXEC, JUDGE, REPLAN: takes the steps that `core.next_step` asks for, until it asks to stop.

Every step is an event before it has effect, or can be repeated without harm.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from typing import Protocol
from uuid import uuid4

from goalkeeper.app.completing import complete
from goalkeeper.app.contracts import (
    JudgeContext,
    base_for,
    contract_of,
    ensure_frozen,
    find_goal,
)
from goalkeeper.app.handle import CommandResult, handle
from goalkeeper.app.judging import judge
from goalkeeper.app.ports import Clock, Run
from goalkeeper.clients.client import Activity, Asked
from goalkeeper.clients.spawn import Spawned
from goalkeeper.core import next_step
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.fold import changed_terms
from goalkeeper.core.drive.phases import Ending, Phase, Record
from goalkeeper.core.drive.state import Budget, Drive, Reason, Running, Worktree
from goalkeeper.core.entitlement import find_unentitled_changes
from goalkeeper.core.moments import milliseconds_between
from goalkeeper.core.plan import commands, gate, predecessors
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.model import ENGINE, Base, Goal, Plan, Refused
from goalkeeper.errors import OutsideError, UsageError
from goalkeeper.git import worktrees
from goalkeeper.git.worktrees import Site, Yard
from goalkeeper.loop.lanes import Asking, Lanes, sweep
from goalkeeper.loop.memory import Memory
from goalkeeper.loop.phase import Stage, not_started
from goalkeeper.loop.prompting import REVIEW_FILE, Told, prompt
from goalkeeper.system.reaper import end_strays
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value

_SLICE_SECONDS = 1.0


class Means(Value):
    """What a drive works with."""

    run: Run
    stage: Stage
    yard: Yard
    court: Callable[[str], JudgeContext]  # that judges what lies in a worktree
    commit_of: Callable[[Base], str]  # a commit of that tree
    output: Callable[[str], str]  # of a piece of evidence, for those who must mend it
    memory: Memory
    onlooker: Onlooker
    clock: Clock
    trust: str  # in what its agent says as a reviewer


class Onlooker(Protocol):
    """Somebody who looks on."""

    def step(self, plan: Plan, step: next_step.Step) -> None:
        """What is done now."""

    def hear(self, activity: Activity) -> None:
        """What the agent does."""

    def pause(self, seconds: int, until: str, why: str) -> None:
        """What is waited for, told every second."""


class Driver:
    def __init__(self, means: Means) -> None:
        self._means = means

    def begin(self, terms: happened.TermsChanged, given: Container[str]) -> None:
        """A new drive, or another go at one that was cut short: what is given anew counts then."""
        drive = self._means.run.read().drive
        if drive and drive.running and drive.agent != terms.agent:
            raise AgentUnfinished(agent=drive.agent)
        if drive is None or drive.ended:
            self._record(happened.DriveBegan(*terms.as_dict().values()))
            return
        self._record(happened.DriveResumed())
        anew = changed_terms(drive, terms, given)
        if anew:
            self._record(anew)

    def drive(self) -> Plan:
        """Until it ends; an interrupt leaves a drive that can be gone on with."""
        try:
            while not (ended := self._step()):
                pass
            return ended
        finally:
            end_strays()  # also what filters of git's left behind

    def _step(self) -> Plan | None:
        """One step; the plan when it was the last."""
        plan = self._means.run.read()
        drive = _live(plan)
        step = _possible(next_step.next_step(plan, drive, self._means.clock()), drive)
        self._means.onlooker.step(plan, step)
        try:
            return self._take(step, plan, drive)
        except DriveElsewhere:
            raise
        except OutsideError as exc:
            return self._stop(Reason.FAILED, exc.message)

    def _take(self, step: next_step.Step, plan: Plan, drive: Drive) -> Plan | None:
        match step:
            case next_step.Start():
                self._handle(commands.StartNext())
            case next_step.Freeze(goal_id):
                return self._freeze(goal_id)
            case next_step.MakeWorktree(goal_id):
                base = base_for(plan, find_goal(plan, goal_id))
                made = self._means.yard.make(goal_id, self._means.commit_of(base))
                tree = Site(made, self._means.yard.root).tree()
                self._record(happened.WorktreeMade(made, tree))
                self._remember(find_goal(plan, goal_id))
            case next_step.Skip(goal_id, iteration, phase, reason):
                self._record(happened.PhaseSkipped(goal_id, iteration, phase, reason))
            case next_step.Exec():
                self._work(step, plan, drive)
                return self._find_unentitled_changes(plan)
            case next_step.Recover(running):
                self._recover(running, drive)
            case next_step.Judge(goal_id):
                return self._judge(goal_id, drive)
            case next_step.Review():
                return self._review(step, plan, drive)
            case next_step.Complete(goal_id):
                return self._complete(goal_id, drive)
            case next_step.Pause(until, why):
                self._record(happened.DrivePaused(until, why))
            case next_step.Wait(until, why):
                self._wait(until, why)
            case next_step.Stop(reason, detail):
                return self._stop(reason, detail)
        return None

    def _wait(self, until: str, why: str) -> None:
        while left := milliseconds_between(self._means.clock(), until):
            self._means.onlooker.pause(left // 1000, until, why)
            time.sleep(min(left / 1000, _SLICE_SECONDS))

    # Before work

    def _freeze(self, goal_id: str) -> Plan | None:
        court = self._means.court(self._means.yard.root)
        frozen = ensure_frozen(court, goal_id)
        if isinstance(frozen, Refused):
            return self._stop(Reason.NO_CONTRACT, f"{frozen.message} ({frozen.hint})")
        return None

    def _remember(self, goal: Goal) -> None:
        """Say what other runs could not do; the agent is told, too."""
        for text in self._means.memory.blocked_before(contract_of(goal) or Contract()):
            self._means.onlooker.hear(Activity("notes", f"in an earlier run: {text}"))

    # Work

    def _work(self, step: next_step.Exec, plan: Plan, drive: Drive) -> None:
        worktree, goal = _place(drive, step.goal_id), find_goal(plan, step.goal_id)
        self._site(worktree)
        if step.phase is Phase.VERIFY:
            with suppress(OSError):  # of an earlier iteration
                os.unlink(_review(drive, goal.id))
        stage, marker = self._means.stage, uuid4().hex
        running = Running(goal.id, step.iteration, step.phase, step.attempt, marker, drive.tree)
        asked = stage.write(running, self._prompt(step, plan, drive, worktree))
        self._record(happened.PhaseBegan(running, stage.client.name, asked))
        launch = stage.launch(running, _asked(drive, worktree))
        known = worktrees.refs(self._means.yard.root)
        spawned = stage.spawn(running, launch, worktree.path)
        if isinstance(spawned, str):
            self._end(running, worktree, not_started(stage.client.name, spawned))
            return
        argv = digest(list(launch.argv))
        self._record(happened.PhaseSpawned(spawned.pid, spawned.born, argv))
        self._follow(running, spawned, worktree, self._limits(drive))
        self._compare(running, known)

    def _find_unentitled_changes(self, before: Plan) -> Plan | None:
        """What is for us alone to say, and was said while an agent was at work."""
        said = find_unentitled_changes(before, self._means.run.read())
        if not said:
            return None
        told = f"while an agent was at work, and not by goalkeeper: {', '.join(said)}"
        hint = "goalkeeper ledger show tells by whom; if that was you, goalkeeper run goes on"
        return self._stop(Reason.GATE_CLOSED, f"{told} ({hint})")

    def _follow(
        self, running: Running, spawned: Spawned, worktree: Worktree, limits: Budget
    ) -> None:
        try:
            record = self._means.stage.follow(running, spawned, worktree.path, limits)
        except KeyboardInterrupt:
            record = self._means.stage.recover(running, interrupted=True)
            self._end(running, worktree, record)
            raise
        self._end(running, worktree, record)

    def _compare(self, running: Running, known: Mapping[str, str]) -> None:
        """Only told: whether the agent moved them or the user, nobody here can say."""
        moved = worktrees.moved(known, worktrees.refs(self._means.yard.root))
        if moved:
            self._record(happened.RefsMoved(running.goal_id, moved))
            self._means.onlooker.hear(Activity("notes", f"while it worked: {', '.join(moved)}"))

    def _limits(self, drive: Drive) -> Budget:
        """What is left of the drive's time and money is all that a phase may use."""
        budget = drive.budget.replace(microdollars=_left(drive))
        if not budget.seconds:
            return budget
        left = max(1, budget.seconds - drive.used_ms(self._means.clock()) // 1000)
        most = min(budget.phase_seconds, left) if budget.phase_seconds else left
        return budget.replace(phase_seconds=most)

    def _recover(self, running: Running, drive: Drive) -> None:
        if running.is_review:
            record = self._means.stage.recover(running)
            self._record(
                happened.PhaseEnded(
                    running.goal_id, running.iteration, running.phase, running.attempt, record,
                    drive.tree,
                )
            )  # fmt: skip
            sweep(self._means.yard)
            return
        self._end(running, _place(drive, running.goal_id), self._means.stage.recover(running))

    def _end(self, running: Running, worktree: Worktree, record: Record) -> None:
        """Keep what was done, whatever became of the process; then say that it is over."""
        site = self._site(worktree)
        if self._means.run.read().gate == gate.STRICT:
            site.unhide()  # reviewers see what git has
        tree = site.tree()
        title = f"{running.goal_id}: iteration {running.iteration}, {running.phase}"
        trailers = {"Goalkeeper-Run": self._means.run.run_id, "Goal": running.goal_id}
        site.commit(tree, title, trailers)
        self._record(
            happened.PhaseEnded(
                running.goal_id, running.iteration, running.phase, running.attempt, record, tree
            )
        )
        self._means.stage.shorten(running)

    def _site(self, worktree: Worktree) -> Site:
        """The worktree; one that an agent took away is made again from its branch."""
        self._means.yard.make(worktree.goal_id, worktree.commit)
        return Site(worktree, self._means.yard.root)

    def _prompt(self, step: next_step.Exec, plan: Plan, drive: Drive, worktree: Worktree) -> str:
        goal = find_goal(plan, step.goal_id)
        contract = contract_of(goal) or Contract()
        witness = self._means.court(worktree.path).witness
        told = Told(
            goal=goal,
            contract=contract,
            drive=drive,
            constraints=plan.constraints,
            start=worktree.commit,
            iteration=step.iteration,
            otherwise=step.otherwise,
            lessons=self._means.memory.about(contract),
            output=self._means.output,
            before=predecessors.output(plan, goal),
            changed=lambda state: (
                witness.list_changed(state.passed_tree, witness.snapshot().tree) or ()
            ),
        )
        return prompt(step.phase, told)

    # After work

    def _judge(self, goal_id: str, drive: Drive) -> Plan | None:
        court = self._means.court(_place(drive, goal_id).path)
        ruled = judge(court, goal_id, max_iterations=drive.budget.iterations)
        if isinstance(ruled, Refused):
            return self._stop(Reason.GATE_CLOSED, ruled.message)
        self._means.memory.learn(ruled.goal, ruled.contract, self._means.clock())
        if _live(ruled.plan).done:  # nothing new was said of it
            self._record(happened.JudgementStood(goal_id))
        return None

    def _review(self, step: next_step.Review, plan: Plan, drive: Drive) -> Plan | None:
        court = self._means.court(_place(drive, step.goal_id).path)
        goal, means = find_goal(plan, step.goal_id), self._means
        limits = self._limits(drive)
        lanes = Lanes(means.stage, means.yard, court, means.commit_of, limits, means.trust)
        asking = Asking(
            step.role, goal, Base(drive.judged_tree), plan.constraints, step.iteration,
            step.attempt, drive.model,
        )  # fmt: skip
        lane = lanes.run(asking, self._record)
        usurped = self._find_unentitled_changes(plan)
        if not usurped and lane.process.ending is Ending.OK:  # else the process is the trouble
            self._handle(commands.ReportLane(goal.id, lane))
        return usurped

    def _complete(self, goal_id: str, drive: Drive) -> Plan | None:
        place = _place(drive, goal_id)
        court = self._means.court(place.path)
        goal = find_goal(court.run.read(), goal_id)
        # What will be proven is what will land, also if the agent hid it from git.
        self._site(place).settle(self._means.commit_of(court.witness.snapshot()))
        said = f"proven by the witness in iteration {goal.iteration}"
        outcome = complete(court, commands.Checkpoint(goal_id, CheckpointStatus.COMPLETE, said))
        refused = outcome.refused
        if refused and (find_goal(outcome.plan, goal_id) == goal or gate.is_about_tools(refused)):
            return self._stop(Reason.GATE_CLOSED, refused.message)
        proven = find_goal(outcome.plan, goal_id).proven
        if proven and proven.commit:
            self._site(place).settle(proven.commit)  # the report names the branch
        return None

    # The record

    def _stop(self, reason: Reason, detail: str) -> Plan:
        return self._record(happened.DriveEnded(reason, detail)).plan

    def _record(self, event: happened.DriveEvent) -> CommandResult:
        return self._handle(commands.Advance(event))

    def _handle(self, command: commands.Command) -> CommandResult:
        outcome = handle(self._means.run, command, actor=ENGINE, clock=self._means.clock)
        if outcome.refused:
            raise DriveElsewhere(reason=outcome.refused.message)
        return outcome


class DriveElsewhere(OutsideError):
    """The drive cannot go on: {reason}"""

    code = "drive-elsewhere"
    hint = "goalkeeper status"


class AgentUnfinished(UsageError):
    """The last process of {agent} has not been settled, and only {agent}'s output tells how."""

    code = "agent-unfinished"
    hint = "goalkeeper run --agent {agent}, and stop it with Ctrl-C; then name another agent"


def _possible(step: next_step.Step, drive: Drive) -> next_step.Step:
    """The step, unless there is nothing to be done in it."""
    if not isinstance(step, next_step.Exec) or step.phase is not Phase.REFINE:
        return step
    review = _review(drive, step.goal_id)
    if os.path.isfile(review) and os.path.getsize(review):
        return step
    reason = "nothing-found: the review is empty"
    return next_step.Skip(step.goal_id, step.iteration, step.phase, reason)


def _live(plan: Plan) -> Drive:
    if plan.drive is None:
        raise LookupError(plan.run_id)
    return plan.drive


def _place(drive: Drive, goal_id: str) -> Worktree:
    place = drive.worktree(goal_id)
    if place is None:
        raise LookupError(goal_id)
    return place


def _asked(drive: Drive, worktree: Worktree) -> Asked:
    left = _left(drive)
    return Asked(worktree.path, str(uuid4()), model=drive.model, microdollars=left)


def _left(drive: Drive) -> int:
    """Of the money; 0: no limit. `steps` stops a drive that has used it up."""
    most = drive.budget.microdollars
    return max(0, most - (drive.spend.microdollars or 0)) if most else 0


def _review(drive: Drive, goal_id: str) -> str:
    return os.path.join(_place(drive, goal_id).path, REVIEW_FILE)
