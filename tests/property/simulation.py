"""A drive whose agents, witness and service do whatever chance tells them."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st

from goalkeeper.core import fold, next_step
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.decide import Decided, decide
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import REVIEWS, Depth, Ending, Phase, Record, Spend
from goalkeeper.core.drive.state import Budget, Drive, ExitKind, Reason, Running
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan import commands, events
from goalkeeper.core.plan.model import ENGINE, GATES, Plan
from goalkeeper.core.plan.standing import list_unseen
from goalkeeper.core.review.assessed import Quality
from goalkeeper.core.review.lane import Lane, LaneWord
from tests.property.strategies import spends
from tests.unit.core.helpers import FROZEN, HUMAN, complete, judgement_of, new, plan_of
from tests.unit.core.stories import NOON, worktree_of

T = TypeVar("T")
MOST_STEPS = 1000
MOST_INTERRUPTS = 3  # the only thing that people could repeat for ever

depths = st.sampled_from(Depth)
budgets = st.builds(
    Budget,
    iterations=st.integers(1, 4),
    seconds=st.sampled_from([0, 60]),
    microdollars=st.sampled_from([0, 10**9]),
    tokens=st.sampled_from([0, 10**9]),
    pause_seconds=st.sampled_from([60, 6 * 3600]),
)
endings = st.sampled_from([Ending.OK] * 6 + list(Ending))
verdicts = st.sampled_from(["pp", "pp", "pf", "fp", "ff", "fu", "po"])
lefts = st.sampled_from([()] * 4 + [("G001/C1",), ("G003/C1", "G003/C2")])
LEAVE = {Phase.PLAN, Phase.VERIFY}
faults = st.sampled_from([()] * 4 + [("nothing is there",)])
words = st.sampled_from([LaneWord.CLEAR] * 6 + list(LaneWord))


class Moment(NamedTuple):
    """The plan before a step, and the step."""

    plan: Plan
    now: str
    step: next_step.Step


class Simulation:
    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw
        self._interrupts = 0
        self._seconds = 0.0
        gate = draw(st.sampled_from(GATES))
        self.plan = plan_of("one", new("two", "G001"), "three").replace(gate=gate)
        self.history: list[tuple[events.Event, str]] = []
        self.moments: list[Moment] = []
        self.spent = Spend()
        self.worked = 0.0  # seconds
        self.kills = 0

    @property
    def drive(self) -> Drive:
        assert self.plan.drive
        return self.plan.drive

    @property
    def now(self) -> str:
        return add_seconds(NOON, self._seconds)

    def play(self) -> Reason:
        """Until it ends; how."""
        began = happened.DriveBegan("rehearsal", self._pick(depths), self._pick(budgets))
        self._record(began.replace(left=self._pick(lefts)))
        for _ in range(MOST_STEPS):
            step = next_step.choose_step(self.plan, self.drive, self.now)
            self.moments.append(Moment(self.plan, self.now, step))
            if isinstance(step, next_step.Stop):
                self._record(happened.DriveEnded(step.reason, step.detail))
                return step.reason
            self._take(step)
            self._perhaps_killed()
        raise AssertionError("it never ends")

    def _take(self, step: next_step.Step) -> None:
        match step:
            case next_step.Start():
                self._do(commands.StartNext())
            case next_step.Freeze(goal_id):
                frozen = FROZEN.replace(base=self.plan.base or FROZEN.base)
                self._do(commands.FreezeContract(goal_id, frozen), human=True)
            case next_step.MakeWorktree(goal_id):
                self._record(happened.WorktreeMade(worktree_of(goal_id), f"base of {goal_id}"))
            case next_step.Exec():
                self._work(step)
            case next_step.Recover(running):
                self._end(running)
            case next_step.Judge(goal_id):
                self._judge(goal_id, self._pick(verdicts))
            case next_step.Review():
                self._look(step)
            case next_step.Complete(goal_id):
                self._complete(goal_id)
            case next_step.SetAside(goal_id, why):
                self._do(commands.Checkpoint(goal_id, commands.CheckpointStatus.BLOCKED, why))
            case next_step.ProveWhole():
                self._prove_whole()
            case next_step.Wait(until):
                assert until > self.now
                while self.now < until:
                    self._seconds += 30
            case next_step.Stop() | next_step.Challenge():
                raise AssertionError(step)
            case event:
                self._record(event)

    def _prove_whole(self) -> None:
        """Nearly everything holds on the last tree; what does not is worked on again."""
        assert self.plan.base
        fails = self._pick(st.integers(0, 9)) == 0
        seen = tuple(
            Judged(each.name, Verdict.FAILED if fails else Verdict.PASSED)
            for each in list_unseen(self.plan)
        )
        self._do(commands.RecordStanding(self.plan.base.tree, seen))

    def _work(self, step: next_step.Exec) -> None:
        running = self._begun(step, step.phase)
        if running is None:
            return
        if self._pick(st.integers(0, 9)) == 0:
            kind = self._pick(st.sampled_from(ExitKind))
            self._do(commands.GiveUp(step.goal_id, kind, "no key"))
        if not self._perhaps_killed():
            self._end(running)

    def _look(self, step: next_step.Review) -> None:
        running = self._begun(step, Phase(step.role))
        if running is None:
            return
        ended = self._end(running)
        if ended.ending is not Ending.OK or self._perhaps_killed():
            return
        lane = Lane(step.role, running.tree, FROZEN.digest, self._pick(words), ended)
        self._do(commands.ReportLane(step.goal_id, lane))

    def _begun(self, step: next_step.Exec | next_step.Review, phase: Phase) -> Running | None:
        """A process that runs; None when we were killed before we knew of it."""
        running = Running(
            step.goal_id, step.iteration, phase, step.attempt, "marker", self._tree(step.goal_id)
        )
        self._record(happened.PhaseBegan(running, "rehearsal", "prompt"))
        if self._perhaps_killed():
            return None
        self._record(happened.PhaseSpawned(step.goal_id, 7, "8", "argv"))
        self._passes(self._pick(st.integers(0, 20)))
        return running

    def _end(self, running: Running) -> Record:
        ending, spend = self._pick(endings), self._pick(spends)
        if ending is Ending.INTERRUPTED:
            self._interrupts += 1
            ending = ending if self._interrupts <= MOST_INTERRUPTS else Ending.OK
        left = [running.tree, "tree1", "tree2", "tree3"]
        tree = running.tree if running.phase in REVIEWS else self._pick(st.sampled_from(left))
        record = Record("rehearsal", ending, spend=spend, tool_calls=self._pick(st.integers(0, 1)))
        self.spent += spend
        self._record(
            happened.PhaseEnded(
                running.goal_id, running.iteration, running.phase, running.attempt, record, tree,
                lacks=self._pick(faults) if running.phase in LEAVE else (),
                is_clear=self._pick(st.booleans()) if running.phase is Phase.VERIFY else None,
            )
        )  # fmt: skip
        return record

    def _judge(self, goal_id: str, told: str) -> None:
        judgement = judgement_of(told, tree=self._tree(goal_id))
        most = self.drive.budget.iterations
        if not self._do(commands.RecordJudgement(goal_id, judgement, most)):
            self._record(happened.JudgementStood(goal_id, judgement.unchecked))

    def _complete(self, goal_id: str) -> None:
        if self._pick(st.integers(0, 3)) == 0:  # what is uncached may say otherwise
            self._judge(goal_id, "pf")
            return
        judgement = judgement_of("pp", tree=self._tree(goal_id))
        quality = Quality(judgement.tree, "digest", ())
        self._do(complete(goal_id).replace(judgement=judgement, quality=quality))

    def _tree(self, goal_id: str) -> str:
        line = self.drive.line(goal_id)
        assert line
        return line.tree

    def _perhaps_killed(self) -> bool:
        if self.kills == 5 or self._pick(st.integers(0, 19)):
            return False
        self.kills += 1
        self._seconds += self._pick(st.integers(0, 10**5))  # nobody works meanwhile
        self._record(happened.DriveResumed())
        return True

    def _passes(self, seconds: int) -> None:
        self._seconds += seconds
        self.worked += seconds

    def _pick(self, strategy: st.SearchStrategy[T]) -> T:
        picked: T = self._draw(strategy)
        return picked

    def _record(self, event: happened.DriveEvent) -> None:
        assert self._do(commands.Advance(event)) == (event,)

    def _do(self, command: commands.Command, *, human: bool = False) -> tuple[events.Event, ...]:
        """As `decide` allows it; nothing here is ever refused."""
        actor = HUMAN if human else ENGINE
        decided = decide(self.plan, command, at=self.now, actor=actor)
        assert isinstance(decided, Decided), decided
        for event in decided.events:
            self.plan = fold.apply(self.plan, event, self.now)
            self.history.append((event, self.now))
        return decided.events
