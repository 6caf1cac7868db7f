"""Whatever agents and humans ask for, in whatever order: the rules hold, and nothing raises."""

import json
from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from goalkeeper.core import codec, commands, graph, objective
from goalkeeper.core.commands import Change, CheckpointStatus, Command, ToolOp
from goalkeeper.core.decide import decide, record_of_refusal
from goalkeeper.core.events import Event, PlanCreated, Unknown
from goalkeeper.core.fold import apply, begin
from goalkeeper.core.model import (
    Actor,
    ActorKind,
    Classification,
    Goal,
    GoalMode,
    GoalStatus,
    NewGoal,
    Plan,
    Refused,
)
from goalkeeper.core.snapshot import Position, Snapshot, dump, load
from goalkeeper.wire.canonical import compact
from tests.unit.core.helpers import ALLOWED_MOVES

pytestmark = pytest.mark.timeout(900)  # the thorough profile takes its time

RUN = "20260101-000000-abcd"
POINTER = objective.pointer(RUN)
LISTED = "Complete G001, G002."
PLACE = Position(1, 0, 100, "f" * 64)

actors = st.sampled_from(
    [Actor(ActorKind.AGENT, "no terminal"), Actor(ActorKind.HUMAN, "terminal")]
)
ids = st.sampled_from(["G001", "G002", "G003", "G004", "G005", "G006", "G999"])
places = st.integers(min_value=0, max_value=7)
words = st.sampled_from(["this", "that", "these", "those", "more", "less", "all", " "])
reasons = st.sampled_from(["seen", "seen again", "heard", " "])
keys = st.sampled_from(["", "", "k1", "k2"])
objectives = st.sampled_from(["", "an errand", LISTED, POINTER])
new_goals = st.builds(NewGoal, words, words)
parts = st.lists(new_goals, min_size=1, max_size=4).map(tuple)

changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(commands.AddSubgoal, new_goals),
    st.builds(commands.SplitSubgoal, ids, parts),
    st.builds(commands.ReorderPending, st.lists(ids, max_size=3).map(tuple)),
    st.builds(commands.RevisePendingWording, ids, words, words),
    st.just(commands.AnnotateLedger()),
    st.builds(commands.MarkBlockedSuperseded, ids),
)
snapshots = st.builds(
    commands.GoalSnapshot, objectives, st.sampled_from(["active", "none", "paused"])
)
requests: st.SearchStrategy[Command] = st.one_of(
    st.builds(commands.StartNext, st.booleans()),
    st.builds(
        commands.Checkpoint, ids, st.sampled_from(CheckpointStatus), words, st.none() | snapshots
    ),
    st.builds(commands.Unblock, ids, words),
    st.builds(commands.Steer, changes, reasons, reasons, keys),
    st.builds(commands.RecordReviewBlockers, ids, words, words, words),
    st.builds(commands.ClassifyBlocker, st.sampled_from(Classification), words, ids | st.just("")),
    st.builds(commands.ChangeGoalTool, st.sampled_from(ToolOp), objectives),
    st.builds(commands.RecordHandoff, st.sampled_from(["", "planning"])),
)


def wording(goal: Goal) -> tuple[str, ...]:
    return goal.title, goal.objective, goal.contract, *goal.depends_on


def shape(goal: Goal) -> tuple[str, ...]:
    return goal.id, goal.status, *wording(goal)


class Line(NamedTuple):
    """What a ledger keeps of an event."""

    at: str
    text: str

    def event(self) -> Event:
        kind, version, data = json.loads(self.text)
        return codec.decode(kind, version, data)


class PlanMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.ledger: list[Line] = []
        self.replay: Plan
        self.replayed = 0

    @property
    def at(self) -> str:
        return f"2026-01-01T00:00:00.{len(self.ledger):06d}Z"

    @initialize(
        mode=st.sampled_from(GoalMode),
        held=st.sampled_from([POINTER, LISTED]),
        count=st.integers(min_value=1, max_value=4),
        chained=st.booleans(),
    )
    def create(self, mode: GoalMode, held: str, count: int, chained: bool) -> None:
        goals = tuple(
            NewGoal(f"Goal {n}", f"do {n}", (f"G{n - 1:03d}",) if chained and n > 1 else ())
            for n in range(1, count + 1)
        )
        created = PlanCreated(RUN, "the brief", mode, held, "the constraints", goals)
        self.plan = self.first = self.replay = begin(created, self.at)
        self._keep(created)

    @rule(command=requests, actor=actors)
    def ask(self, command: Command, actor: Actor) -> None:
        self._ask(command, actor)

    @rule(actor=actors)
    def work_on(self, actor: Actor) -> None:
        self._ask(commands.StartNext(retry_failed=True), actor)

    @rule(which=places, status=st.sampled_from(["failed", "blocked"]), actor=actors)
    def set_down(self, which: int, status: str, actor: Actor) -> None:
        goal_id = self._one(GoalStatus.ACTIVE, which)
        self._ask(commands.Checkpoint(goal_id, CheckpointStatus(status), "so it is"), actor)

    @rule(which=places, finding=words, actor=actors)
    def review(self, which: int, finding: str, actor: Actor) -> None:
        goal_id = self._one(GoalStatus.ACTIVE, which)
        self._ask(commands.RecordReviewBlockers(goal_id, "Finding", finding, "review"), actor)

    @rule(which=places, evidence=words, actor=actors)
    def unblock(self, which: int, evidence: str, actor: Actor) -> None:
        self._ask(commands.Unblock(self._one(GoalStatus.BLOCKED, which), evidence), actor)

    @rule(which=places, how=st.sampled_from(Classification), actor=actors)
    def classify(self, which: int, how: Classification, actor: Actor) -> None:
        goal_id = self._one(GoalStatus.BLOCKED, which)
        self._ask(commands.ClassifyBlocker(how, "so it is", goal_id), actor)

    @rule(new=new_goals, actor=actors)
    def add(self, new: NewGoal, actor: Actor) -> None:
        self._steer(commands.AddSubgoal(new), actor)

    @rule(which=places, new=parts, actor=actors)
    def split(self, which: int, new: tuple[NewGoal, ...], actor: Actor) -> None:
        self._steer(commands.SplitSubgoal(self._one(GoalStatus.PENDING, which), new), actor)

    @rule(which=places, title=words, actor=actors)
    def reword(self, which: int, title: str, actor: Actor) -> None:
        goal_id = self._one(GoalStatus.PENDING, which)
        self._steer(commands.RevisePendingWording(goal_id, title), actor)

    @rule(shuffled=st.permutations(range(8)), actor=actors)
    def reorder(self, shuffled: list[int], actor: Actor) -> None:
        pending = dict(enumerate(goal.id for goal in self.plan.with_status(GoalStatus.PENDING)))
        order = tuple(pending[place] for place in shuffled if place in pending)
        self._steer(commands.ReorderPending(order), actor)

    @rule(which=places, actor=actors)
    def supersede(self, which: int, actor: Actor) -> None:
        self._steer(commands.MarkBlockedSuperseded(self._one(GoalStatus.BLOCKED, which)), actor)

    @rule(data=st.dictionaries(st.text(max_size=3), st.integers(), max_size=2))
    def a_newer_goalkeeper_records_something(self, data: dict[str, int]) -> None:
        before = self.plan
        self._record(Unknown("moon_landed", data))

        assert self.plan == before

    def _one(self, status: GoalStatus, which: int) -> str:
        """One of the goals in this status, or else any goal."""
        goals = self.plan.with_status(status) or self.plan.goals
        return goals[which % len(goals)].id

    def _steer(self, change: Change, actor: Actor) -> None:
        self._ask(commands.Steer(change, "seen", "needed"), actor)

    def _ask(self, command: Command, actor: Actor) -> None:
        before = self.plan
        decision = decide(before, command, at=self.at, actor=actor)
        if not isinstance(decision, Refused):
            for event in decision.events:
                self._record(event)
            return
        assert decision.reason
        assert decision.message
        for event in record_of_refusal(command, decision, actor):
            self._record(event)
        assert self.plan == before

    def _record(self, event: Event) -> None:
        before, after = self.plan, apply(self.plan, event, self.at)
        assert after is not None
        for old in before.goals:
            new = after.goal(old.id)
            assert new is not None
            assert old.status is new.status or (old.status, new.status) in ALLOWED_MOVES
            assert old.status is GoalStatus.PENDING or wording(old) == wording(new)
        changed = [*map(shape, before.goals)] != [*map(shape, after.goals)]
        assert after.revision >= before.revision + changed
        self.plan = after
        self._keep(event)

    def _keep(self, event: Event) -> None:
        self.ledger.append(Line(self.at, compact(codec.encode(event))))

    @invariant()
    def goal_ids_are_unique_and_never_vanish(self) -> None:
        found = [goal.id for goal in self.plan.goals]
        assert sorted(found) == [f"G{n:03d}" for n in range(1, len(found) + 1)]
        assert {goal.id for goal in self.first.goals} <= set(found)

    @invariant()
    def nothing_is_complete_without_a_gate(self) -> None:
        assert not self.plan.with_status(GoalStatus.COMPLETE)
        assert not self.plan.is_complete

    @invariant()
    def something_is_always_required_and_there_is_always_a_way_on(self) -> None:
        assert self.plan.required
        assert graph.next_action(self.plan) is not graph.NextAction.NONE

    @invariant()
    def a_goal_blocked_by_review_waits_for_something(self) -> None:
        open_blockers = {
            goal.blocks for goal in self.plan.required if goal.status is not GoalStatus.COMPLETE
        }
        assert {g.id for g in self.plan.with_status(GoalStatus.REVIEW_BLOCKED)} <= open_blockers

    @invariant()
    def the_frame_of_the_plan_stays(self) -> None:
        now, then = self.plan, self.first
        assert (now.run_id, now.mode, now.constraints) == (then.run_id, then.mode, then.constraints)
        assert now.objective == then.objective or now == objective.migrated(now)
        assert set(now.aliases) <= {then.objective}

    @invariant()
    def the_ledger_alone_gives_the_same_plan(self) -> None:
        for line in self.ledger[self.replayed :]:
            self.replay = apply(self.replay, line.event(), line.at)
        self.replayed = len(self.ledger)
        assert self.replay == self.plan

    @invariant()
    def the_plan_survives_the_way_through_goals_json(self) -> None:
        snapshot = Snapshot(self.plan, PLACE)
        assert load(dump(snapshot)) == snapshot


TestAnySequenceOfCommandsKeepsTheRules = PlanMachine.TestCase
TestAnySequenceOfCommandsKeepsTheRules.settings = settings(stateful_step_count=40)
