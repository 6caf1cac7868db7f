"""The driver takes the steps that `core.next_step` asks for, until it asks to stop.

Every step is recorded as an event before it has an effect, or it can be repeated without harm.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cache, partial
from uuid import uuid4

from goalkeeper.app.completing import complete, conclude_whole
from goalkeeper.app.contracts import JudgeContext, choose_goal, contract_of, ensure_frozen
from goalkeeper.app.gating import read_plan_lane
from goalkeeper.app.handle import CommandResult, handle
from goalkeeper.app.judging import judge
from goalkeeper.app.ports import Clock, Run
from goalkeeper.app.standing import read_criteria
from goalkeeper.clients.client import Asked
from goalkeeper.core import next_step
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.on_failure import OnFailure
from goalkeeper.core.draft.model import Opinion
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.fold import find_new_terms
from goalkeeper.core.drive.phases import READING, Ending, Record
from goalkeeper.core.drive.state import (
    SAFEGUARDS,
    Drive,
    LineOfWork,
    Reason,
    Running,
    Worktree,
)
from goalkeeper.core.entitled import find_unentitled_changes
from goalkeeper.core.plan import commands, gate, graph
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.model import ENGINE, STRICT, Base, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.plan.standing import list_standing, list_unseen
from goalkeeper.core.review.lane import LaneWord
from goalkeeper.errors import OutsideError, UsageError
from goalkeeper.git.refs import compare_refs
from goalkeeper.git.surroundings import Surroundings, list_changed, read_surroundings
from goalkeeper.git.worktrees import GoalWorktree, Worktrees
from goalkeeper.loop.apart import ProcessApart, end_strays_apart
from goalkeeper.loop.artifacts import read_artifact, remove_artifact
from goalkeeper.loop.clock import ClockWatch, wait_until
from goalkeeper.loop.goal_worktrees import WorktreeMaker, lay_setup
from goalkeeper.loop.handing import describe_work
from goalkeeper.loop.lanes import LaneRequest, Lanes
from goalkeeper.loop.memory import Memory
from goalkeeper.loop.onlooker import Onlooker
from goalkeeper.loop.phase import PhaseRunner, record_end
from goalkeeper.loop.prompting import PromptFacts, write_prompt
from goalkeeper.system.reaper import end_strays
from goalkeeper.wire.value import Value


class DriverDeps(Value):
    """What a driver works with."""

    run: Run
    runner: PhaseRunner
    worktrees: Worktrees
    open_judge_context: Callable[[str], JudgeContext]  # it judges what lies in a worktree
    commit_of: Callable[[Base], str]  # it makes a commit of that tree
    merge: Callable[[str, str], str]  # it makes a commit of two; empty if they conflict
    output: Callable[[str], str]  # it reads a piece of evidence for those who must mend the work
    memory: Memory
    onlooker: Onlooker
    clock: Clock
    trust: str  # how far its agent is trusted as a reviewer
    challenge: Callable[[Goal, str], Opinion]  # it asks an examiner about a drafted contract
    # It records what the agent of a phase asked for, who worked in a worktree.
    record_asked: Callable[[Running, str], object]


class Driver:
    def __init__(self, deps: DriverDeps) -> None:
        self._deps = deps
        self._clock_watch = ClockWatch(deps.clock)

    def begin_drive(self, wanted: happened.DriveBegan, given: Container[str]) -> None:
        """Begin a drive, or go on with one that was cut short; then terms given anew count."""
        drive = self._deps.run.read().drive
        if drive and drive.running and drive.agent != wanted.agent:
            raise AgentUnfinished(agent=drive.agent)
        if drive is None or drive.ended:
            self._record_event(wanted)
            return
        self._record_event(happened.DriveResumed())
        anew = find_new_terms(drive, wanted, given)
        if anew:
            self._record_event(anew)

    def ask_judgement(self) -> None:
        self._record_event(happened.JudgementAsked())

    def run_to_end(self) -> Plan:
        """Drive until the drive ends; an interrupted drive can go on later."""
        try:
            while not (ended := self._take_next_step()):
                pass
            return ended
        finally:
            end_strays()  # filters of git leave processes behind, too

    def _take_next_step(self) -> Plan | None:
        """Take one step, and return the plan when it was the last one."""
        self._record_jump()
        plan = self._deps.run.read()
        drive = _find_drive(plan)
        step = next_step.choose_step(plan, drive, self._deps.clock())
        self._deps.onlooker.see_step(plan, step)
        try:
            return self._take_step(step, plan, drive)
        except DriveElsewhere:
            raise
        except OutsideError as exc:
            return self._end_drive(Reason.FAILED, f"{exc.message} ({exc.hint})")

    def _take_step(self, step: next_step.Step, plan: Plan, drive: Drive) -> Plan | None:
        match step:
            case next_step.Start():
                self._handle_command(commands.StartNext())
            case next_step.Freeze(goal_id):
                context = self._deps.open_judge_context(self._deps.worktrees.root)
                frozen = ensure_frozen(context, goal_id, inherits=True)
                if isinstance(frozen, Refused):
                    said = f"{frozen.message} ({frozen.hint})"
                    return self._end_drive(Reason.NO_CONTRACT, said)
            case next_step.MakeWorktree(goal_id):
                maker = WorktreeMaker(self._deps.worktrees, self._deps.commit_of, self._deps.merge)
                made, tree = maker.make_worktree(plan, goal_id)
                context = self._deps.open_judge_context(self._deps.worktrees.root)
                goal = choose_goal(plan, goal_id)
                lay_setup(context.witness, context.isolation, goal, made.path)
                self._record_event(happened.WorktreeMade(made, tree))
            case next_step.Exec():
                return self._run_phase(step, plan, drive) or self._refuse_unentitled(plan)
            case next_step.Recover(running):
                self._settle_phase(running, drive)
            case next_step.Judge(goal_id):
                return self._judge_goal(goal_id, drive)
            case next_step.Review():
                return self._run_review(step, plan, drive)
            case next_step.Complete(goal_id):
                return self._complete_goal(goal_id, drive)
            case next_step.SetAside():
                self._set_aside(step, drive)
            case next_step.Challenge(goal_id, about):
                opinion = self._deps.challenge(choose_goal(plan, goal_id), about)
                self._handle_command(commands.RecordOpinion(goal_id, opinion))
            case next_step.ProveWhole():
                return self._prove_whole(plan)
            case next_step.Wait(until, why):
                wait_until(self._deps.clock, until, partial(self._deps.onlooker.see_pause, why=why))
            case next_step.Stop(reason, detail):
                return self._end_drive(reason, detail)
            case event:
                self._record_event(event)
        return None

    def _set_aside(self, step: next_step.SetAside, drive: Drive) -> None:
        """Leave a goal; its plan may say that its work is thrown away, or that others go on."""
        goal_id, why = step.goal_id, step.why
        if step.policy is OnFailure.REVERT:
            _, site = self._open_line(drive, goal_id)
            site.commit_tree(site.put_back_start(), f"{goal_id}: reverted", {})
        self._handle_command(commands.Checkpoint(goal_id, CheckpointStatus.BLOCKED, why))
        if step.policy is OnFailure.SKIP:
            change = commands.MarkBlockedSuperseded(goal_id)
            self._handle_command(commands.Steer(change, why, "its plan says: skip"))

    # These methods act during work.

    def _run_phase(self, step: next_step.Exec, plan: Plan, drive: Drive) -> Plan | None:
        line, site = self._open_line(drive, step.goal_id)
        goal, worktree = choose_goal(plan, step.goal_id), line.worktree
        before = site.write_tree()  # a human may have worked here, too
        remove_artifact(worktree, step.phase)
        runner, marker = self._deps.runner, uuid4().hex
        running = Running(goal.id, step.iteration, step.phase, step.attempt, marker, before)
        prompt = self._write_prompt(step, plan, line)
        limits = drive.find_limits(self._deps.clock())
        asked = Asked(
            worktree.path, str(uuid4()), model=drive.model, microdollars=limits.microdollars
        )
        known = read_surroundings(self._deps.worktrees.root, runner.environ)
        begun = runner.begin_phase(running, prompt, asked, self._record_event)
        if isinstance(begun, Record):
            self._end_phase(running, worktree, begun)
            return None
        try:
            record = runner.follow(running, begun, worktree.path, limits)
        except KeyboardInterrupt:
            self._end_phase(running, worktree, runner.recover(running, interrupted=True))
            raise
        self._end_phase(running, worktree, record)
        return self._compare_surroundings(running, known)

    def _refuse_unentitled(self, before: Plan) -> Plan | None:
        """End the drive when something was recorded meanwhile that only goalkeeper may record."""
        said = find_unentitled_changes(before, self._deps.run.read())
        if not said:
            return None
        told = f"while an agent was at work, and not by goalkeeper: {', '.join(said)}"
        hint = "goalkeeper ledger show tells by whom; if that was you, goalkeeper run goes on"
        return self._end_drive(Reason.GATE_CLOSED, f"{told} ({hint})")

    def _compare_surroundings(self, running: Running, known: Surroundings) -> Plan | None:
        """Record which refs moved: nobody knows by whom. What others obey may not change at all."""
        now = read_surroundings(self._deps.worktrees.root, self._deps.runner.environ)
        found = compare_refs(known.refs, now.refs)
        if moved := tuple(map(self._deps.runner.redactor.clean_text, found)):
            self._record_event(happened.RefsMoved(running.goal_id, moved))
            self._deps.onlooker.see_note(f"while it worked: {', '.join(moved)}")
        changed = ", ".join(list_changed(known.commanding, now.commanding))
        told = f"{running.goal_id}: {changed} changed while an agent was at work"
        return self._end_drive(Reason.NEEDS_HUMAN, told) if changed else None

    def _settle_phase(self, running: Running, drive: Drive) -> None:
        record = self._deps.runner.recover(running)
        line, _ = self._open_line(drive, running.goal_id)
        if running.is_review:
            self._record_event(record_end(running, record, line.tree))
            end_strays_apart(self._deps.worktrees)
        else:
            self._end_phase(running, line.worktree, record)

    def _end_phase(self, running: Running, worktree: Worktree, record: Record) -> None:
        """Keep what was done, whatever became of the process, and then record the end."""
        site = self._restore_worktree(worktree)
        self._deps.record_asked(running, site.worktree.path)
        plan = self._deps.run.read()
        if plan.gate == STRICT:
            site.unhide_paths()  # reviewers see what git has
        tree, goal = site.write_tree(), choose_goal(plan, running.goal_id)
        left = read_artifact(
            running, worktree, tree, goal, lambda: self._deps.open_judge_context(worktree.path)
        )
        if running.phase in READING and tree != running.tree:
            tree = site.put_back(running.tree)
        contract = contract_of(goal) or Contract()
        title = f"{running.goal_id}: iteration {running.iteration}, {running.phase}"
        trailers = {"Goalkeeper-Run": self._deps.run.run_id, "Goal": running.goal_id}
        if contract.checkpoint:  # this commit is the plan's own, so it counts as one
            title, trailers = contract.checkpoint, {"Goalkeeper-Step": running.goal_id}
        site.commit_tree(tree, title, trailers, is_promised=bool(contract.checkpoint))
        commit = site.find_tip() if contract.reads_commits else ""
        ended = record_end(running, record, tree).replace(commit=commit, **left.as_dict())
        self._record_event(ended)
        for fault in left.lacks:
            self._deps.onlooker.see_note(f"what {running.phase} left cannot be used: {fault}")
        self._deps.runner.shorten(running)

    def _open_line(self, drive: Drive, goal_id: str) -> tuple[LineOfWork, GoalWorktree]:
        """Return a goal's line of work, and its worktree, which is there."""
        line = drive.line(goal_id)
        if line is None:
            raise LookupError(goal_id)
        site = self._restore_worktree(line.worktree)
        return line.replace(worktree=site.worktree), site

    def _restore_worktree(self, worktree: Worktree) -> GoalWorktree:
        """Restore a worktree that an agent removed, from its branch.

        It is made where the repository is now, which may have been moved since.
        """
        made = self._deps.worktrees.make_worktree(worktree.goal_id, worktree.commit)
        return GoalWorktree(made, self._deps.worktrees)

    def _write_prompt(self, step: next_step.Exec, plan: Plan, line: LineOfWork) -> str:
        goal = choose_goal(plan, step.goal_id)
        contract = contract_of(goal) or Contract()
        witness = self._deps.open_judge_context(line.worktree.path).witness
        find_tree = cache(lambda: witness.take_snapshot().tree)
        told = PromptFacts(
            goal=goal,
            contract=contract,
            line=line,
            constraints=plan.constraints,
            start=line.worktree.commit,
            iteration=step.iteration,
            otherwise=step.otherwise,
            lessons=self._deps.memory.find_lessons(contract),
            output=self._deps.output,
            standing=read_criteria(list_standing(plan, goal.id)),
            before=graph.list_predecessor_evidence(plan, goal),
            changed=lambda state: witness.list_changed(state.passed_tree, find_tree()) or (),
            difference=lambda state: witness.show_difference(state.passed_tree, find_tree()),
        )
        return write_prompt(step.phase, told)

    # These methods act after work.

    def _judge_goal(self, goal_id: str, drive: Drive) -> Plan | None:
        line, _ = self._open_line(drive, goal_id)
        context = self._deps.open_judge_context(line.worktree.path)
        ruled = judge(context, goal_id, max_iterations=drive.budget.iterations)
        if isinstance(ruled, Refused):
            return self._end_drive(Reason.GATE_CLOSED, ruled.message)
        self._deps.memory.learn_from(ruled.goal, ruled.contract, self._deps.clock())
        judged = _find_drive(ruled.plan).line(goal_id)
        if not (ruled.changed and judged and not judged.done):  # it says nothing new
            self._record_event(happened.JudgementStood(goal_id, ruled.judgement.unchecked))
        return None

    def _run_review(self, step: next_step.Review, plan: Plan, drive: Drive) -> Plan | None:
        line, _ = self._open_line(drive, step.goal_id)
        context = self._deps.open_judge_context(line.worktree.path)
        goal, deps = choose_goal(plan, step.goal_id), self._deps
        limits = drive.find_limits(self._deps.clock())
        last = next((lane for lane in goal.lanes if lane.role == step.role), None)
        unusable = last.objections if last and last.word is LaneWord.UNUSABLE else ()
        lanes = Lanes(
            ProcessApart(deps.runner, deps.worktrees, limits), partial(read_plan_lane, context),
            partial(lay_setup, context.witness, context.isolation), deps.commit_of, deps.trust,
        )  # fmt: skip
        asking = LaneRequest(
            step.role, goal, Base(line.judged_tree), plan.constraints, step.iteration,
            step.attempt, drive.model, unusable,
        )  # fmt: skip
        lane = lanes.run_lane(asking, self._record_event)
        ended = self._refuse_unentitled(plan)
        if not ended and lane.process.ending is Ending.OK:  # otherwise the process is the trouble
            self._handle_command(commands.ReportLane(goal.id, lane))
        return ended

    def _complete_goal(self, goal_id: str, drive: Drive) -> Plan | None:
        line, site = self._open_line(drive, goal_id)
        context = self._deps.open_judge_context(line.worktree.path)
        goal = choose_goal(context.run.read(), goal_id)
        # The tree that is proven will land, also files that the agent hid from git.
        candidate = context.witness.take_snapshot()
        kept = self._deps.commit_of(candidate)
        site.set_branch(kept)
        said = f"proven by the witness in iteration {goal.iteration}"
        if goal.frozen and candidate.tree == goal.frozen.base.tree:
            earlier = [done.id for done in context.run.read().goals if done.completed_at]
            said = f"met by {', '.join(earlier)}"
        said = describe_work(context.witness, goal, Base(candidate.tree, kept), said)
        outcome = complete(context, commands.Checkpoint(goal_id, CheckpointStatus.COMPLETE, said))
        refused = outcome.refused
        if refused and (choose_goal(outcome.plan, goal_id) == goal or gate.is_about_tools(refused)):
            return self._end_drive(Reason.GATE_CLOSED, refused.message)
        proven = choose_goal(outcome.plan, goal_id).proven
        if proven and proven.commit:  # the report names the branch
            self._restore_worktree(line.worktree).set_branch(proven.commit)
        return None

    def _prove_whole(self, plan: Plan) -> Plan | None:
        after = conclude_whole(self._deps.open_judge_context(self._deps.worktrees.root), plan).plan
        if list_unseen(after) and after.is_complete:  # nothing failed, so nobody can mend it
            name = list_unseen(after)[0].name
            return self._end_drive(Reason.GATE_CLOSED, f"{name} could not be checked at the end")
        return None

    # These methods read and write the record.

    def _end_drive(self, reason: Reason, detail: str) -> Plan:
        plan = self._record_event(happened.DriveEnded(reason, detail)).plan
        if reason in SAFEGUARDS:
            for goal in plan.with_status(GoalStatus.ACTIVE):
                contract, now = contract_of(goal) or Contract(), self._deps.clock()
                self._deps.memory.learn_from(goal, contract, now, stopped=reason)
        return plan

    def _record_jump(self) -> None:
        if jump := self._clock_watch.find_jump():
            self._handle_command(commands.Advance(happened.ClockJumped(jump)))

    def _record_event(self, event: happened.DriveEvent) -> CommandResult:
        self._record_jump()
        return self._handle_command(commands.Advance(event))

    def _handle_command(self, command: commands.Command) -> CommandResult:
        outcome = handle(self._deps.run, command, actor=ENGINE, clock=self._deps.clock)
        if outcome.refused:
            raise DriveElsewhere(reason=outcome.refused.message)
        return outcome


class DriveElsewhere(OutsideError, hint="goalkeeper status"):
    """The drive cannot go on: {reason}"""


class AgentUnfinished(
    UsageError,
    hint="goalkeeper run --agent {agent}, and stop it with Ctrl-C; then name another agent",
):
    """The last process of {agent} has not been settled, and only {agent}'s output tells how."""


def _find_drive(plan: Plan) -> Drive:
    if plan.drive is None:
        raise LookupError(plan.run_id)
    return plan.drive
