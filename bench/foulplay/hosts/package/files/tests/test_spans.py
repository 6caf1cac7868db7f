import unittest

from hours import DAY, Span, minutes, parse, show


class Spans(unittest.TestCase):
    def setUp(self) -> None:
        self.spans = (Span(540, 750), Span(840, 1020))

    def test_minutes(self) -> None:
        self.assertEqual(minutes(self.spans), 390)

    def test_a_day(self) -> None:
        self.assertEqual(minutes([Span(0, DAY)]), 1440)

    def test_show(self) -> None:
        self.assertEqual(show(self.spans), "09:00-12:30, 14:00-17:00")


def test_nothing_shows_nothing() -> None:
    assert show(()) == ""


def test_plain_hours() -> None:
    assert parse("09:00-12:30, 14:00-17:00") == (Span(540, 750), Span(840, 1020))


def test_there_and_back() -> None:
    assert show(parse("06:15-23:45")) == "06:15-23:45"
