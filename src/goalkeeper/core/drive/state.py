"""A drive: goalkeeper working through a run with an agent.

All that a drive must not forget is in its events; `driving` makes the state of them, and
`steps` says what comes next. Going on after a crash is therefore nothing special.
"""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.drive.lane import Lane, Word
from goalkeeper.core.drive.phases import REQUIRED, REVIEWS, Depth, Ending, Phase, Record, Spend
from goalkeeper.wire.value import MaybeEmpty, Value

MOST_CRASHES = 3
MOST_STALLS = 2
MOST_OUTAGES = 5
MOST_UNCHANGED = 3  # ends of work in a row that leave the tree as it was judged


class Budget(Value):
    """What a drive may use. 0: no limit."""

    iterations: int = 5  # of each goal
    seconds: int = 0  # of work, pauses and downtime not counted
    microdollars: int = 0
    tokens: int = 0
    phase_seconds: int = 3600
    stall_seconds: int = 600
    pause_seconds: int = 6 * 3600  # the longest pause for a rate limit
    backoff_seconds: int = 30  # the first of several pauses that nobody gave a length


class Worktree(Value):
    """Where a goal is worked on."""

    goal_id: str
    path: str
    branch: str
    commit: MaybeEmpty  # that it began with


class Running(Value):
    """A phase that began, and of which no end is recorded."""

    goal_id: str
    iteration: int
    phase: Phase
    attempt: int
    marker: str  # in the environment of all its processes
    tree: str  # before it
    pid: int = 0
    born: str = ""

    @property
    def is_review(self) -> bool:
        return self.phase in REVIEWS


class ExitKind(StrEnum):
    """The honest exits: always open, and cheap."""

    BLOCKED = "blocked"
    IMPOSSIBLE = "impossible"
    NEEDS_HUMAN = "needs-human"


class Reason(StrEnum):
    """Why a drive ended."""

    DONE = "done"
    PARTIAL = "partial"  # the rest is blocked: it failed three times in a row
    BLOCKED = "blocked"
    IMPOSSIBLE = "impossible"
    NEEDS_HUMAN = "needs-human"
    NOT_DUE = "not-due"  # what is left waits for a moment
    NO_CONTRACT = "no-contract"
    MAX_ITERATIONS = "max-iterations"
    MAX_TIME = "max-time"
    MAX_COST = "max-cost"
    MAX_TOKENS = "max-tokens"
    NO_OP = "no-op"
    STAGNATION = "stagnation"
    STALLED = "stalled"
    CRASHED = "crashed"
    OUTAGE = "outage"
    AUTH = "auth"
    RATE_LIMITED = "rate-limited"
    AGENT_MISSING = "agent-missing"
    GATE_CLOSED = "gate-closed"
    FAILED = "failed"  # the place itself: worktree, disk


class Drive(Value):
    agent: str
    depth: Depth
    budget: Budget
    began_at: str
    clock_at: str = ""  # up to when time is counted; empty: it stands still
    milliseconds: int = 0
    spend: Spend = Spend()
    unpriced: int = 0  # phases of which nobody knows what they cost
    earlier: Spend = Spend()  # of drives of the same run before this one
    worktrees: tuple[Worktree, ...] = ()
    running: Running | None = None
    done: tuple[Phase, ...] = ()  # phases of this iteration that were worked or skipped
    attempts: int = 0  # at the next phase
    last: Record | None = None
    crashes: int = 0
    stalls: int = 0
    outages: int = 0
    unchanged: int = 0
    idle: int = 0  # of these, without a single use of a tool
    goal_id: str = ""  # that all of this is about
    tree: str = ""  # after the last phase
    judged_tree: str = ""
    findings: tuple[Finding, ...] = ()  # of the last judgement
    paused_until: str = ""
    paused_for: str = ""
    ended: str = ""
    detail: str = ""
    model: str = ""  # that the agent was told to use; empty: its own choice

    def worktree(self, goal_id: str) -> Worktree | None:
        return next((place for place in self.worktrees if place.goal_id == goal_id), None)

    @property
    def missing(self) -> tuple[Phase, ...]:
        return tuple(phase for phase in REQUIRED[self.depth] if phase not in self.done)

    @property
    def total(self) -> Spend:
        return self.earlier + self.spend

    def used_ms(self, now: str) -> int:
        if not self.clock_at:
            return self.milliseconds
        from goalkeeper.core import moments  # noqa: PLC0415  dear, and seldom needed

        return self.milliseconds + moments.milliseconds_between(self.clock_at, now)


def ticked(drive: Drive, at: str) -> Drive:
    """The time since the last event is working time."""
    return drive.replace(milliseconds=drive.used_ms(at), clock_at=at)


def begun(drive: Drive, running: Running, at: str) -> Drive:
    return ticked(drive, at).replace(running=running, attempts=running.attempt, paused_until="")


def ended(drive: Drive, record: Record, tree: str, at: str) -> Drive:
    """After a phase. Work that was done counts, however its process ended."""
    running, now = drive.running, ticked(drive, at)
    if running is None:
        return now
    after = now.replace(
        running=None,
        last=record,
        tree=tree,
        spend=drive.spend + record.spend,
        unpriced=drive.unpriced + (record.spend.microdollars is None),
    )
    if running.is_review:  # what it says is told by its lane
        return _not_worked(after, Ending.CRASH if record.ending in _CUT_OFF else record.ending)
    if tree == running.tree and record.ending not in _OWN_ENDS:
        return _not_worked(after, record.ending)
    if record.ending in _CUT_SHORT:
        got_on = after.replace(crashes=0, stalls=0, outages=0)
        return _not_worked(got_on, record.ending)
    worked = after.replace(
        done=(*drive.done, running.phase), attempts=0, crashes=0, stalls=0, outages=0
    )
    return worked if worked.missing else _counted(worked, record, tree)


_OWN_ENDS = {Ending.OK, Ending.MOST_TURNS, Ending.MOST_COST, Ending.CONTEXT}
_CUT_OFF = _OWN_ENDS - {Ending.OK}  # before it could answer
_CUT_SHORT = {Ending.RATE_LIMITED, Ending.OUTAGE, Ending.AUTH, Ending.INTERRUPTED}


def _not_worked(drive: Drive, ending: Ending) -> Drive:
    match ending:
        case Ending.CRASH | Ending.TIMEOUT:
            return drive.replace(crashes=drive.crashes + 1)
        case Ending.STALLED:
            return drive.replace(stalls=drive.stalls + 1)
        case Ending.OUTAGE | Ending.RATE_LIMITED:
            return drive.replace(outages=drive.outages + 1)
        case _:
            return drive


def _counted(drive: Drive, record: Record, tree: str) -> Drive:
    """A tree that was judged already is not judged again; the agent is asked once more."""
    if tree != drive.judged_tree:
        return drive
    return drive.replace(
        done=(), unchanged=drive.unchanged + 1, idle=drive.idle + (record.tool_calls == 0)
    )


def judged(drive: Drive, at: str) -> Drive:
    """What lies there was judged; what an agent asks for while it works is its own affair."""
    if drive.running:
        return drive
    fresh = drive.tree != drive.judged_tree
    counted = ticked(drive, at) if drive.clock_at else drive  # people may judge in a pause
    return counted.replace(
        done=(),
        judged_tree=drive.tree,
        unchanged=0 if fresh else drive.unchanged,
        idle=0 if fresh else drive.idle,
    )


def reviewed(drive: Drive, lane: Lane) -> Drive:
    """A reviewer without an answer that can be used is as good as one that crashed."""
    if lane.word is Word.UNUSABLE:
        problem = f"no answer of the {lane.role} lane can be used: {'; '.join(lane.objections)}"
        return drive.replace(crashes=drive.crashes + 1, last=lane.process.replace(problem=problem))
    return drive.replace(attempts=0, crashes=0, stalls=0, outages=0, last=None)


def paused(drive: Drive, until: str, why: str, at: str) -> Drive:
    return ticked(drive, at).replace(paused_until=until, paused_for=why, clock_at="", last=None)


def resumed(drive: Drive, at: str) -> Drive:
    """Another process goes on; what was between the two is nobody's working time."""
    return drive.replace(clock_at="" if drive.paused_until > at else at)


def pause_end(drive: Drive, now: str) -> str:
    """Until when to wait after a rate limit or an outage."""
    from goalkeeper.core import moments  # noqa: PLC0415  as above

    told = moments.read(drive.last.resets_at) if drive.last else None
    if told:
        return moments.written(told)
    seconds = drive.budget.backoff_seconds * 2 ** max(drive.outages - 1, 0)
    return moments.later(now, seconds)


def is_too_long(drive: Drive, until: str, now: str) -> bool:
    from goalkeeper.core import moments  # noqa: PLC0415  as above

    return moments.milliseconds_between(now, until) > drive.budget.pause_seconds * 1000
