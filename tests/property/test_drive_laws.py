"""Drives: whatever happens can be written, read back and gone on with, and comes to an end."""

import json
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core import codec
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.state import Drive, Reason
from goalkeeper.core.fold import apply
from goalkeeper.core.next_step import Recover, Step, Wait, choose_step
from goalkeeper.core.plan import events
from goalkeeper.core.plan.model import Plan
from goalkeeper.core.snapshot import Position, Snapshot, dump, load
from goalkeeper.wire.canonical import compact
from tests.property.simulation import Simulation
from tests.property.strategies import (
    DRIVE_EVENTS,
    EVENTS,
    any_moments,
    drives,
    moments,
    plans,
)
from tests.unit.core.helpers import FROZEN, plan_of
from tests.unit.core.stories import settled, worktree_of

PLACE = Position(1, 0, 100, "f" * 64)
FIRST = settled().plan  # one goal with its worktree
GOALS = (
    events.GoalStarted, events.GoalCheckpointed, events.ContractFrozen, events.GoalJudged,
    events.GoalCompleted, events.GoalUnblocked,
)  # fmt: skip

Ledger = list[tuple[events.Event, str]]


def near(event: events.Event, goal_id: str) -> events.Event:
    """The event, about a goal there is."""
    match event:
        case happened.WorktreeMade(_, tree):
            return happened.WorktreeMade(worktree_of(goal_id), tree)
        case happened.PhaseBegan(running):
            return event.replace(running=running.replace(goal_id=goal_id))
        case events.ContractFrozen():
            return events.ContractFrozen(goal_id, FROZEN)
        case _:
            return event.replace(goal_id=goal_id) if "goal_id" in event.as_dict() else event


goal_ids = st.sampled_from(["G001", "G002", "G999"])
driving = st.one_of(*DRIVE_EVENTS.values())
around = st.one_of(*(EVENTS[kind] for kind in GOALS))
told = st.tuples(st.builds(near, driving | driving | around, goal_ids), any_moments)
ledgers = st.lists(told, max_size=10)
beginnings = st.sampled_from([plan_of("one", "two"), FIRST])


def folded(plan: Plan, ledger: Ledger) -> Plan:
    return reduce(lambda before, line: apply(before, *line), ledger, plan)


def reread(plan: Plan) -> Plan:
    found = load(dump(Snapshot(plan, PLACE)))
    assert found
    return found.plan


def rewritten(ledger: Ledger) -> Ledger:
    return [
        (codec.decode_event(*json.loads(compact(codec.encode_event(e)))), at) for e, at in ledger
    ]


def step_of(plan: Plan, now: str) -> Step:
    assert plan.drive
    return choose_step(plan, plan.drive, now)


# In any order, also one that no rule allows


@given(beginnings, ledgers)
def test_whatever_a_ledger_says_of_drives_survives_goals_json(first: Plan, ledger: Ledger) -> None:
    plan = folded(first, ledger)

    assert reread(plan) == plan


@given(beginnings, ledgers, ledgers)
def test_a_snapshot_in_the_middle_makes_no_difference(
    first: Plan, one: Ledger, two: Ledger
) -> None:
    assert folded(reread(folded(first, one)), two) == folded(first, one + two)


@given(beginnings, ledgers)
def test_what_was_written_drives_as_what_was_meant(first: Plan, ledger: Ledger) -> None:
    assert folded(first, rewritten(ledger)) == folded(first, ledger)


@given(ledgers, moments)
def test_there_is_always_a_next_step(ledger: Ledger, now: str) -> None:
    plan = folded(FIRST, ledger)

    assert step_of(plan, now) == step_of(reread(plan), now)


@given(plans, drives, moments)
def test_there_is_a_next_step_even_from_where_no_ledger_leads(
    plan: Plan, drive: Drive, now: str
) -> None:
    assert isinstance(choose_step(plan, drive, now), Step)


@given(beginnings, ledgers)
def test_time_and_cost_never_shrink_within_a_drive(first: Plan, ledger: Ledger) -> None:
    plan = first
    for event, at in ledger:
        before, plan = plan.drive, apply(plan, event, at)
        after = plan.drive
        if before and after and not isinstance(event, happened.DriveBegan):
            assert after.milliseconds >= before.milliseconds
            assert after.spend.tokens >= before.spend.tokens
            assert (after.spend.microdollars or 0) >= (before.spend.microdollars or 0)
            assert after.unpriced >= before.unpriced


# As a driver would go


@given(st.data())
def test_every_drive_with_limits_comes_to_an_end(data: st.DataObject) -> None:
    simulation = Simulation(data.draw)

    reason = simulation.play()

    assert (reason is Reason.DONE) == simulation.plan.is_complete
    for goal in simulation.plan.goals:  # one more: the last proof may fail
        assert goal.iteration <= simulation.drive.budget.iterations + 1


@given(st.data())
def test_no_cost_is_lost_or_counted_twice_whoever_was_killed(data: st.DataObject) -> None:
    simulation = Simulation(data.draw)

    simulation.play()

    assert simulation.drive.spend == simulation.spent
    records = [e.record for e, _ in simulation.history if isinstance(e, happened.PhaseEnded)]
    unknown = sum(record.spend.microdollars is None for record in records)
    assert simulation.drive.unpriced == unknown


@given(st.data())
def test_only_work_takes_time(data: st.DataObject) -> None:
    """Not pauses, and not the hours between two processes."""
    simulation = Simulation(data.draw)

    simulation.play()

    assert simulation.drive.milliseconds <= simulation.worked * 1000


@given(st.data())
def test_every_phase_has_one_beginning_and_one_end(data: st.DataObject) -> None:
    simulation = Simulation(data.draw)
    simulation.play()

    kinds = [type(event) for event, _ in simulation.history]
    ends = [k for k in kinds if k in {happened.PhaseBegan, happened.PhaseEnded}]
    assert ends[::2] == [happened.PhaseBegan] * (len(ends) // 2)
    assert ends[1::2] == [happened.PhaseEnded] * (len(ends) // 2)


@given(st.data())
def test_a_process_that_is_killed_anywhere_is_gone_on_with_by_the_same_step(
    data: st.DataObject,
) -> None:
    simulation = Simulation(data.draw)
    simulation.play()
    moment = data.draw(st.sampled_from(simulation.moments))

    resumed = apply(reread(moment.plan), happened.DriveResumed(), moment.now)

    assert step_of(resumed, moment.now) == moment.step


@given(st.data())
def test_the_whole_ledger_makes_the_plan_that_the_drive_saw(data: st.DataObject) -> None:
    simulation = Simulation(data.draw)
    first = simulation.plan
    simulation.play()

    assert folded(first, rewritten(simulation.history)) == simulation.plan


@given(st.data())
def test_nothing_is_done_while_a_phase_or_a_pause_is_open(data: st.DataObject) -> None:
    simulation = Simulation(data.draw)
    simulation.play()

    for plan, now, step in simulation.moments:
        assert plan.drive
        assert isinstance(step, Recover) == bool(plan.drive.running)
        waits = not plan.drive.running and plan.drive.paused_until > now
        assert isinstance(step, Wait) == waits
