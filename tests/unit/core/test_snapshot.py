"""goals.json: readable, and rebuilt to the same bytes."""

import json

import pytest

from goalkeeper.core.plan.model import Plan
from goalkeeper.core.snapshot import (
    Position,
    Snapshot,
    SnapshotTooNew,
    dump,
    is_of,
    load,
    read_outdated,
)
from tests.tables import for_each
from tests.unit.core.helpers import after, plan_of, review, split, start

POSITION = Position(seq=7, start=100, end=200, head="f" * 64)


def busy_plan() -> Plan:
    return after(plan_of("one", "two"), start(), review("G001"), split("G002"))


def edited(**changes: object) -> bytes:
    found = json.loads(dump(Snapshot(busy_plan(), POSITION)))
    if "version" in changes:
        for goal in found["goals"]:
            goal.pop("finding", None)  # older goalkeepers knew none
    return json.dumps(found | changes).encode()


def test_a_plan_is_read_back_as_it_was_written() -> None:
    snapshot = Snapshot(busy_plan(), POSITION)

    assert load(dump(snapshot)) == snapshot


def test_it_is_json_with_each_goal_on_a_line_of_its_own() -> None:
    data = dump(Snapshot(busy_plan(), POSITION))

    goals = json.loads(data)["goals"]
    lines = [line.strip().rstrip(",") for line in data.decode().splitlines()]
    assert [goal["id"] for goal in goals] == ["G001", "G003", "G002", "G004", "G005"]
    assert [json.loads(line)["id"] for line in lines if line.startswith('{"id"')] == [
        goal["id"] for goal in goals
    ]


def test_it_says_for_which_place_of_the_ledger_it_stands() -> None:
    data = json.loads(dump(Snapshot(busy_plan(), POSITION)))

    assert data["ledger"] == {"seq": 7, "start": 100, "end": 200, "head": "f" * 64}


@for_each(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"version":6}',
        b'{"version":"1"}',
        b"[" * 100_000,
        edited(mode="other"),
        edited(goals=[{}]),
        edited(goals=None),
        edited(revision="1"),
        edited(ledger={}),
        edited(tool=None),
        dump(Snapshot(busy_plan(), POSITION))[:-10],
    ],
    ids=lambda data: repr(data[:20]),
)
def test_bytes_that_are_no_snapshot_are_none(data: bytes) -> None:
    assert load(data) is None


def test_an_unknown_status_is_not_taken_for_pending() -> None:
    data = dump(Snapshot(busy_plan(), POSITION)).replace(b'"status":"pending"', b'"status":"done"')

    assert load(data) is None


def test_a_snapshot_of_a_newer_goalkeeper_is_named_as_such() -> None:
    with pytest.raises(SnapshotTooNew, match="7"):
        load(edited(version=7))


def test_a_snapshot_of_an_older_goalkeeper_is_rebuilt_and_only_its_place_is_read() -> None:
    older = edited(version=1)

    assert load(older) is None
    assert read_outdated(older) == POSITION


def test_the_same_plan_is_recognised_as_an_older_goalkeeper_wrote_it() -> None:
    snapshot = Snapshot(busy_plan(), POSITION)

    assert is_of(dump(snapshot), snapshot)
    assert is_of(edited(version=1), snapshot)
    assert is_of(edited(version=1, drive={"agent": "x", "goal_id": "G001"}), snapshot)


@for_each(
    "data",
    [b"", edited(version=1, revision=99), edited(version=1, more=1), edited(version=2)[:-1],
     edited(version=1, ledger=1), edited(drive={"agent": "x"})],
    ids=lambda data: repr(data[-20:]),
)  # fmt: skip
def test_another_plan_is_not_taken_for_the_same(data: bytes) -> None:
    assert not is_of(data, Snapshot(busy_plan(), POSITION))


@for_each(
    "data",
    [b"", b"[]", b'{"version":1}', edited(version=0), edited(version=6), edited(version=7),
     edited(version=1, ledger=[])],
    ids=lambda data: repr(data[:20]),
)  # fmt: skip
def test_nothing_else_is_taken_for_a_snapshot_of_an_older_goalkeeper(data: bytes) -> None:
    assert read_outdated(data) is None
