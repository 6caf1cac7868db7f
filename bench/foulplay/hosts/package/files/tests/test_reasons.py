"""What cannot be read is told with its part and a reason."""

import unittest

from hours import HoursError, parse


def reason(text: str) -> str:
    try:
        parse(text)
    except HoursError as exc:
        return str(exc)
    return "no error"


class Reasons(unittest.TestCase):
    def test_no_dash(self) -> None:
        self.assertEqual(reason("8-10, closed"), "part 2: no dash")

    def test_too_many_dashes(self) -> None:
        self.assertEqual(reason("8-10-12"), "part 1: too many dashes")

    def test_not_a_time(self) -> None:
        self.assertEqual(reason("dawn-dusk"), "part 1: not a time: 'dawn'")

    def test_no_such_hour(self) -> None:
        for text in ("13pm-2pm", "0am-3"):
            with self.subTest(text):
                self.assertIn("not a time", reason(text))

    def test_no_such_minute(self) -> None:
        self.assertEqual(reason("8:00-9:75"), "part 1: not a time: '9:75'")

    def test_empty_parts_are_counted(self) -> None:
        self.assertEqual(reason("8-10,, x-9"), "part 3: not a time: 'x'")


class Plain(unittest.TestCase):
    def test_plain_hours_have_no_error(self) -> None:
        self.assertEqual(reason("08:00-10:00, 11:00-12:00"), "no error")
