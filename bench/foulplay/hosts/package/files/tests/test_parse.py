"""Opening hours as people write them."""

import pytest

from hours import HoursError, Span, parse


def h(start: float, end: float) -> Span:
    return Span(round(start * 60), round(end * 60))


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("9-12", [h(9, 12)]),
        ("9:30 - 17", [h(9.5, 17)]),
        ("9am-5pm", [h(9, 17)]),
        ("9:15 AM-12:45 PM", [h(9.25, 12.75)]),
        ("noon-midnight", [h(12, 24)]),
        ("0:00-24:00", [h(0, 24)]),
        ("12am-12pm", [h(0, 12)]),
    ],
)
def test_times(text: str, spans: list[Span]) -> None:
    assert list(parse(text)) == spans


@pytest.mark.parametrize("text", ["8-10;13-15", "8-10\n13-15", "8-10, ,13-15,", "13-15, 8-10"])
def test_parts_and_their_order(text: str) -> None:
    assert parse(text) == (h(8, 10), h(13, 15))


def test_spans_that_overlap_are_one() -> None:
    assert parse("8-12, 10-14, 16-18") == (h(8, 14), h(16, 18))


def test_spans_that_touch_are_one() -> None:
    assert parse("13-17; 8-13") == (h(8, 17),)


def test_over_midnight() -> None:
    assert parse("20:30-1:15") == (h(0, 1.25), h(20.5, 24))


def test_all_day_and_night() -> None:
    assert parse("7-7") == (h(0, 24),)


def test_nothing_is_closed() -> None:
    assert parse("") == ()


def test_an_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="part 1: no dash"):
        parse("always")


def test_an_error_knows_its_part() -> None:
    with pytest.raises(HoursError) as caught:
        parse("8-10, 25:00-26")

    assert (caught.value.part, caught.value.reason) == (2, "not a time: '25:00'")
