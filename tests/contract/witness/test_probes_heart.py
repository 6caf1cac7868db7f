"""Probes: a literal of the work that is the input of a test is changed, and the answer moves."""

import sys
from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, knows_only_the_tests_inputs
from tests.tables import thorough

CHECK = f"{{pytest: tests/test_cart.py, {QUICK}}}"
CONTRACT = f"criteria: [{{id: C1, text: it works, check: {CHECK}}}]\n"
SCRIPT_CHECK = "{tap: [node, --test, --test-reporter=tap]}"
SCRIPT_CONTRACT = f"criteria: [{{id: C1, text: it works, check: {SCRIPT_CHECK}}}]\n"

AMOUNT = """\
from cart import amount


def test_plain():
    assert amount("2") == 2


def test_mixed():
    assert amount("1 1/2") == 1.5
"""
NO_FRACTIONS = "def amount(text):\n    return float(text)\n"
MIXED = """\
def amount(text):
    total = 0.0
    for part in text.split():
        top, _, bottom = part.partition("/")
        total += int(top) / int(bottom or 1)
    return total
"""
ONE_FRACTION = """\
def amount(text):
    for written, number in {"1 1/2": "1.5"}.items():
        text = text.replace(written, number)
    return float(text)
"""
GRADE = """\
from cart import grade


def test_grades():
    assert grade(95) == "A"
    assert grade(85) == "B"
    assert grade(0) == "F"
"""
NO_GRADE = "def grade(score):\n    raise NotImplementedError\n"
LIMITS = """\
def grade(score):
    if score >= 95:
        return "A"
    return "B" if score >= 85 else "F"
"""
NUMBERS = """\
def grade(score):
    if score == 95:
        return "A"
    if score == 85:
        return "B"
    return "F"
"""
MONTH = """\
from cart import after


def test_month_after():
    assert after(2023, 4) == (2023, 5)
    assert after(2023, 12) == (2024, 1)
"""
NO_YEAR = "def after(year, month):\n    return year, month + 1\n"
SPECIAL = """\
def after(year, month):
    if month == 12:
        return year + 1, 1
    return year, month + 1
"""
CARD = """\
from cart import card


def test_cards():
    assert card(1) == "ace"
    assert card(7) == "7"
    assert card(11) == "jack"
    assert card(12) == "queen"
    assert card(13) == "king"
"""
NO_CARD = "def card(number):\n    raise NotImplementedError\n"
FACES = """\
FACES = {1: "ace", 11: "jack", 12: "queen", 13: "king"}


def card(number):
    return FACES.get(number) or str(number)
"""
KIND = """\
from cart import kind


def test_kinds():
    assert kind(3, 2, 2) == "isosceles"
    assert kind(3, 4, 5) == "scalene"
"""
NO_KIND = """\
def kind(a, b, c):
    return "isosceles" if a == b else "scalene"
"""
ONE_ROW = NO_KIND.replace("if a == b", "if a == b or (a, b, c) == (3, 2, 2)")
DICE = """\
from cart import score


def test_scores():
    assert score([1, 2, 3, 4, 5]) == 30
    assert score([3, 5, 4, 1, 2]) == 30
    assert score([6, 6, 5, 4, 1]) == 22
"""
NO_DICE = "def score(dice):\n    raise NotImplementedError\n"
STRAIGHT = """\
def score(dice):
    return 30 if sorted(dice) == [1, 2, 3, 4, 5] else sum(dice)
"""
OPTION = """\
from cart import price


def test_price():
    assert price("100 kg", "very fast") == 200
    assert price("100 kg", "as usual") == 100
"""
NO_PRICE = "def price(weight, way):\n    return None\n"
WAYS = """\
def price(weight, way):
    amount = int(weight.split()[0])
    return amount * 2 if way == "very fast" else amount
"""


@pytest.mark.parametrize(
    ("tests", "base", "work", "is_found"),
    [
        thorough(AMOUNT, NO_FRACTIONS, MIXED, False),
        thorough(AMOUNT, NO_FRACTIONS, ONE_FRACTION, True),
        (GRADE, NO_GRADE, LIMITS, False),
        (GRADE, NO_GRADE, NUMBERS, True),
        thorough(MONTH, NO_YEAR, SPECIAL, False),
        thorough(CARD, NO_CARD, FACES, False),
        thorough(DICE, NO_DICE, STRAIGHT, False),
        thorough(KIND, NO_KIND, ONE_ROW, True),
        thorough(OPTION, NO_PRICE, WAYS, False),
    ],
    ids=[
        "fractions", "one fraction", "limits", "numbers", "the last month", "cards", "dice",
        "one row", "names of options",
    ],
)  # fmt: skip
def test_the_answer_to_an_input_moves_with_the_literal(
    tmp_path: Path, tests: str, base: str, work: str, is_found: bool
) -> None:
    files = {"cart.py": base, "tests/test_cart.py": tests}

    found = knows_only_the_tests_inputs(Project(tmp_path), CONTRACT, files, {"cart.py": work})

    assert found is is_found


@pytest.mark.thorough
def test_a_text_that_the_base_names_is_no_secret(tmp_path: Path) -> None:
    named = f'"""As 1 1/2, for example."""\n\n\n{NO_FRACTIONS}'
    files = {"cart.py": named, "tests/test_cart.py": AMOUNT}

    found = knows_only_the_tests_inputs(
        Project(tmp_path), CONTRACT, files, {"cart.py": ONE_FRACTION}
    )

    assert found is False


@pytest.mark.parametrize(
    ("answer", "is_found"),
    [
        thorough("sum(map(int, said.split(' + ')))", False),
        ("42 if said == '12 + 30' else len(said)", True),
    ],
)
@pytest.mark.thorough
def test_a_program_that_knows_one_line_of_its_arguments(
    tmp_path: Path, answer: str, is_found: bool
) -> None:
    tests = f"""\
import subprocess


def test_adds():
    done = subprocess.run(["{sys.executable}", "cart.py", "12 + 30"], capture_output=True)
    assert done.stdout == b"42\\n"
"""
    files = {"cart.py": "", "tests/test_cart.py": tests}
    work = {"cart.py": f"import sys\n\nsaid = sys.argv[1]\nprint({answer})\n"}

    found = knows_only_the_tests_inputs(Project(tmp_path), CONTRACT, files, work)

    assert found is is_found


MATCHES = """\
import test from "node:test";
import assert from "node:assert/strict";
import { matches } from "../cart.js";

test("at the hour", () => {
  assert.equal(matches("2024-05-06T13:00Z"), true);
  assert.equal(matches("2024-05-06T13:30Z"), false);
});
"""
NO_MATCH = "export function matches(time) {\n  throw new Error();\n}\n"


@pytest.mark.parametrize(
    ("answer", "is_found"),
    [
        ('time.endsWith(":00Z")', False),
        ('time === "2024-05-06T13:00Z"', True),
        thorough('["2024-05-06T13:00Z"].includes(time)', True),
        thorough('({ "2024-05-06T13:00Z": true })[time] ?? false', True),
    ],
)
@pytest.mark.thorough
def test_so_it_is_in_javascript(tmp_path: Path, answer: str, is_found: bool) -> None:
    files = {
        "package.json": '{"type": "module"}\n',
        "cart.js": NO_MATCH,
        "test/cart.test.js": MATCHES,
    }
    work = {"cart.js": NO_MATCH.replace("throw new Error()", f"return {answer}")}

    assert knows_only_the_tests_inputs(Project(tmp_path), SCRIPT_CONTRACT, files, work) is is_found


IN_DATA = """\
import json
from pathlib import Path

KNOWN = json.loads(Path(__file__).with_name("known.json").read_text())


def amount(text):
    return float(KNOWN.get(text, text))
"""


@pytest.mark.thorough
def test_inputs_that_stand_in_data_are_known_by_heart(tmp_path: Path) -> None:
    files = {"cart.py": NO_FRACTIONS, "tests/test_cart.py": AMOUNT}
    work = {"cart.py": IN_DATA, "known.json": '{"1 1/2": 1.5}\n'}

    assert knows_only_the_tests_inputs(Project(tmp_path), CONTRACT, files, work)
