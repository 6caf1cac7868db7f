"""A worker that judges its own work while it is driven: it is told, and nothing is recorded."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.app.handle import handle
from goalkeeper.app.judging import Ruling, judge
from goalkeeper.app.ports import ReceiptSigner
from goalkeeper.app.trials import Examination, Files, Trial
from goalkeeper.config import Settings
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.decide import create
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import Depth, Phase
from goalkeeper.core.drive.state import Budget, Running
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import ENGINE, Actor, Base, GoalMode
from goalkeeper.core.review.words import Artifact, Proved, Shelf
from tests.doubles.clock import ManualClock
from tests.doubles.memory import MemoryRun
from tests.unit.core.helpers import AGENT, AT, HUMAN, RUN, frozen_of, judgement_of, new, start
from tests.unit.core.stories import record_of, worktree_of

FROZEN = frozen_of("""
criteria:
- {id: C1, text: it holds, check: {command: [make, one]}}
- {id: C2, text: it holds elsewhere, check: {pytest: held_out}, held_out: [/cellar/test_it.py]}
- {id: C3, text: and there, check: {pytest: held_out}, held_out: [/cellar/test_there.py]}
""")
UNUSED = ReceiptSigner(sign=lambda _: {}, keep=print, has=bool, version=str)
WORK = Running("G001", 1, Phase.IMPL, 1, "marker", "tree0")


class Seer:
    """A witness that sees what it is told to see, and keeps what it was asked."""

    def __init__(self) -> None:
        self.sees = "fff"
        self.tree = "tree1"
        self.asked: list[Trial] = []

    def prove_candidate(self, trial: Trial, candidate: Base) -> Judgement:
        self.asked.append(trial)
        return judgement_of(self.sees, frozen=FROZEN, tree=candidate.tree)

    def take_snapshot(self) -> Base:
        return Base(self.tree)

    def is_still(self, tree: str) -> bool:
        return tree == self.tree

    def settings_of(self, base: Base) -> Settings:
        return Settings()

    def is_committed(self, base: Base) -> bool:
        raise NotImplementedError

    def find_roots(self, commit: str) -> tuple[str, ...]:
        raise NotImplementedError

    def check_artifacts(
        self, trial: Trial, candidate: Base, artifacts: Sequence[Artifact], shelf: Shelf
    ) -> tuple[Proved, ...]:
        raise NotImplementedError

    def keep_document(self, document: Mapping[str, object]) -> str:
        raise NotImplementedError

    def has_proof(self, digest: str, tree: str) -> bool:
        raise NotImplementedError

    def read_kept(self, digest: str) -> Mapping[str, Any] | None:
        raise NotImplementedError

    def resolve_revision(self, revision: str) -> Base:
        raise NotImplementedError

    def examine_base(self, trial: Trial) -> Examination:
        raise NotImplementedError

    def audit_change(self, trial: Trial, candidate: Base) -> tuple[Finding, ...]:
        raise NotImplementedError

    def list_protected(self, trial: Trial) -> tuple[str, ...]:
        raise NotImplementedError

    def list_changed(self, old: str, new: str) -> tuple[str, ...] | None:
        raise NotImplementedError

    def show_difference(self, old: str, new: str) -> str:
        raise NotImplementedError

    def open_tree(self, tree: str) -> Files:
        raise NotImplementedError

    def count_mentions(self, tree: str, query: str, *, without: Sequence[str]) -> int:
        raise NotImplementedError

    def list_commits(self, base: Base, candidate: Base) -> tuple[str, ...]:
        raise NotImplementedError

    def find_affected(self, evidence: Mapping[str, str], candidate: Base) -> frozenset[str]:
        return frozenset()

    def judge_criteria(self, trial: Trial, candidate: Base) -> tuple[Judged, ...]:
        raise NotImplementedError

    def lay_setup(self, trial: Trial, place: str) -> tuple[str, ...]:
        raise NotImplementedError

    def lay_files(self, tree: str, files: Mapping[str, str | None]) -> str:
        raise NotImplementedError


class House:
    """A run whose first goal is frozen with two held-out criteria, and driven."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.seer = Seer()
        asked = commands.CreatePlan(RUN, "brief", GoalMode.AGGREGATE, "", (new("one"),))
        self.run = MemoryRun(create(asked, HUMAN), at=AT, actor=HUMAN)
        self.do(start(), commands.FreezeContract("G001", FROZEN), actor=HUMAN)
        self.tell(happened.DriveBegan("rehearsal", Depth.QUICK, Budget()))
        self.tell(happened.WorktreeMade(worktree_of("G001"), "tree0"))

    def do(self, *asked: commands.Command, actor: Actor = ENGINE) -> None:
        for command in asked:
            outcome = handle(self.run, command, actor=actor, clock=self.clock)
            assert outcome.refused is None

    def tell(self, event: happened.DriveEvent) -> None:
        self.do(commands.Advance(event))

    def begin(self) -> None:
        self.tell(happened.PhaseBegan(WORK, "rehearsal", "prompt"))

    def judge(self, actor: Actor) -> Ruling:
        context = JudgeContext(
            self.run, self.seer, actor, self.clock, lambda: None, UNUSED, lambda: ()
        )
        ruled = judge(context, "G001")
        assert isinstance(ruled, Ruling)
        return ruled

    def silenced(self, actor: Actor) -> list[str]:
        self.judge(actor)
        return sorted(self.seer.asked[-1].silenced)


@pytest.fixture
def house() -> House:
    return House()


def test_a_look_is_answered_and_leaves_no_trace(house: House) -> None:
    house.begin()
    before = list(house.run.entries())

    ruled = house.judge(AGENT)

    assert [each.verdict for each in ruled.judgement.criteria] == ["failed"] * 3
    assert not ruled.changed
    assert house.run.read().goals[0].iteration == 0
    assert list(house.run.entries()) == before


def test_looks_do_not_use_up_what_may_be_heard_of_held_out_checks(house: House) -> None:
    house.begin()
    for number in range(9):
        house.seer.tree = f"tree{number}"
        house.judge(AGENT)
    house.tell(happened.PhaseEnded("G001", 1, Phase.IMPL, 1, record_of(), "tree9"))
    house.seer.tree = "tree9"

    assert house.silenced(AGENT) == []


def test_what_is_held_out_is_silent_in_every_look(house: House) -> None:
    house.begin()

    assert house.silenced(AGENT) == ["C2", "C3"]


@pytest.mark.parametrize("actor", [HUMAN, ENGINE])
def test_others_hear_of_it_meanwhile(house: House, actor: Actor) -> None:
    house.begin()

    assert house.silenced(actor) == []


def test_an_agent_between_two_phases_hears_of_it_three_times(house: House) -> None:
    heard = []
    for number in range(4):
        house.begin()
        house.tell(happened.PhaseEnded("G001", 1, Phase.IMPL, 1, record_of(), f"tree{number}"))
        house.seer.tree = f"tree{number}"
        heard.append(house.silenced(AGENT))

    assert heard == [[], [], [], ["C2", "C3"]]


def test_an_agent_that_judges_elsewhere_hears_nothing_of_it(house: House) -> None:
    house.seer.tree = "another checkout"

    assert house.silenced(AGENT) == ["C2", "C3"]


def test_a_look_at_what_is_met_does_not_make_it_so(house: House) -> None:
    house.begin()
    house.seer.sees = "ppp"

    ruled = house.judge(AGENT)

    kept = house.run.read().goals[0]
    assert ruled.judgement.is_proven
    assert {state.status for state in ruled.goal.criteria} == {"PASS"}
    assert {state.status for state in kept.criteria} == {"PENDING"}
    assert kept.decision == ""
