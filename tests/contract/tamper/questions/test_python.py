"""Questions of Python tests."""

from pathlib import Path

from goalkeeper.tamper.questions.model import Answer, choose_answers
from tests.contract.tamper.questions.asking import ask, read_sheet

BILL = """\
class Bill:
    def __init__(self, rate):
        self.rate = rate

    def add(self, amounts):
        return self
"""
TEST = """\
from bill import Bill


def test_draw():
    assert Bill(20).add([12.50]) == 15
"""


def test_where_an_object_lies_is_no_part_of_an_answer(tmp_path: Path) -> None:
    """Every process lays it elsewhere, and base and candidate are compared."""
    (tmp_path / "bill.py").write_text(BILL)
    (tmp_path / "test_bill.py").write_text(TEST)

    first, second = ask(tmp_path, "test_bill.py"), ask(tmp_path, "test_bill.py")

    assert "Bill object" in choose_answers(first, expected=False)[0, 0].text
    assert choose_answers(first, expected=False) == choose_answers(second, expected=False)


NAMES = """\
def names(text):
    return {"of": [set(text.split())], "in": 1}
"""
TEST_NAMES = """\
from names import names


def test_names():
    words = "pear apple plum fig kiwi lime date"
    found = {"fig", "kiwi", "lime", "date", "pear", "apple", "plum"}
    assert names(words) == {"in": 1, "of": [found]}
"""


def test_what_is_equal_looks_the_same(tmp_path: Path) -> None:
    """In a set each process has another order, and a dictionary has the one it was made in."""
    (tmp_path / "names.py").write_text(NAMES)
    (tmp_path / "test_names.py").write_text(TEST_NAMES)

    told = ask(tmp_path, "test_names.py")

    (wanted,) = choose_answers(told, expected=True).values()
    assert choose_answers(told, expected=False)[0, 0] == Answer("value", wanted.text)


FORMATTED = r"""
from bill import draw

PLACE = "a\\b"


def test_draw():
    assert draw(f"in {PLACE}") == 1
    assert draw("12") == 2
"""


def test_a_call_that_cannot_be_written_again_is_asked_with_what_it_names() -> None:
    sheet = read_sheet("tests/test_bill.py", FORMATTED)

    assert sheet is not None
    named = "PLACE = 'a\\\\b'\ndraw(f'in {PLACE}')"
    assert [question.call for question in sheet.questions] == [named, "draw('12')"]
