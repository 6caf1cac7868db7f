"""Whatever agents and humans ask for, in whatever order: the rules hold, and nothing raises."""

import json
from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from goalkeeper.core import codec
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.contract.timing import read_frozen_criteria
from goalkeeper.core.decide import decide, record_of_refusal
from goalkeeper.core.fold import apply, begin
from goalkeeper.core.plan import commands, graph, objective
from goalkeeper.core.plan.commands import Change, CheckpointStatus, Command, ToolOp
from goalkeeper.core.plan.events import ContractAmended, Event, GoalCompleted, PlanCreated, Unknown
from goalkeeper.core.plan.model import (
    Actor,
    ActorKind,
    Base,
    Classification,
    Frozen,
    Goal,
    GoalMode,
    GoalStatus,
    NewGoal,
    Plan,
    Refused,
    ToolStatus,
)
from goalkeeper.core.snapshot import Position, Snapshot, dump, load
from goalkeeper.wire.canonical import compact
from tests.unit.core.helpers import ALLOWED_MOVES, AT

pytestmark = pytest.mark.timeout(900)  # the thorough profile takes its time

RUN = "20260101-000000-abcd"
POINTER = objective.point_to_run(RUN)
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


def frozen_of(text: str) -> Frozen:
    contract = read_text(text)
    assert isinstance(contract, Contract)
    return Frozen(contract.digest, compact(contract.plain), "", Base("base"), "")


FIRST, CHANGED, SECOND = (
    f"{{id: {name}, text: t, check: {{command: [make, {target}]}}}}"
    for name, target in (("C1", "one"), ("C1", "two"), ("C2", "two"))
)
TEXTS = [f"criteria: [{FIRST}]", f"criteria: [{CHANGED}, {SECOND}]"]
CONTRACTS = [frozen_of(text) for text in TEXTS]
STANDING = Finding("test-removed", Level.BLOCKING, "a.py", 1, "it is gone")
frozens = st.sampled_from(CONTRACTS)
trees = st.sampled_from(["tree1", "tree2", "tree3"])
verdicts = st.sampled_from([Verdict.PASSED, Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN])
judged = st.one_of(
    st.tuples(st.builds(Judged, st.just("C1"), verdicts)),
    st.tuples(
        st.builds(Judged, st.just("C1"), verdicts), st.builds(Judged, st.just("C2"), verdicts)
    ),
)
judgements = st.builds(
    Judgement,
    trees,
    st.just("commit"),
    frozens.map(lambda frozen: frozen.digest),
    st.just("checkout"),
    judged,
    st.sampled_from([(), (), (STANDING,)]),
)
snapshots = st.builds(
    commands.GoalSnapshot, objectives, st.sampled_from(["active", "none", "paused"])
)
requests: st.SearchStrategy[Command] = st.one_of(
    st.builds(commands.StartNext, st.booleans()),
    st.builds(
        commands.Checkpoint,
        ids,
        st.sampled_from(CheckpointStatus),
        words,
        st.none() | snapshots,
        st.none() | judgements,
    ),
    st.builds(commands.FreezeContract, ids, frozens),
    st.builds(commands.AmendContract, ids, frozens, words),
    st.builds(commands.RecordJudgement, ids, judgements, st.integers(1, 5)),
    st.builds(commands.Unblock, ids, words),
    st.builds(commands.Steer, changes, reasons, reasons, keys),
    st.builds(commands.RecordReviewBlockers, ids, words, words, words),
    st.builds(commands.ClassifyBlocker, st.sampled_from(Classification), words, ids | st.just("")),
    st.builds(commands.ChangeGoalTool, st.sampled_from(ToolOp), objectives),
    st.builds(commands.RecordHandoff, st.sampled_from(["", "planning"])),
    st.builds(commands.RecordStep, ids, words, words, words, words),
    st.builds(commands.ConfirmCriterion, ids, words, words, words, words),
    st.builds(commands.Expire, ids),
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
        return codec.decode_event(kind, version, data)


class PlanMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.ledger: list[Line] = []
        self.replay: Plan
        self.replayed = 0
        self.proofs: dict[str, Judgement] = {}

    @property
    def at(self) -> str:
        return f"2026-01-01T00:00:00.{len(self.ledger):06d}Z"

    @initialize(
        mode=st.sampled_from(GoalMode),
        held=st.sampled_from([POINTER, LISTED]),
        count=st.integers(min_value=1, max_value=4),
        chained=st.booleans(),
        briefed=st.booleans(),
    )
    def create(self, mode: GoalMode, held: str, count: int, chained: bool, briefed: bool) -> None:
        goals = tuple(
            NewGoal(
                f"Goal {n}",
                f"do {n}",
                (f"G{n - 1:03d}",) if chained and n > 1 else (),
                TEXTS[0] if briefed and n % 2 else "",
            )
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

    @rule(which=places, frozen=frozens, actor=actors)
    def freeze(self, which: int, frozen: Frozen, actor: Actor) -> None:
        self._ask(commands.FreezeContract(self._one(GoalStatus.ACTIVE, which), frozen), actor)

    @rule(which=places, frozen=frozens, actor=actors)
    def amend(self, which: int, frozen: Frozen, actor: Actor) -> None:
        self._ask(commands.AmendContract(self._one(GoalStatus.ACTIVE, which), frozen, "so"), actor)

    @rule(which=places, judgement=judgements, most=st.integers(1, 5), actor=actors)
    def judge(self, which: int, judgement: Judgement, most: int, actor: Actor) -> None:
        goal_id = self._one(GoalStatus.ACTIVE, which)
        self._ask(commands.RecordJudgement(goal_id, self._of(goal_id, judgement), most), actor)

    @rule(which=places, judgement=judgements, actor=actors)
    def complete(self, which: int, judgement: Judgement, actor: Actor) -> None:
        goal_id, status = self._one(GoalStatus.ACTIVE, which), CheckpointStatus.COMPLETE
        proof = self._of(goal_id, judgement)
        self._ask(commands.Checkpoint(goal_id, status, "so it is", judgement=proof), actor)

    @rule(which=places, tree=trees, actor=actors)
    def prove(self, which: int, tree: str, actor: Actor) -> None:
        self.work_on(actor)
        self.freeze(which, CONTRACTS[0], actor)
        passed = tuple(Judged(name, Verdict.PASSED) for name in ("C1", "C2"))
        self.complete(which, Judgement(tree, "commit", "", "checkout", passed), actor)

    @rule(op=st.sampled_from([ToolOp.CREATE, ToolOp.COMPLETE]), actor=actors)
    def tell_the_tool(self, op: ToolOp, actor: Actor) -> None:
        self._ask(commands.ChangeGoalTool(op), actor)

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

    def _of(self, goal_id: str, judgement: Judgement) -> Judgement:
        """As if it were of the contract that the goal has."""
        goal = self.plan.find_goal(goal_id)
        frozen = goal.frozen if goal else None
        return judgement.replace(contract=frozen.digest) if frozen else judgement

    def _steer(self, change: Change, actor: Actor) -> None:
        self._ask(commands.Steer(change, "seen", "needed"), actor)

    def _ask(self, command: Command, actor: Actor) -> None:
        before = self.plan
        decision = decide(before, command, at=self.at, actor=actor)
        if not isinstance(decision, Refused):
            for event in decision.events:
                assert not isinstance(event, ContractAmended) or actor.kind is ActorKind.HUMAN
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
            new = after.find_goal(old.id)
            assert new is not None
            assert old.status is new.status or (old.status, new.status) in ALLOWED_MOVES
            assert old.status is GoalStatus.PENDING or wording(old) == wording(new)
            amended = isinstance(event, ContractAmended) and event.goal_id == old.id
            assert amended or old.frozen is None or old.frozen == new.frozen
        changed = [*map(shape, before.goals)] != [*map(shape, after.goals)]
        assert after.revision >= before.revision + changed
        if isinstance(event, GoalCompleted) and event.judgement:
            self.proofs[event.goal_id] = event.judgement
        self.plan = after
        self._keep(event)

    def _keep(self, event: Event) -> None:
        self.ledger.append(Line(self.at, compact(codec.encode_event(event))))

    @invariant()
    def goal_ids_are_unique_and_never_vanish(self) -> None:
        found = [goal.id for goal in self.plan.goals]
        assert sorted(found) == [f"G{n:03d}" for n in range(1, len(found) + 1)]
        assert {goal.id for goal in self.first.goals} <= set(found)

    @invariant()
    def nothing_is_complete_without_a_proof_of_its_contract(self) -> None:
        assert {goal.id for goal in self.plan.with_status(GoalStatus.COMPLETE)} == set(self.proofs)
        for goal in self.plan.with_status(GoalStatus.COMPLETE):
            assert goal.frozen is not None
            proof = self.proofs[goal.id]
            assert (proof.is_proven, proof.contract) == (True, goal.frozen.digest)
            assert {state.id for state in goal.criteria} <= {each.id for each in proof.criteria}

    @invariant()
    def the_next_goal_begins_where_the_last_one_was_proven(self) -> None:
        last = [*self.proofs.values()][-1:]
        assert self.plan.base == (Base(last[0].tree, last[0].commit) if last else None)

    @invariant()
    def the_criteria_of_a_goal_are_those_of_its_contract(self) -> None:
        for goal in self.plan.goals:
            said = read_frozen_criteria(goal.frozen.contract) if goal.frozen else {}
            assert [state.id for state in goal.criteria] == list(said)

    @invariant()
    def the_goal_tool_is_complete_only_when_something_is(self) -> None:
        assert self.plan.tool.status is not ToolStatus.COMPLETE or self.proofs

    @invariant()
    def something_is_always_required_and_there_is_always_a_way_on(self) -> None:
        assert self.plan.required_goals
        over = graph.next_action(self.plan, AT) is graph.NextAction.NONE
        assert over is self.plan.is_complete

    @invariant()
    def a_goal_blocked_by_review_waits_for_something(self) -> None:
        open_blockers = {
            goal.blocks
            for goal in self.plan.required_goals
            if goal.status is not GoalStatus.COMPLETE
        }
        assert {g.id for g in self.plan.with_status(GoalStatus.REVIEW_BLOCKED)} <= open_blockers

    @invariant()
    def the_frame_of_the_plan_stays(self) -> None:
        now, then = self.plan, self.first
        assert (now.run_id, now.mode, now.constraints) == (then.run_id, then.mode, then.constraints)
        assert now.objective == then.objective or now == objective.migrate_objective(now)
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
