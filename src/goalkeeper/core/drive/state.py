"""A drive is goalkeeper working through a run with an agent; a line of work is one goal of it.

All that a drive must not forget is in its events. `drive.fold` makes this state of them, and
`next_step` says what comes next. So a drive goes on after a crash as after any other event.
"""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core import moments
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.drive.artifacts import ArtifactGate, PhaseTrace
from goalkeeper.core.drive.phases import REQUIRED, REVIEWS, Depth, Phase, Record, Spend
from goalkeeper.wire.value import MaybeEmpty, Value

CANNOT_WORK = 77  # whoever exits so says that this place cannot do the work
MET_ELSEWHERE = 78  # the exit code of a session that has nothing left to do
MOST_CRASHES = 3
MOST_STALLS = 2
MOST_UNCHECKED = 2  # so many judgements in a row may find one tree impossible to check
MOST_UNCHANGED = 3  # so many ends of work in a row may leave the tree as it was judged


class Budget(Value):
    """What a drive may use; 0 means that there is no limit."""

    iterations: int = 5  # the limit for each goal
    seconds: int = 0  # working time; pauses and the time between two processes do not count
    microdollars: int = 0
    tokens: int = 0
    phase_seconds: int = 3600
    stall_seconds: int = 600
    pause_seconds: int = 6 * 3600  # the longest pause for a rate limit
    backoff_seconds: int = 30  # the first of several pauses whose length nobody gave


class Worktree(Value):
    """The place where a goal is worked on."""

    goal_id: str
    path: str
    branch: str
    commit: MaybeEmpty  # the commit that it began with


class Running(Value):
    """A phase that began and of which no end is recorded."""

    goal_id: str
    iteration: int
    phase: Phase
    attempt: int
    marker: str  # all its processes have it in their environment
    tree: str  # the tree before the phase
    pid: int = 0
    born: str = ""

    @property
    def is_review(self) -> bool:
        return self.phase in REVIEWS


class ExitKind(StrEnum):
    """The kinds of honest exit: how an agent may say that it cannot meet a goal."""

    BLOCKED = "blocked"
    IMPOSSIBLE = "impossible"
    NEEDS_HUMAN = "needs-human"
    CONTRACT_WRONG = "contract-wrong"  # what it is judged by is not what was asked for


class Reason(StrEnum):
    """The reasons why a drive ends."""

    DONE = "done"
    PARTIAL = "partial"  # the rest is blocked: it failed three times in a row, now or before
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
    CIRCUMVENTION = "circumvention"  # a phase of a full iteration left nothing that can be used
    UNKNOWN = "unknown"  # what is left could not be checked, and no work helps
    FAILED = "failed"  # the worktree or the disk failed
    PREFLIGHT = "preflight"  # this place cannot do the work, and none was begun


# A limit or a breaker ends a drive for these reasons, before its goals are proven.
SAFEGUARDS = frozenset({
    Reason.MAX_ITERATIONS, Reason.MAX_TIME, Reason.MAX_COST, Reason.MAX_TOKENS, Reason.NO_OP,
    Reason.STAGNATION, Reason.STALLED, Reason.CIRCUMVENTION,
})  # fmt: skip


class LineOfWork(Value):
    """The work on one goal: where it is done, how far it is, and what went wrong with it.

    A line that nobody works on keeps its worktree and nothing else.
    """

    worktree: Worktree
    tree: str = ""  # the tree after the last phase; empty when nobody works on it
    judged_tree: str = ""
    commit: str = ""  # the last commit after the last phase, if the contract is about commits
    judged_commit: str = ""
    findings: tuple[Finding, ...] = ()  # the findings of the last judgement
    unchecked: tuple[str, ...] = ()  # why it could not check, if nothing else is left
    hit_limit: bool = False  # a limit was among the reasons, and work may help
    told_limit: str = ""  # the tree of which an agent was told that it hits a limit
    unchecked_times: int = 0  # it counts such judgements of one tree in a row
    rejudge: bool = False  # somebody asked for one more judgement of the same tree
    running: Running | None = None
    traces: tuple[PhaseTrace, ...] = ()  # the phases of this iteration
    gate: ArtifactGate | None = None  # what it said of this iteration, if it was asked
    attempts: int = 0  # it counts attempts at the next phase
    last: Record | None = None
    crashes: int = 0
    stalls: int = 0
    outages: int = 0
    unchanged: int = 0
    idle: int = 0  # it counts the unchanged ends without a single use of a tool

    @property
    def goal_id(self) -> str:
        return self.worktree.goal_id

    @property
    def problem(self) -> str:
        """Say why the last phase ended as it did."""
        return self.last.problem if self.last else ""

    @property
    def done(self) -> tuple[Phase, ...]:
        """Return the phases of this iteration that were worked or skipped."""
        return tuple(trace.phase for trace in self.traces if not trace.lacks)

    def find_trace(self, phase: Phase) -> PhaseTrace:
        return next((t for t in self.traces if t.phase is phase), PhaseTrace(phase))

    def with_trace(self, trace: PhaseTrace) -> LineOfWork:
        others = (known for known in self.traces if known.phase is not trace.phase)
        return self.replace(traces=(*others, trace))

    @property
    def closed_gate(self) -> ArtifactGate | None:
        """Return the artifact gate if it stopped the work."""
        return self.gate if self.gate and not self.gate.ok else None

    @property
    def is_judged_again(self) -> bool:
        """Return whether the next judgement is of the tree that was judged last.

        A tree that could not be checked may be in order, so it is not left to an agent.
        """
        again = self.rejudge or bool(self.unchecked)
        return again and bool(self.tree) and self.judged_tree == self.tree

    @property
    def is_under_way(self) -> bool:
        return bool(self.tree)

    def missing_phases(self, depth: Depth) -> tuple[Phase, ...]:
        return tuple(phase for phase in REQUIRED[depth] if phase not in self.done)


class Drive(Value):
    """The terms of a drive, what it has used of them, and its lines of work."""

    agent: str
    depth: Depth
    budget: Budget
    began_at: str
    clock_at: str = ""  # time is counted up to here; it is empty while the clock stands still
    milliseconds: int = 0
    spend: Spend = Spend()
    unpriced: int = 0  # it counts phases whose cost nobody knows
    earlier: Spend = Spend()  # what earlier drives of the same run cost
    lines: tuple[LineOfWork, ...] = ()  # it has at most one line for each goal
    paused_until: str = ""
    paused_for: str = ""
    ended: str = ""
    detail: str = ""
    model: str = ""  # the agent was told to use it; it is empty when the agent chooses itself
    left: tuple[str, ...] = ()  # criteria that are not tried again, by names such as G001/C1

    @property
    def agent_options(self) -> str:
        """Return the options that name its agent; two agents are told once more what to do."""
        more = {"rehearsal": " --script <story.json>", "command": " --command <JSON list>"}
        return f"--agent {self.agent}{more.get(self.agent, '')}"

    def line(self, goal_id: str) -> LineOfWork | None:
        return next((line for line in self.lines if line.goal_id == goal_id), None)

    def is_shortened_by(self, depth: Depth) -> bool:
        """Return whether iterations of this depth have fewer phases than those of the drive."""
        return depth is not self.depth is Depth.FULL

    @property
    def running(self) -> tuple[Running, ...]:
        """Return the phases of all lines that began and have no end."""
        return tuple(line.running for line in self.lines if line.running)

    @property
    def total(self) -> Spend:
        return self.earlier + self.spend

    def used_ms(self, now: str) -> int:
        if not self.clock_at:
            return self.milliseconds
        return self.milliseconds + moments.milliseconds_between(self.clock_at, now)

    def find_limits(self, now: str) -> Budget:
        """Find what a phase may use: what is left of the time and the money; 0 means no limit.

        `next_step` stops a drive that has nothing left of them.
        """
        budget = self.budget
        if budget.microdollars:
            money = max(0, budget.microdollars - (self.total.microdollars or 0))
            budget = budget.replace(microdollars=money)
        if not budget.seconds:
            return budget
        left = max(1, budget.seconds - self.used_ms(now) // 1000)
        most = min(budget.phase_seconds, left) if budget.phase_seconds else left
        return budget.replace(phase_seconds=most)
