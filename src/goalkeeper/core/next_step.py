"""What a drive does next: one pure question, asked after every event."""

from __future__ import annotations

from typing import TypeAlias

from goalkeeper.core.contract.criteria import Decision
from goalkeeper.core.drive.lane import NEEDED, Role, Word, standing
from goalkeeper.core.drive.phases import Ending, Phase
from goalkeeper.core.drive.state import (
    MOST_CRASHES,
    MOST_OUTAGES,
    MOST_STALLS,
    MOST_UNCHANGED,
    Drive,
    ExitKind,
    Reason,
    Running,
    is_too_long,
    pause_end,
)
from goalkeeper.core.plan import graph
from goalkeeper.core.plan.gate import STRICT
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan, is_outrun
from goalkeeper.wire.value import Value


class Start(Value):
    """Begin the next goal that is ready."""


class Freeze(Value):
    goal_id: str


class MakeWorktree(Value):
    goal_id: str


class Exec(Value):
    """Have an agent work."""

    goal_id: str
    iteration: int
    phase: Phase
    attempt: int
    otherwise: bool = False  # it is to try another way than before


class Skip(Value):
    """There is nothing for a phase to do."""

    goal_id: str
    iteration: int
    phase: Phase
    reason: str


class Recover(Value):
    """A phase began and nobody recorded its end: goalkeeper was killed."""

    running: Running


class Judge(Value):
    goal_id: str


class Review(Value):
    """Have a lane look at what was judged good."""

    goal_id: str
    role: Role
    iteration: int
    attempt: int


class Complete(Value):
    goal_id: str


class Pause(Value):
    until: str
    why: str


class Wait(Value):
    """As a pause that is recorded already says."""

    until: str
    why: str


class Stop(Value):
    reason: Reason
    detail: str = ""


Step: TypeAlias = (
    Start
    | Freeze
    | MakeWorktree
    | Exec
    | Skip
    | Recover
    | Judge
    | Review
    | Complete
    | Pause
    | Wait
    | Stop
)


def next_step(plan: Plan, drive: Drive, now: str) -> Step:
    if drive.running:
        return Recover(drive.running)
    if drive.paused_until > now:
        return Wait(drive.paused_until, drive.paused_for)
    active = plan.with_status(GoalStatus.ACTIVE)
    if active:
        return _with_goal(plan, drive, active[0], now)
    if graph.next_goal(plan, retry_failed=False, at=now):
        return Start()
    return Stop(Reason.DONE) if plan.is_complete else _nothing_ready(plan, now)


def _nothing_ready(plan: Plan, now: str) -> Stop:
    """No goal can be worked on: those that gave up say why."""
    for goal in plan.asked:
        if goal.status in {GoalStatus.BLOCKED, GoalStatus.FAILED}:
            return Stop(Reason(goal.exit or ExitKind.BLOCKED), f"{goal.id}: {goal.evidence}")
    early = graph.waiting_for_time(plan, now)
    if early:
        when = graph.not_before(early[0], now)
        return Stop(Reason.NOT_DUE, f"{early[0].id} is not started before {when[:19]}Z")
    waiting = [goal.id for goal in plan.required if goal.status is not GoalStatus.COMPLETE]
    return Stop(Reason.BLOCKED, f"nothing is ready: {', '.join(waiting)}")


def _with_goal(plan: Plan, drive: Drive, goal: Goal, now: str) -> Step:
    if goal.frozen is None or (drive.goal_id != goal.id and is_outrun(plan, goal)):
        return Freeze(goal.id)
    if drive.goal_id != goal.id:
        return MakeWorktree(goal.id)
    if drive.judged_tree and not drive.done:
        decided = _decided(plan, drive, goal)
        if isinstance(decided, Review):
            return _if_possible(decided, drive, now)
        if decided:
            return decided
    if not drive.missing:
        return Judge(goal.id)
    attempt = drive.attempts + 1
    otherwise = drive.unchanged == MOST_UNCHANGED - 1
    work = Exec(goal.id, goal.iteration + 1, drive.missing[0], attempt, otherwise)
    return _if_possible(work, drive, now)


def _if_possible(work: Exec | Review, drive: Drive, now: str) -> Step:
    trouble = _trouble(drive, now)
    if isinstance(trouble, Stop):
        return trouble
    return _used_up(drive, now) or trouble or work  # nobody waits for what is used up


def _decided(plan: Plan, drive: Drive, goal: Goal) -> Step | None:
    """What follows from the last judgement; None: to be worked on."""
    match goal.decision:
        case Decision.DONE:
            review = _reviewed(drive, goal) if plan.gate == STRICT else Complete(goal.id)
            if review:
                return review
        case Decision.DONE_PARTIAL if not goal.blocking:
            blocked = [state.id for state in goal.criteria if not state.is_met]
            return Stop(Reason.PARTIAL, f"{goal.id}: {', '.join(blocked)} failed three times")
    if drive.budget.iterations and goal.iteration >= drive.budget.iterations:
        return Stop(Reason.MAX_ITERATIONS, f"{goal.id}: {goal.iteration} iterations")
    return None


def _reviewed(drive: Drive, goal: Goal) -> Step | None:
    """All lanes have their say before anybody mends what they found."""
    contract = goal.frozen.digest if goal.frozen else ""
    lanes = standing(goal.lanes, drive.judged_tree, contract)
    for role in NEEDED:
        if role not in lanes:
            return Review(goal.id, role, goal.iteration, drive.attempts + 1)
    clear = all(lane.word is Word.CLEAR for lane in lanes.values())
    return Complete(goal.id) if clear else None


def _trouble(drive: Drive, now: str) -> Step | None:
    """What the last attempts say about another one."""
    last = drive.last
    match last.ending if last else None:
        case Ending.AUTH:
            return Stop(Reason.AUTH, last.problem if last else "")
        case Ending.NOT_STARTED:
            return Stop(Reason.AGENT_MISSING, last.problem if last else "")
        case Ending.RATE_LIMITED | Ending.OUTAGE:
            return _later(drive, now)
        case _:
            return _breaker(drive)


def _breaker(drive: Drive) -> Stop | None:
    last = drive.last
    if drive.crashes >= MOST_CRASHES:
        return Stop(Reason.CRASHED, last.problem if last else "")
    if drive.stalls >= MOST_STALLS:
        return Stop(Reason.STALLED, f"nothing for {drive.budget.stall_seconds} s, twice")
    if drive.unchanged >= MOST_UNCHANGED:
        reason = Reason.NO_OP if drive.idle >= drive.unchanged else Reason.STAGNATION
        return Stop(reason, f"{drive.unchanged} times in a row nothing changed")
    return None


def _later(drive: Drive, now: str) -> Step:
    last = drive.last
    limited = last is not None and last.ending is Ending.RATE_LIMITED
    until, why = pause_end(drive, now), last.problem if last else ""
    reason = Reason.RATE_LIMITED if limited else Reason.OUTAGE
    if drive.outages > MOST_OUTAGES:
        return Stop(reason, why)
    if is_too_long(drive, until, now):
        return Stop(reason, f"it lasts until {until}: {why}")
    return Pause(until, f"{reason}: {why}")


def _used_up(drive: Drive, now: str) -> Stop | None:
    budget, spend = drive.budget, drive.spend
    if budget.seconds and drive.used_ms(now) >= budget.seconds * 1000:
        return Stop(Reason.MAX_TIME, f"{budget.seconds} s")
    if budget.tokens and spend.tokens >= budget.tokens:
        return Stop(Reason.MAX_TOKENS, f"{spend.tokens} tokens")
    if budget.microdollars and (spend.microdollars or 0) >= budget.microdollars:
        return Stop(Reason.MAX_COST, f"${(spend.microdollars or 0) / 1e6:.2f}")
    return None
