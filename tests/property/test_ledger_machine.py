"""A run on disk against a plain list: what was acknowledged is there, in order, once.

Between the appends the machine dies, files are lost and bytes are flipped.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from goalkeeper.app.ports import Entry
from goalkeeper.core.fold import apply, begin
from goalkeeper.core.plan import events, objective
from goalkeeper.core.plan.events import Event, PlanCreated
from goalkeeper.core.plan.model import Actor, ActorKind, GoalMode, NewGoal, Plan
from goalkeeper.core.snapshot import Snapshot
from goalkeeper.errors import GoalkeeperError, LedgerTorn, ProjectionDiffers
from goalkeeper.storage import upkeep
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.places import State
from goalkeeper.storage.runs import Runs
from tests.doubles.clock import ManualClock
from tests.property.strategies import EVENTS

ACTOR = Actor(ActorKind.AGENT, "no terminal")
RUN_ID = "20260101-000000-abcd"
CREATED = events.PlanCreated(
    RUN_ID,
    "the brief\n",
    GoalMode.AGGREGATE,
    objective.point_to_run(RUN_ID),
    "",
    (NewGoal("A", "a"),),
)
# An entry that says a goal is proven must be true, and is not by chance.
_OTHERS = {events.PlanCreated, events.GoalCompleted, events.CycleAchieved}
LATER_EVENTS = st.one_of([made for kind, made in EVENTS.items() if kind not in _OTHERS])
COMMANDS = st.lists(LATER_EVENTS, min_size=1, max_size=4).map(tuple)
PARTS = st.floats(min_value=0, max_value=1)


class LedgerMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="goalkeeper-"))
        self.clock = ManualClock()
        self.told: list[tuple[str, Event]] = [(self.clock(), CREATED)]
        self.torn = b""
        self.runs = self.opened()
        with self.runs.holding():
            self.run = self.runs.create(CREATED, at=self.told[0][0], actor=ACTOR)
        self.ledger = Path(self.run.files.ledger)

    def opened(self) -> Runs:
        return Runs(State(str(self.root), str(self.root / "home")), Disk(), timeout_seconds=0)

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @rule(command=COMMANDS)
    @precondition(lambda self: not self.torn)
    def append(self, command: tuple[Event, ...]) -> None:
        at = self.clock()
        with self.run.writing() as turn:
            turn.append(command, at=at, actor=ACTOR)
        self.told += [(at, event) for event in command]

    @rule()
    def reopen(self) -> None:
        self.runs = self.opened()
        self.run = self.runs.named(RUN_ID)

    @rule(command=COMMANDS, part=PARTS)
    @precondition(lambda self: not self.torn)
    def crash(self, command: tuple[Event, ...], part: float) -> None:
        """Some of the command's bytes reach the disk, and nothing after them."""
        before = len(self.ledger.read_bytes())
        projections = {path: contents(path) for path in self.projections()}
        at = self.clock()
        with self.run.writing() as turn:
            turn.append(command, at=at, actor=ACTOR)
        written = self.ledger.read_bytes()[before:]
        kept = round(part * len(written))
        os.truncate(self.ledger, before + kept)
        for path, data in projections.items():
            restore(path, data)
        if kept == len(written):
            self.told += [(at, event) for event in command]
        else:
            self.torn = written[:kept]

    @rule(command=COMMANDS)
    @precondition(lambda self: self.torn)
    def append_behind_a_torn_command(self, command: tuple[Event, ...]) -> None:
        before = self.ledger.read_bytes()
        with pytest.raises(LedgerTorn), self.run.writing() as turn:
            turn.append(command, at=self.clock(), actor=ACTOR)
        assert self.ledger.read_bytes() == before

    @rule()
    def repair(self) -> None:
        at = self.clock()
        actions = upkeep.repair_run(self.run, [], at=at, actor=ACTOR)
        if actions:
            self.told.append((at, events.LedgerRepaired(tuple(actions))))
        if self.torn:
            quarantine = Path(self.run.files.quarantine).iterdir()
            assert self.torn in [path.read_bytes() for path in quarantine]
        self.torn = b""
        upkeep.verify_run(self.run)

    @rule(part=PARTS, bits=st.integers(min_value=1, max_value=255))
    def flip_a_byte(self, part: float, bits: int) -> None:
        """It is noticed wherever it is; then the byte is put back."""
        data = self.ledger.read_bytes()
        head = None if self.torn else self.replayed().position
        place = min(int(part * len(data)), len(data) - 1 - len(self.torn))
        flipped = data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :]
        self.ledger.write_bytes(flipped)
        try:
            with pytest.raises(GoalkeeperError):
                upkeep.verify_run(self.run)
            with suppress(GoalkeeperError):  # the chain is broken, or else its end is another
                assert self.replayed().position != head
        finally:
            self.ledger.write_bytes(data)

    @rule(which=st.sets(st.sampled_from(["goals.json", "brief.md", "seen"]), min_size=1))
    def lose_projections(self, which: set[str]) -> None:
        for path in self.projections():
            if path.name in which or (path.name == RUN_ID and "seen" in which):
                path.unlink(missing_ok=True)

    @invariant()
    def what_was_acknowledged_is_there_in_order_and_once(self) -> None:
        found = self.whole_commands()
        assert [(entry.at, entry.event) for entry in found] == self.told
        assert [entry.seq for entry in found] == list(range(1, len(self.told) + 1))

    @invariant()
    def the_plan_is_what_was_acknowledged_or_the_tail_is_said_to_be_torn(self) -> None:
        if self.torn:
            with pytest.raises(LedgerTorn):
                self.run.read()
        else:
            assert self.run.read() == self.expected()

    @invariant()
    def projections_that_pass_verification_follow_from_the_ledger(self) -> None:
        with suppress(LedgerTorn, ProjectionDiffers):
            assert upkeep.verify_run(self.run).entries == len(self.told)
            assert contents(Path(self.run.files.brief)) == CREATED.brief.encode()

    def expected(self) -> Plan:
        (at, created), *rest = self.told
        assert isinstance(created, PlanCreated)
        plan = begin(created, at)
        for at, event in rest:
            plan = apply(plan, event, at)
        return objective.migrate_objective(plan)

    def whole_commands(self) -> list[Entry]:
        found: list[Entry] = []
        with suppress(LedgerTorn), self.run.open(os.O_RDONLY) as (_, ledger):
            for batch in ledger.read_batches():
                found += batch.entries
        return found

    def replayed(self) -> Snapshot:
        with self.run.open(os.O_RDONLY) as (_, ledger):
            return self.run.replay(ledger)

    def projections(self) -> list[Path]:
        files = self.run.files
        return [Path(files.goals), Path(files.brief), Path(files.seen)]


def contents(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def restore(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(data)


TestLedger = LedgerMachine.TestCase
# An example takes a fifth of a second: `make test` tries fewer than `make thorough`. What a step
# breaks shows in the step after it, so that more examples find more than longer ones.
FEWER = 1 if "GOALKEEPER_ROUNDS" in os.environ else 2
TestLedger.settings = settings(
    max_examples=settings().max_examples // FEWER, stateful_step_count=25
)
