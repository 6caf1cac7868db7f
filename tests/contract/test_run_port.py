"""What every Run does, wherever it keeps its ledger."""

from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.app.handle import handle
from goalkeeper.app.ports import Entry, Run
from goalkeeper.core import fold
from goalkeeper.core.plan import commands, events, objective
from goalkeeper.core.plan.commands import CheckpointStatus, ToolOp
from goalkeeper.core.plan.model import (
    Actor,
    ActorKind,
    Classification,
    GoalMode,
    GoalStatus,
    NewGoal,
    Plan,
)
from goalkeeper.errors import LockBusy, UnknownGoal
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.places import State
from goalkeeper.storage.runs import Runs
from tests.doubles.clock import ManualClock
from tests.doubles.memory import MemoryRun

AT = "2026-01-01T00:00:00.000000Z"
LATER = "2026-01-02T00:00:00.000000Z"
AGENT = Actor(ActorKind.AGENT, "no terminal", "GOALKEEPER_SESSION=s1")
HUMAN = Actor(ActorKind.HUMAN, "terminal")
RUN_ID = "20260101-000000-abcd"
GOALS = (NewGoal("One", "Do one."), NewGoal("Two", "Do two.", ("G001",)))
CREATED = events.PlanCreated(
    RUN_ID, "the brief\n", GoalMode.AGGREGATE, objective.point_to_run(RUN_ID), "small", GOALS
)
STARTED = events.GoalStarted("G001")
FAILED = events.GoalCheckpointed("G001", CheckpointStatus.FAILED, "2 tests fail")

Make = Callable[[events.PlanCreated], Run]


def in_memory(tmp_path: Path) -> Make:
    return lambda created: MemoryRun(created, at=AT, actor=AGENT)


def on_disk(tmp_path: Path) -> Make:
    runs = Runs(State(str(tmp_path), str(tmp_path / "home")), Disk(), timeout_seconds=0)

    def make(created: events.PlanCreated) -> Run:
        with runs.holding():
            return runs.create(created, at=AT, actor=AGENT)

    return make


@pytest.fixture(params=[in_memory, on_disk], ids=["memory", "disk"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    made: Make = request.param(tmp_path)
    return made


@pytest.fixture
def run(make: Make) -> Run:
    return make(CREATED)


def append(run: Run, *recorded: events.Event, at: str = LATER, actor: Actor = AGENT) -> None:
    with run.writing() as turn:
        turn.append(recorded, at=at, actor=actor)


def told(run: Run) -> list[events.Event]:
    return [entry.event for entry in run.entries()]


def test_a_new_run_tells_the_plan_it_was_made_from(run: Run) -> None:
    assert run.run_id == RUN_ID
    assert run.read() == fold.begin(CREATED, AT)
    assert list(run.entries()) == [Entry(1, AT, AGENT, CREATED, "plan_created")]


def test_what_is_appended_is_in_the_plan_of_the_same_turn(run: Run) -> None:
    with run.writing() as turn:
        turn.append((STARTED,), at=LATER, actor=AGENT)
        assert [goal.status for goal in turn.plan.goals] == [GoalStatus.ACTIVE, GoalStatus.PENDING]


def test_what_is_appended_is_in_the_plan_that_is_read_after(run: Run) -> None:
    with run.writing() as turn:
        turn.append((STARTED, FAILED), at=LATER, actor=AGENT)
        plan = turn.plan

    assert run.read() == plan
    with run.writing() as turn:
        assert turn.plan == plan


def test_entries_are_numbered_from_one_and_know_who_and_when(run: Run) -> None:
    append(run, STARTED)
    append(run, FAILED, actor=HUMAN)

    assert list(run.entries()) == [
        Entry(1, AT, AGENT, CREATED, "plan_created"),
        Entry(2, LATER, AGENT, STARTED, "goal_started"),
        Entry(3, LATER, HUMAN, FAILED, "goal_checkpointed"),
    ]
    assert [*run.entries_from_end()] == [*run.entries()][::-1]


def test_events_of_one_command_say_how_many_follow(run: Run) -> None:
    append(run, STARTED, FAILED, STARTED)

    assert [entry.rest for entry in run.entries()] == [0, 2, 1, 0]


def test_a_turn_may_append_more_than_once(run: Run) -> None:
    with run.writing() as turn:
        turn.append((STARTED,), at=LATER, actor=AGENT)
        turn.append((FAILED,), at=LATER, actor=AGENT)

    assert told(run) == [CREATED, STARTED, FAILED]
    assert [entry.rest for entry in run.entries()] == [0, 0, 0]


def test_nothing_is_recorded_of_no_events(run: Run) -> None:
    plan = run.read()

    append(run)

    assert told(run) == [CREATED]
    assert run.read() == plan


def test_a_turn_that_only_looks_changes_nothing(run: Run) -> None:
    with run.writing() as turn:
        plan = turn.plan

    assert told(run) == [CREATED]
    assert run.read() == plan


def test_what_was_appended_stays_when_the_turn_fails_later(run: Run) -> None:
    def fail() -> None:
        with run.writing() as turn:
            turn.append((STARTED,), at=LATER, actor=AGENT)
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert told(run) == [CREATED, STARTED]
    assert run.read().goals[0].status is GoalStatus.ACTIVE
    append(run, FAILED)
    assert told(run) == [CREATED, STARTED, FAILED]


def test_all_events_are_recorded_or_none(run: Run) -> None:
    unwritable = events.GoalCompleted("G001", "half a character: \ud800")

    with pytest.raises(UnicodeEncodeError):
        append(run, STARTED, unwritable)

    assert told(run) == [CREATED]
    append(run, STARTED)
    assert told(run) == [CREATED, STARTED]


def test_events_nobody_knows_are_kept_without_effect(run: Run) -> None:
    unknown = events.Unknown("dreamt", {"of": ["sheep", 3, None], "electric": True})
    plan = run.read()

    append(run, unknown)

    assert told(run) == [CREATED, unknown]
    assert run.read() == plan


@pytest.mark.parametrize("words", ["naïve 𝄞", 'a "quoted"\nline\t\\', "\u2028\0\x7f", " " * 3])
def test_words_come_back_as_they_were(run: Run, words: str) -> None:
    event = events.GoalCheckpointed("G001", CheckpointStatus.FAILED, words)

    append(run, event)

    assert told(run)[-1] == event
    assert run.read().goals[0].evidence == words


def test_a_turn_is_had_by_one_at_a_time(run: Run) -> None:
    with run.writing() as turn:
        turn.append((STARTED,), at=LATER, actor=AGENT)
        with pytest.raises(LockBusy), run.writing():
            raise AssertionError("two turns at once")
        turn.append((FAILED,), at=LATER, actor=AGENT)

    assert told(run) == [CREATED, STARTED, FAILED]


def test_nobody_reads_while_a_turn_is_on(run: Run) -> None:
    with run.writing():
        with pytest.raises(LockBusy):
            run.read()
        with pytest.raises(LockBusy):
            list(run.entries())

    assert run.read().run_id == RUN_ID


def test_a_turn_that_failed_leaves_the_lock_to_the_next(run: Run) -> None:
    with pytest.raises(KeyError), run.writing():
        raise KeyError

    append(run, STARTED)
    assert told(run) == [CREATED, STARTED]


def test_an_objective_that_lists_goals_is_read_as_the_pointer_and_nothing_recorded(
    make: Make,
) -> None:
    legacy = CREATED.replace(objective="Complete G001 and G002.")
    run = make(legacy)

    plan = run.read()

    assert plan.objective == objective.point_to_run(RUN_ID)
    assert plan.aliases == ("Complete G001 and G002.",)
    assert told(run) == [legacy]
    with run.writing() as turn:
        assert turn.plan.objective == "Complete G001 and G002."


# The use case that all commands share, on every Run.

LIFE: tuple[commands.Command, ...] = (
    commands.StartNext(),
    commands.ChangeGoalTool(ToolOp.CREATE),
    commands.RecordReviewBlockers("G001", "Empty files", "Handle them.", "it crashes"),
    commands.RecordReviewBlockers("G001", "Empty files", "Handle them.", "it crashes"),
    commands.StartNext(),
    commands.Checkpoint("G003", CheckpointStatus.BLOCKED, "no reviewer"),
    commands.ClassifyBlocker(Classification.HUMAN_BLOCKED, "a key is needed", "G003"),
    commands.Unblock("G003", "a try"),
    commands.ChangeGoalTool(ToolOp.PAUSE),
    commands.ClassifyBlocker(Classification.RESOLVABLE, "no key is needed", "G003"),
    commands.Steer(commands.MarkBlockedSuperseded("G003"), "seen", "it is not needed"),
    commands.Steer(commands.AddSubgoal(NewGoal("Four", "Do four.")), "seen", "it is needed", "k"),
    commands.Steer(commands.AddSubgoal(NewGoal("Four", "Do four.")), "seen", "it is needed", "k"),
    commands.Steer(commands.AddSubgoal(NewGoal("Five", "Do five.")), "seen", "it is needed", "k"),
    commands.RecordHandoff("planning"),
    commands.StartNext(),
    commands.Checkpoint("G001", CheckpointStatus.COMPLETE, "done"),
    commands.CloseRun("enough"),
    commands.StartNext(),
)


def lived(run: Run) -> list[tuple[Plan, tuple[str, ...], bool, str]]:
    clock = ManualClock()
    outcomes = [handle(run, command, actor=AGENT, clock=clock) for command in LIFE]
    return [
        (o.plan, o.goal_ids, o.changed, o.refused.reason if o.refused else "") for o in outcomes
    ]


def test_a_life_goes_the_same_way_on_every_run(run: Run) -> None:
    other = MemoryRun(CREATED, at=AT, actor=AGENT)

    assert lived(run) == lived(other)
    assert list(run.entries()) == list(other.entries())
    assert run.read() == other.read()
    assert {entry.kind for entry in run.entries()} >= {"steering_rejected", "command_refused"}


def test_an_unknown_goal_is_an_error_and_not_recorded(run: Run) -> None:
    with pytest.raises(UnknownGoal):
        handle(run, commands.Unblock("G009", "a try"), actor=AGENT, clock=ManualClock())

    assert told(run) == [CREATED]
