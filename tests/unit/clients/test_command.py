"""Any program as an agent."""

import json

from goalkeeper.clients.command.run import Command
from goalkeeper.core.drive.phases import Ending, Record, Spend
from tests.tables import for_each


def record(*lines: bytes, exit_code: int | None = 0, errors: bytes = b"") -> Record:
    reader = Command(("x",)).make_reader()
    for line in lines:
        reader.read_line(line)
    return reader.make_record(exit_code=exit_code, errors=errors)


def told(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def test_a_program_that_tells_nothing_cost_nobody_knows_what() -> None:
    found = record(b"hello", b"", b"  bye \x1b[31mred\x1b[0m", b"")

    assert (found.ending, found.said, found.problem) == (Ending.OK, "bye red", "")
    assert found.spend == Spend(microdollars=None)


def test_the_last_line_may_tell_more() -> None:
    usage = {"input": 1200, "output": 80, "cached": 1000}
    found = record(
        b"working",
        told(usage=usage, cost=0.0125, said="bye", session="s", model="m", tool_calls=3),
    )

    assert found.spend == Spend(1200, 80, 1000, 12_500)
    assert (found.said, found.session, found.model, found.tool_calls) == ("bye", "s", "m", 3)
    assert found.ending is Ending.OK


def test_only_the_last_line_counts() -> None:
    assert record(told(cost=5), b"more words").spend.microdollars is None


def test_a_line_that_is_more_than_an_object_tells_nothing() -> None:
    assert record(b'cost: {"cost": 5}').spend.microdollars is None


def test_the_exit_code_counts() -> None:
    found = record(told(ending="ok", cost=1), exit_code=3, errors=b"one\nboom\n\n")

    assert (found.ending, found.problem) == (Ending.CRASH, "boom")
    assert found.spend.microdollars == 1_000_000


def test_words_of_trouble_on_its_error_output_are_just_words() -> None:
    found = record(exit_code=1, errors=b"test_rate_limit failed: 429, 401 Unauthorized\n")

    assert found.ending is Ending.CRASH


@for_each("code", [0, 1, None])
def test_a_program_may_tell_its_own_limit(code: int | None) -> None:
    line = told(ending="rate-limited", resets_at="2026-11-15T15:00:00+01:00", problem="later")
    found = record(line, exit_code=code)

    assert (found.ending, found.problem) == (Ending.RATE_LIMITED, "later")
    assert found.resets_at == "2026-11-15T14:00:00.000000Z"


@for_each("word", ["stalled", "timeout", "interrupted", "not-started", "x", ""])
def test_a_program_cannot_tell_what_others_did_to_it(word: str) -> None:
    assert record(told(ending=word)).ending is Ending.OK


def test_nobody_saw_it_end() -> None:
    assert record(b"words", exit_code=None).ending is Ending.CRASH


def test_all_it_prints_is_shown() -> None:
    reader = Command(("x",)).make_reader()

    activity = reader.read_line(b"  one \x07 two  ")
    assert activity is not None
    assert (activity.kind, activity.text) == ("says", "one two")
    assert reader.read_line(b"   ") is None
