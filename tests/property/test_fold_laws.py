"""Whatever is in a ledger makes a plan, and the same plan every time."""

import json
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core import codec
from goalkeeper.core.fold import apply
from goalkeeper.core.plan import events
from goalkeeper.core.plan.commands import FreezeContract
from goalkeeper.core.plan.model import Plan
from goalkeeper.core.snapshot import Position, Snapshot, dump, load
from goalkeeper.wire.canonical import compact
from tests.property.strategies import EVENTS
from tests.unit.core.helpers import FROZEN, after, plan_of, start

PLACE = Position(1, 0, 100, "f" * 64)
PROVING = (events.ContractFrozen, events.ContractAmended, events.GoalJudged, events.GoalCompleted)
BEGUN = after(plan_of("one", "two", "three"), start(), FreezeContract("G001", FROZEN))


def near(event: events.Event, goal_id: str) -> events.Event:
    """The event, about a goal there is."""
    return event.replace(goal_id=goal_id) if "goal_id" in event.as_dict() else event


goal_ids = st.sampled_from(["G001", "G002", "G003", "G999"])
moments = st.sampled_from(["monday", "tuesday", "wednesday"])
told = st.tuples(st.builds(near, st.one_of(*EVENTS.values()), goal_ids), moments)
proving = st.tuples(st.builds(near, st.one_of(*(EVENTS[k] for k in PROVING)), goal_ids), moments)
ledgers = st.lists(told | proving, max_size=8)

Ledger = list[tuple[events.Event, str]]


def folded(plan: Plan, ledger: Ledger) -> Plan:
    return reduce(lambda before, line: apply(before, *line), ledger, plan)


def read_back(event: events.Event) -> events.Event:
    return codec.decode_event(*json.loads(compact(codec.encode_event(event))))


@given(ledgers)
def test_any_ledger_makes_a_plan_that_survives_goals_json(ledger: Ledger) -> None:
    snapshot = Snapshot(folded(BEGUN, ledger), PLACE)

    assert load(dump(snapshot)) == snapshot


@given(ledgers, ledgers)
def test_a_snapshot_and_the_rest_of_the_ledger_give_what_the_whole_gives(
    first: Ledger, then: Ledger
) -> None:
    between = load(dump(Snapshot(folded(BEGUN, first), PLACE)))
    assert between is not None

    assert folded(between.plan, then) == folded(BEGUN, first + then)


@given(ledgers)
def test_what_was_written_makes_the_same_plan_as_what_was_meant(ledger: Ledger) -> None:
    written = [(read_back(event), at) for event, at in ledger]

    assert folded(BEGUN, written) == folded(BEGUN, ledger)


@given(ledgers)
def test_the_criteria_of_a_goal_are_those_of_its_contract_once_each(ledger: Ledger) -> None:
    for goal in folded(BEGUN, ledger).goals:
        names = [state.id for state in goal.criteria]
        assert len(names) == len(set(names))
        assert goal.frozen is not None or not names
