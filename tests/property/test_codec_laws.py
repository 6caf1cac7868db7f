"""What is written is read back as it was: events in the ledger, the plan in goals.json."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core import codec
from goalkeeper.core.decode import Malformed
from goalkeeper.core.plan.events import Event
from goalkeeper.core.snapshot import Position, Snapshot, SnapshotTooNew, dump, load
from goalkeeper.wire.canonical import compact, digest
from tests.property.draft_strategies import DRAFT_EVENTS
from tests.property.strategies import EVENTS as OTHER_EVENTS
from tests.property.strategies import json_values, numbers, plans, words

EVENTS = {**OTHER_EVENTS, **DRAFT_EVENTS}
positions = st.builds(Position, numbers, numbers, numbers, words)
snapshots = st.builds(Snapshot, plans, positions)


def test_every_type_of_event_is_tried_here() -> None:
    assert set(EVENTS) == set(get_args(Event))


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_an_event_survives_the_way_through_the_ledger(
    kind: type[Event], data: st.DataObject
) -> None:
    event = data.draw(EVENTS[kind])

    name, version, fields = codec.encode_event(event)
    line = compact(fields).encode()

    assert b"\n" not in line
    assert codec.decode_event(name, version, fields) == event
    assert codec.decode_event(name, version, json.loads(line)) == event


@given(kind=st.sampled_from(sorted(codec.EVENT_KINDS)), fields=json_values)
def test_foreign_data_of_a_known_kind_is_read_or_named_malformed(kind: str, fields: object) -> None:
    try:
        event = codec.decode_event(kind, codec.version_of(kind), fields)
    except Malformed:
        return

    assert codec.kind_of(type(event)) == kind


@given(snapshot=snapshots)
def test_a_snapshot_is_read_back_and_written_again_to_the_same_bytes(snapshot: Snapshot) -> None:
    data = dump(snapshot)
    again = load(data)

    assert again == snapshot
    assert dump(again) == data


@given(snapshot=snapshots)
def test_a_snapshot_is_json_with_a_line_for_each_goal(snapshot: Snapshot) -> None:
    data = dump(snapshot)

    head, _, rest = data.decode().partition('"goals":[\n')
    assert len(json.loads(data)["goals"]) == len(snapshot.plan.goals)
    assert rest.count("\n") == len(snapshot.plan.goals) + 1
    assert head.startswith('{"version":6,\n"ledger":{')


@given(data=st.binary() | json_values.map(lambda value: json.dumps(value).encode()))
def test_foreign_bytes_are_never_taken_for_a_snapshot(data: bytes) -> None:
    assert load(data) is None


@given(snapshot=snapshots, cut=numbers)
def test_half_a_snapshot_is_none(snapshot: Snapshot, cut: int) -> None:
    data = dump(snapshot)

    assert load(data[: cut % (len(data) - 1)]) is None


@given(snapshot=snapshots, version=st.integers(min_value=7))
def test_a_newer_snapshot_is_never_read_as_ours(snapshot: Snapshot, version: int) -> None:
    newer = dump(snapshot).replace(b'{"version":6,', f'{{"version":{version},'.encode(), 1)

    with pytest.raises(SnapshotTooNew):
        load(newer)


@given(fields=st.dictionaries(words, json_values, max_size=5))
def test_a_digest_does_not_depend_on_the_order_of_keys(fields: dict[str, object]) -> None:
    assert digest(dict(reversed(fields.items()))) == digest(fields)
