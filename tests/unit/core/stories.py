"""A plan that is driven, told event by event, with a clock that only we move."""

from goalkeeper.core import fold
from goalkeeper.core import next_step as core_next_step
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.decide import Decided, decide
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import Depth, Ending, Phase, Record
from goalkeeper.core.drive.state import Budget, Drive, LineOfWork, Reason, Running, Worktree
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.next_step import Step, choose_step
from goalkeeper.core.plan.commands import RecordJudgement
from goalkeeper.core.plan.events import Event, LaneReported
from goalkeeper.core.plan.model import ENGINE, Goal, Plan
from goalkeeper.core.review.lane import Lane, LaneWord
from tests.unit.core.helpers import frozen_plan, judgement_of

NOON = "2026-01-01T12:00:00.000000Z"


def worktree_of(goal_id: str) -> Worktree:
    return Worktree(goal_id, f"/yard/{goal_id}", f"goalkeeper/run/{goal_id}", "commit-of-base")


def record_of(ending: Ending = Ending.OK, **fields: object) -> Record:
    return Record("rehearsal", ending).replace(**{"tool_calls": 1, **fields})


def settled(depth: Depth = Depth.QUICK, /, **limits: int) -> "Story":
    """A drive whose first goal has its worktree."""
    return Story(depth=depth, budget=Budget().replace(**limits)).settle()


def judged(told: str, **limits: int) -> "Story":
    """After one iteration that was judged so, on tree1."""
    return settled(**limits).work("tree1").judge(told)


def work(
    iteration: int = 1, phase: Phase = Phase.IMPL, attempt: int = 1, **more: bool
) -> core_next_step.Exec:
    """The step that has an agent work on the first goal."""
    return core_next_step.Exec("G001", iteration, phase, attempt, **more)


def stop(story: "Story") -> Reason:
    assert isinstance(story.next, core_next_step.Stop), story.next
    return story.next.reason


class Story:
    def __init__(
        self, plan: Plan | None = None, *, depth: Depth = Depth.QUICK, budget: Budget | None = None
    ) -> None:
        self.plan = plan or frozen_plan()
        self.seconds = 0.0
        self.tell(happened.DriveBegan("rehearsal", depth, budget or Budget()))

    @property
    def now(self) -> str:
        return add_seconds(NOON, self.seconds)

    @property
    def drive(self) -> Drive:
        assert self.plan.drive
        return self.plan.drive

    @property
    def line(self) -> LineOfWork:
        """The line of work that began last."""
        return self.drive.lines[-1]

    @property
    def missing(self) -> tuple[Phase, ...]:
        return self.line.missing_phases(self.drive.depth)

    @property
    def goal(self) -> Goal:
        goal = self.plan.find_goal(self.line.goal_id)
        assert goal
        return goal

    @property
    def next(self) -> Step:
        return choose_step(self.plan, self.drive, self.now)

    def tell(self, *events: Event, seconds: float = 0) -> "Story":
        """These happen, so many seconds later."""
        self.seconds += seconds
        for event in events:
            self.plan = fold.apply(self.plan, event, self.now)
        return self

    def settle(self, goal_id: str = "G001", tree: str = "base-tree") -> "Story":
        return self.tell(happened.WorktreeMade(worktree_of(goal_id), tree))

    def begin(self, phase: Phase | None = None, *, seconds: float = 0) -> "Story":
        """The phase that is asked for, else the one that is named."""
        self.seconds += seconds
        asked = self.next
        if phase is None:
            assert isinstance(asked, core_next_step.Exec), asked
            running = Running(
                asked.goal_id, asked.iteration, asked.phase, asked.attempt, "marker",
                self.line.tree,
            )  # fmt: skip
        else:
            running = Running(
                self.line.goal_id, self.goal.iteration + 1, phase, 1, "marker", self.line.tree
            )
        began = happened.PhaseBegan(running, "rehearsal", "digest of the prompt")
        return self.tell(began)

    def end(self, record: Record, tree: str = "", *, seconds: float = 0) -> "Story":
        """The phase that runs; without a tree it left everything as it was."""
        running = self.line.running
        assert running
        return self.tell(
            happened.PhaseEnded(
                running.goal_id, running.iteration, running.phase, running.attempt, record,
                tree or running.tree,
            ),
            seconds=seconds,
        )  # fmt: skip

    def work(
        self, tree: str = "", ending: Ending = Ending.OK, *, seconds: float = 0, **fields: object
    ) -> "Story":
        return self.begin().end(record_of(ending, **fields), tree, seconds=seconds)

    def look(
        self, word: LaneWord = LaneWord.CLEAR, ending: Ending = Ending.OK, **fields: object
    ) -> "Story":
        """By the lane that is asked for, as `Driver` tells of it."""
        asked = self.next
        assert isinstance(asked, core_next_step.Review), asked
        running = Running(
            asked.goal_id, asked.iteration, Phase(asked.role), asked.attempt, "marker",
            self.line.tree,
        )  # fmt: skip
        record = record_of(ending, **fields)
        self.tell(happened.PhaseBegan(running, "rehearsal", "digest of the prompt")).end(record)
        if ending is not Ending.OK:
            return self
        frozen = self.goal.frozen
        lane = Lane(
            asked.role, self.line.judged_tree, frozen.digest if frozen else "", word, record,
            objections=() if word is LaneWord.CLEAR else (f"what {asked.role} says",),
        )  # fmt: skip
        return self.tell(LaneReported(asked.goal_id, lane))

    def judge(self, told: str, *findings: Finding) -> "Story":
        """What lies in the worktree, by goalkeeper itself."""
        judgement = judgement_of(told, *findings, tree=self.line.tree)
        command = RecordJudgement(self.line.goal_id, judgement, self.drive.budget.iterations)
        decided = decide(self.plan, command, at=self.now, actor=ENGINE)
        assert isinstance(decided, Decided), decided
        stood = happened.JudgementStood(self.line.goal_id, judgement.unchecked)
        return self.tell(*decided.events or (stood,))
