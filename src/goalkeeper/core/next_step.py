"""These functions say what comes next in a drive. They are asked after every event.

`next_step` is asked for one line of work. `next_start` is asked for the drive as a whole when no
goal is worked on, and `find_limit` says whether the drive may go on at all.
"""

from __future__ import annotations

from typing import TypeAlias

from goalkeeper.core.contract.criteria import CriterionStatus, Decision
from goalkeeper.core.contract.on_failure import OnFailure, read_frozen_policy
from goalkeeper.core.contract.timing import read_frozen_criteria
from goalkeeper.core.drive.artifacts import check_artifacts, is_worn_out
from goalkeeper.core.drive.events import ArtifactsChecked, CriteriaLeft, DrivePaused, PhaseSkipped
from goalkeeper.core.drive.pauses import find_pause_end, why_not_paused
from goalkeeper.core.drive.phases import Depth, Ending, Phase
from goalkeeper.core.drive.state import (
    CANNOT_WORK,
    MOST_CRASHES,
    MOST_STALLS,
    MOST_UNCHANGED,
    MOST_UNCHECKED,
    Drive,
    ExitKind,
    LineOfWork,
    Reason,
    Running,
)
from goalkeeper.core.plan import gate, graph
from goalkeeper.core.plan.model import EXAMINER, STRICT, Goal, GoalStatus, Plan, is_outrun
from goalkeeper.core.plan.standing import list_unseen
from goalkeeper.core.review.lane import NEEDED, LaneRole, LaneWord, find_standing
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
    otherwise: bool = False  # the agent is told to try another way than before


class Recover(Value):
    """A phase began and nobody recorded its end, because goalkeeper was killed."""

    running: Running


class Judge(Value):
    goal_id: str


class Review(Value):
    """Have a lane look at what was judged good."""

    goal_id: str
    role: LaneRole
    iteration: int
    attempt: int


class Complete(Value):
    goal_id: str


class SetAside(Value):
    """Leave a goal whose open criteria are all blocked, or that is not tried again."""

    goal_id: str
    why: str
    policy: OnFailure = OnFailure.RETRY  # what its contract says about failures


class Challenge(Value):
    """Ask a fresh examiner whether a contract that was drafted is right."""

    goal_id: str
    about: str


class ProveWhole(Value):
    """Have the criteria of all goals judged on the last tree, those that were not seen there."""


class Wait(Value):
    """Wait until a pause ends that is recorded already."""

    until: str
    why: str


class Stop(Value):
    reason: Reason
    detail: str = ""


# These are only recorded: each is an event already.
Recorded: TypeAlias = CriteriaLeft | PhaseSkipped | ArtifactsChecked | DrivePaused
Step: TypeAlias = (
    Start | Freeze | MakeWorktree | Exec | Recover | Judge | Review | Complete | SetAside
    | Challenge | ProveWhole | Wait | Stop | Recorded
)  # fmt: skip


def choose_step(plan: Plan, drive: Drive, now: str) -> Step:
    """Choose the step of a driver that works on one goal at a time."""
    goal_ids = find_goals_at_work(plan, drive)
    return next_step(plan, drive, goal_ids[0], now) if goal_ids else next_start(plan, drive, now)


def find_goals_at_work(plan: Plan, drive: Drive) -> tuple[str, ...]:
    """Find the goals with a next step; those with a phase without an end come first.

    Such a phase is settled also when its goal is not active any more.
    """
    running = [phase.goal_id for phase in drive.running]
    active = [goal.id for goal in plan.with_status(GoalStatus.ACTIVE)]
    return tuple(dict.fromkeys((*running, *active)))


def next_start(plan: Plan, drive: Drive, now: str) -> Wait | Start | Challenge | ProveWhole | Stop:
    """Say what the drive does while no goal is worked on."""
    if drive.paused_until > now:
        return Wait(drive.paused_until, drive.paused_for)
    if graph.next_goal(plan, retry_failed=False, at=now):
        return Start()
    if not plan.is_complete:
        return _explain_nothing_ready(plan, now)
    return ProveWhole() if list_unseen(plan) else Stop(Reason.DONE)


def _explain_nothing_ready(plan: Plan, now: str) -> Stop | Challenge:
    """Say why no goal can be worked on; the goals that were given up have reasons."""
    for goal in plan.asked_goals:
        challenged = _find_challenge(goal)
        if challenged:
            return challenged
        if goal.status is GoalStatus.BLOCKED and not goal.exit and _name_blocked(goal):
            return Stop(Reason.PARTIAL, f"{goal.id}: {_name_blocked(goal)}")
        if goal.status in {GoalStatus.BLOCKED, GoalStatus.FAILED}:
            return Stop(Reason(goal.exit or ExitKind.BLOCKED), f"{goal.id}: {goal.evidence}")
    early = graph.waiting_for_time(plan, now)
    if early:
        when = graph.not_before(early[0], now)
        return Stop(Reason.NOT_DUE, f"{early[0].id} is not started before {when[:19]}Z")
    waiting = [goal.id for goal in plan.required_goals if goal.status is not GoalStatus.COMPLETE]
    return Stop(Reason.BLOCKED, f"nothing is ready: {', '.join(waiting)}")


def _find_challenge(goal: Goal) -> Stop | Challenge | None:
    """Say what follows where a worker cannot meet a contract that may be wrong.

    No worker drops a criterion: an examiner is heard, and then a human decides.
    """
    is_drafted = bool(goal.frozen and goal.frozen.author == EXAMINER)
    is_said = goal.exit == ExitKind.CONTRACT_WRONG
    is_worn = is_drafted and not goal.exit and any(
        state.status is CriterionStatus.BLOCKED and not state.is_left for state in goal.table
    )  # fmt: skip
    if goal.status is not GoalStatus.BLOCKED or not (is_said or is_worn):
        return None
    about = goal.evidence if is_said else _name_blocked(goal)
    if is_drafted and (goal.opinion is None or goal.opinion.about != about):
        return Challenge(goal.id, about)
    heard = f"; {goal.opinion}" if goal.opinion else ""
    return Stop(Reason.NEEDS_HUMAN, f"{goal.id}: is its contract right? the work: {about}{heard}")


def _name_blocked(goal: Goal) -> str:
    blocked = [state for state in goal.table if state.status is CriterionStatus.BLOCKED]
    named = {
        "failed three times": [state.id for state in blocked if not state.is_left],
        "blocked before, not tried again": [state.id for state in blocked if state.is_left],
    }
    return "; ".join(f"{', '.join(names)} {why}" for why, names in named.items() if names)


def _name_open(goal: Goal) -> str:
    """Name what the last judgement did not find to hold."""
    names = [state.id for state in goal.table if not state.is_met]
    return f"not proven: {', '.join(names) or 'its change is refused'}"


def find_limit(drive: Drive, now: str) -> Stop | None:
    """Find the limit that is used up, if one is: limits are of the run, whoever repeats `run`."""
    budget, spend = drive.budget, drive.total
    if budget.seconds and drive.used_ms(now) >= budget.seconds * 1000:
        return Stop(Reason.MAX_TIME, f"{budget.seconds} s")
    if budget.tokens and spend.tokens >= budget.tokens:
        return Stop(Reason.MAX_TOKENS, f"{spend.tokens} tokens")
    if budget.microdollars and (spend.microdollars or 0) >= budget.microdollars:
        return Stop(Reason.MAX_COST, f"${(spend.microdollars or 0) / 1e6:.2f}")
    return None


def next_step(plan: Plan, drive: Drive, goal_id: str, now: str) -> Step:
    """Say what comes next in the line of work on one goal of the plan."""
    line = drive.line(goal_id)
    if line and line.running:
        return Recover(line.running)
    if drive.paused_until > now:
        return Wait(drive.paused_until, drive.paused_for)
    goal = plan.find_goal(goal_id)
    if goal is None:
        raise LookupError(goal_id)
    if goal.frozen is None or is_outrun(plan, goal):
        return Freeze(goal_id)
    left = _find_left(drive, goal)
    if left:
        return CriteriaLeft(goal_id, left)
    if _is_left_as_a_whole(goal):
        return SetAside(goal_id, _name_blocked(goal))
    if line and line.is_under_way:
        return _go_on(plan, drive, line, goal, now)
    return MakeWorktree(goal_id)


def _find_left(drive: Drive, goal: Goal) -> tuple[str, ...]:
    """Find the criteria that nobody is to try again, and that are not marked so yet."""
    pending = (s.id for s in goal.criteria if s.status is CriterionStatus.PENDING)
    return tuple(name for name in pending if f"{goal.id}/{name}" in drive.left)


def _is_left_as_a_whole(goal: Goal) -> bool:
    """Return whether nothing is left to try of a goal on which nobody worked."""
    blocked = {s.id for s in goal.criteria if s.status is CriterionStatus.BLOCKED}
    return not goal.iteration and bool(blocked) and _list_wanted(goal) <= blocked


def _list_wanted(goal: Goal) -> set[str]:
    """List the criteria that the work on a goal is for; guards hold already."""
    said = read_frozen_criteria(goal.frozen.contract) if goal.frozen else {}
    return {name for name, about in said.items() if not about.get("guard")}


def _go_on(plan: Plan, drive: Drive, line: LineOfWork, goal: Goal, now: str) -> Step:
    if line.is_judged_again:
        again = _judge_again(line)
        if again:
            return again
    if line.judged_tree and not line.done:
        decided = _follow_judgement(plan, drive, line, goal)
        if isinstance(decided, Review):
            return _if_possible(decided, drive, line, now)
        if decided:
            return decided
    is_new = not line.judged_tree
    if is_new and (_is_met_already(goal) or gate.settled_blockers(plan, goal.id)):
        return Judge(goal.id)
    missing, iteration = line.missing_phases(drive.depth), goal.iteration + 1
    if drive.depth is Depth.FULL and (not missing or is_worn_out(line.traces)):
        if line.gate is None:
            return ArtifactsChecked(goal.id, iteration, check_artifacts(line.traces))
        if line.closed_gate:
            said = f"{goal.id} iteration {iteration}: {'; '.join(line.closed_gate.missing)}"
            return Stop(Reason.CIRCUMVENTION, said)
    if not missing:
        return Judge(goal.id)
    if missing[0] is Phase.REFINE and line.find_trace(Phase.VERIFY).is_clear:
        reason = "nothing-found: the review has no findings"
        return PhaseSkipped(goal.id, iteration, Phase.REFINE, reason)
    otherwise = line.unchanged == MOST_UNCHANGED - 1
    work = Exec(goal.id, iteration, missing[0], line.attempts + 1, otherwise)
    return _if_possible(work, drive, line, now)


def _judge_again(line: LineOfWork) -> Judge | Stop | None:
    """Judge the same tree again; after the same answer work can only help against a limit.

    An endless loop hits it, but so does a slow machine. So an agent is asked once.
    """
    if line.rejudge or line.unchecked_times < MOST_UNCHECKED:
        return Judge(line.goal_id)
    if line.hit_limit and line.told_limit != line.tree:
        return None
    return Stop(Reason.UNKNOWN, f"{line.goal_id}: {'; '.join(line.unchecked)}")


def _is_met_already(goal: Goal) -> bool:
    """Return whether earlier work has met the goal, so that nobody needs to work on it."""
    frozen = goal.frozen
    if frozen is None or not frozen.green or frozen.red or goal.is_recurring:
        return False
    return _list_wanted(goal) <= {*frozen.green}


def _if_possible(work: Exec | Review, drive: Drive, line: LineOfWork, now: str) -> Step:
    trouble = _find_trouble(drive, line, now)
    if isinstance(trouble, Stop):
        return trouble
    return find_limit(drive, now) or trouble or work  # nobody waits when a limit is used up


def _follow_judgement(plan: Plan, drive: Drive, line: LineOfWork, goal: Goal) -> Step | None:
    """Say what follows from the last judgement; None when there is more to work on."""
    match goal.decision:
        case Decision.DONE:
            review = _find_review(line, goal) if plan.gate == STRICT else Complete(goal.id)
            if review:
                return review
        case Decision.DONE_PARTIAL if not goal.blocking:
            return SetAside(goal.id, _name_blocked(goal))
    policy = read_frozen_policy(goal.frozen.contract) if goal.frozen else OnFailure.RETRY
    is_let_go_on = line.last is None and goal.decision != Decision.DONE
    if is_let_go_on and policy is not OnFailure.RETRY:
        return None  # the policy stopped an earlier drive, and somebody began another one
    if policy is OnFailure.ESCALATE:
        return Stop(Reason.NEEDS_HUMAN, f"{goal.id}: {_name_open(goal)}; its plan says: escalate")
    if policy is not OnFailure.RETRY:
        return SetAside(goal.id, f"{_name_open(goal)}; its plan says: {policy}", policy)
    if drive.budget.iterations and goal.iteration >= drive.budget.iterations:
        return Stop(Reason.MAX_ITERATIONS, f"{goal.id}: {goal.iteration} iterations")
    return None


def _find_review(line: LineOfWork, goal: Goal) -> Step | None:
    """Find the next review. What the cleaner objects to is mended first.

    All others answer before anybody mends what they found.
    """
    contract = goal.frozen.digest if goal.frozen else ""
    lanes = find_standing(goal.lanes, line.judged_tree, contract)
    for role in NEEDED:
        if role not in lanes:
            return Review(goal.id, role, goal.iteration, line.attempts + 1)
        if role is LaneRole.CLEANER and lanes[role].word is LaneWord.OBJECTS:
            return None
    clear = all(lane.word is LaneWord.CLEAR for lane in lanes.values())
    return Complete(goal.id) if clear else None


def _find_trouble(drive: Drive, line: LineOfWork, now: str) -> Step | None:
    """Say what follows from the troubles of the last attempts; None if there were none."""
    if line.last and line.last.exit_code == CANNOT_WORK:
        return Stop(Reason.PREFLIGHT, f"the agent ended with {CANNOT_WORK}: {line.problem}")
    match line.last.ending if line.last else None:
        case Ending.AUTH:
            return Stop(Reason.AUTH, line.problem)
        case Ending.NOT_STARTED:
            return Stop(Reason.AGENT_MISSING, line.problem)
        case Ending.RATE_LIMITED | Ending.OUTAGE as ending:
            return _try_later(Reason(ending), drive, line, now)
        case _:
            return _find_too_many(drive, line)


def _find_too_many(drive: Drive, line: LineOfWork) -> Stop | None:
    """Find which of the troubles of this line came too often."""
    if line.crashes >= MOST_CRASHES and line.last and line.last.ending is Ending.OK:
        return Stop(Reason.GATE_CLOSED, line.problem)  # nobody could use a reviewer's answers
    if line.crashes >= MOST_CRASHES:
        return Stop(Reason.CRASHED, line.problem)
    if line.stalls >= MOST_STALLS:
        return Stop(Reason.STALLED, f"nothing for {drive.budget.stall_seconds} s, twice")
    if line.unchanged >= MOST_UNCHANGED:
        reason = Reason.NO_OP if line.idle >= line.unchanged else Reason.STAGNATION
        return Stop(reason, f"{line.unchanged} times in a row nothing changed")
    return None


def _try_later(reason: Reason, drive: Drive, line: LineOfWork, now: str) -> DrivePaused | Stop:
    until = find_pause_end(line, drive.budget, now)
    ended = why_not_paused(line, drive.budget, until, now)
    return DrivePaused(until, f"{reason}: {line.problem}") if ended is None else Stop(reason, ended)
