"""What clients print, in whatever state it arrives."""

from datetime import UTC, datetime

from goalkeeper.clients.client import Activity
from goalkeeper.clients.streams import (
    StreamValue,
    format_moment,
    one_line,
    read_events,
    read_moment,
    strip_controls,
)
from tests.tables import for_each


@for_each(
    ("line", "types"),
    [
        (b'{"type":"a"}', ["a"]),
        (b'  {"type":"a"}\r', ["a"]),
        (b'[{"type":"a"},{"type":"b"},3,"x",null]', ["a", "b"]),
        (b'{"type":"a"}{"type":"b"}', ["a", "b"]),
        (b'(node:1) Warning: old{"type":"a"}', ["a"]),
        (b'{"type":"a"}Segmentation fault', ["a"]),
        (b'\x1b[2K\x1b[0m{"type":"a"}\x1b[0m', ["a"]),
        (b'{"type":"a","text":"\xff\xfe"}', ["a"]),
        (b'{"type":"a","text":"a raw \x07 bell"}', ["a"]),
        (b'{"type":"a","text":"half', []),
        (b'"type":"a"}', []),
        (b"plain words", []),
        (b"", []),
        (b"[[[[3]]]]", []),
        (b"{}", []),
        (b"null", []),
    ],
)
def test_events_are_found_in_a_line(line: bytes, types: list[str]) -> None:
    assert [event.text("type") for event in read_events(line)] == types


def test_json_within_json_is_no_event() -> None:
    line = rb'{"type":"user","text":"{\"type\":\"result\",\"is_error\":true}"}'

    assert [event.text("type") for event in read_events(line)] == ["user"]


def test_json_that_is_too_deep_is_no_event() -> None:
    assert list(read_events(b'{"a":' * 200_000)) == []


def test_twenty_megabytes_are_an_event_like_any_other() -> None:
    line = b'{"type":"a","blob":"' + b"x" * (20 << 20) + b'"}'

    assert [event.text("type") for event in read_events(line)] == ["a"]


def test_half_a_character_does_not_get_through() -> None:
    assert StreamValue({"t": "a\ud800b"}).text("t") == "a?b"


@for_each(
    ("told", "number"),
    [
        (3, 3), (3.9, 3), (10**400, 1 << 53), (-1, 0), (True, 0), ("3", 0), (None, 0),
        (float("nan"), 0), (float("inf"), 0), ([], 0),
    ],
)  # fmt: skip
def test_a_count_is_a_number_of_things(told: object, number: int) -> None:
    assert StreamValue({"n": told}).count("n") == number


@for_each(
    ("told", "amount"),
    [(0.0125, 12500), (0, 0), (-1, None), ("1", None), (None, None), (float("inf"), None)],
)
def test_money_that_was_not_told_is_unknown(told: object, amount: int | None) -> None:
    assert StreamValue({"cost": told}).microdollars("cost") == amount


@for_each(
    ("told", "seconds"),
    [
        (1_794_751_200, 1_794_751_200),
        (1_794_751_200_000, 1_794_751_200),
        ("2026-11-15T14:00:00Z", 1_794_751_200),
        ("2026-11-15T14:00:00", None),
        ("soon", None),
        (10**40, None),
        (0, None),
        (True, None),
    ],
)
def test_a_moment_needs_no_guessing(told: object, seconds: int | None) -> None:
    expected = None if seconds is None else datetime.fromtimestamp(seconds, UTC)

    assert read_moment(told) == expected


def test_moments_are_written_as_the_ledger_writes_them() -> None:
    assert format_moment(datetime(2026, 11, 15, 14, tzinfo=UTC)) == "2026-11-15T14:00:00.000000Z"


def test_text_for_people_moves_no_cursor() -> None:
    assert strip_controls("\x1b]0;title\x07a\x1b[31mb\x1b[0m\x00\x08c\nd\te", 99) == "abc\nd\te"
    assert one_line("  a\n\n b\tc  ") == "a b c"
    assert len(one_line("x" * 10_000)) == 200


@for_each(
    ("tool", "given", "text"),
    [
        ("Bash", {"description": "d", "command": "ls"}, "Bash ls"),
        ("Odd", {"n": 1}, "Odd"),
        ("Odd", None, "Odd"),
    ],
)
def test_a_use_of_a_tool_is_shown_with_what_tells_the_most(
    tool: str, given: object, text: str
) -> None:
    assert Activity.use_tool(tool, StreamValue(given)).text == text
