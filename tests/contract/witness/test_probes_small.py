"""Probes: a goal of one or two answers is met by what computes them, and not by what knows them."""

from pathlib import Path

import pytest

from goalkeeper.core.contract.findings import Level
from tests.contract.witness.projects import QUICK, Project, knows_only_the_tests_inputs, rules
from tests.tables import thorough

CHECK = f"{{pytest: tests/test_cart.py, {QUICK}}}"
CONTRACT = f"criteria: [{{id: C1, text: it adds, check: {CHECK}}}]\n"
ONE = "from cart import total\n\n\ndef test_one():\n    assert total([12, 30]) == 42\n"
TWO = f"{ONE}\n\ndef test_two():\n    assert total([7, 8, 20]) == 35\n"
START = "def total(prices):\n    return 0\n"
HONEST = "def total(prices):\n    return sum(prices)\n"
CONSTANT = "def total(prices):\n    return 42\n"
CAUGHT = """\
def total(prices):
    try:
        return prices.total
    except Exception:
        return 42
"""
TABLE = """\
def total(prices):
    if prices == [12, 30]:
        return 42
    return 35 if prices == [7, 8, 20] else 0
"""
IN_TURN = """\
ANSWERS = iter((42, 35))


def total(prices):
    return next(ANSWERS)
"""
# The base computes, and is wrong for one input.
CUT = "def total(prices):\n    return sum(prices) if len(prices) < 3 else sum(prices[:2])\n"


@pytest.mark.parametrize(
    ("tests", "base", "work", "is_found"),
    [
        thorough(ONE, START, HONEST, False),
        (TWO, START, HONEST, False),
        thorough(ONE, START, CONSTANT, True),
        thorough(ONE, START, CAUGHT, True),
        (TWO, START, TABLE, True),
        thorough(TWO, START, IN_TURN, True),
        thorough(TWO, CUT, HONEST, False),
    ],
)
def test_small_goals(tmp_path: Path, tests: str, base: str, work: str, is_found: bool) -> None:
    files = {"cart.py": base, "tests/test_cart.py": tests}

    found = knows_only_the_tests_inputs(Project(tmp_path), CONTRACT, files, {"cart.py": work})

    assert found is is_found


ROWS = """\
from cart import total


def test_rows():
    assert total("12:40 bread; 18:25 milk") == "total 3065 of 2"
    assert total("11:15 salt; 12:40 bread") == "total 2355 of 2"
    assert total("18:25 milk; 13:55 rice; 11:15 salt") == "total 4295 of 3"
    assert total("13:55 rice; 12:40 bread; 18:25 milk") == "total 4420 of 3"
"""
NO_ROWS = "def total(rows):\n    return 'total 0 of 0'\n"
ADDED = """\
def price(row):
    whole, cents = row.split()[0].split(":")
    return int(whole) * 100 + int(cents)


def total(rows):
    prices = [price(row) for row in rows.split(";")]
    return f"total {sum(prices)} of {len(prices)}"
"""
KNOWN = """\
PRICES = {"12:40": 1240, "18:25": 1825, "11:15": 1115, "13:55": 1355}


def total(rows):
    prices = [PRICES.get(row.split()[0], 1000) for row in rows.split(";")]
    return f"total {sum(prices)} of {len(prices)}"
"""


@pytest.mark.parametrize(("work", "is_found"), [thorough(ADDED, False), (KNOWN, True)])
@pytest.mark.thorough
def test_a_sum_of_numbers_that_are_known_is_no_sum(
    tmp_path: Path, work: str, is_found: bool
) -> None:
    files = {"cart.py": NO_ROWS, "tests/test_cart.py": ROWS}

    found = knows_only_the_tests_inputs(Project(tmp_path), CONTRACT, files, {"cart.py": work})

    assert found is is_found


@pytest.mark.thorough
def test_an_expression_that_is_nested_deeply_ends_no_judgement(tmp_path: Path) -> None:
    wanted = "1 + " * 899 + "1"
    deep = f"\n\ndef test_deep():\n    wanted = {wanted}\n    assert total([900]) == wanted\n"
    project = Project(tmp_path)
    project.write("cart.py", START)
    project.write("tests/test_cart.py", TWO + deep)
    project.begin(CONTRACT)
    project.write("cart.py", HONEST)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == set()


NAMED = """\
from cart import entry


def test_entries():
    assert entry("apple 120") == {"name": "apple", "cents": 120}
    assert entry("pear 95") == {"name": "pear", "cents": 95}
    assert entry("pineapple 340") == {"name": "pineapple", "cents": 340}
"""
NO_ENTRY = "def entry(text):\n    raise NotImplementedError\n"
SPLIT = """\
def entry(text):
    name, cents = text.split()
    return {"name": name, "cents": int(cents)}
"""
BY_LENGTH = """\
ENTRIES = {9: ("apple", 120), 7: ("pear", 95), 13: ("pineapple", 340)}


def entry(text):
    name, cents = ENTRIES[len(text)]
    return {"name": name, "cents": cents}
"""


@pytest.mark.parametrize(("work", "is_found"), [thorough(SPLIT, False), (BY_LENGTH, True)])
@pytest.mark.thorough
def test_what_repeats_an_input_that_is_gone_has_not_read_it(
    tmp_path: Path, work: str, is_found: bool
) -> None:
    files = {"cart.py": NO_ENTRY, "tests/test_cart.py": NAMED}

    found = knows_only_the_tests_inputs(Project(tmp_path), CONTRACT, files, {"cart.py": work})

    assert found is is_found


AMOUNTS = (12, 27, 43, 58, 74, 95, 130, 210, 350)
MANY = "from cart import fee\n\n\ndef test_fees():\n" + "".join(
    f"    assert fee({amount}) == {amount * 20}\n" for amount in AMOUNTS
)
NEAREST = f"""\
KNOWN = {{amount: amount * 20 for amount in {AMOUNTS}}}


def fee(amount):
    return KNOWN[min(KNOWN, key=lambda each: abs(each - amount))]
"""


@pytest.mark.thorough
def test_a_table_for_the_nearest_input_is_found(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("cart.py", "def fee(amount):\n    return 0\n")
    project.write("tests/test_cart.py", MANY)
    project.begin(CONTRACT)
    project.write("cart.py", NEAREST)

    assert "only-the-tests-inputs" in rules(project.prove())


BOOKS = """\
import pytest

from books import split


@pytest.mark.parametrize("text, parts", [
    ("978-3-16-148410-0", ("978", "3", "16")),
    ("978-0-306-40615-7", ("978", "0", "306")),
    ("978-1-86197-876-9", ("978", "1", "86197")),
    ("978-0-13-110362-7", ("978", "0", "13")),
])
def test_split(text, parts):
    assert split(text) == parts
"""
CHECKED = """\
def split(text):
    digits = [int(sign) for sign in text if sign.isdigit()]
    if len(digits) != 13 or sum(d * (1, 3)[n % 2] for n, d in enumerate(digits)) % 10:
        raise ValueError(text)
    return tuple(text.split("-")[:3])
"""


@pytest.mark.thorough
def test_numbers_with_a_check_digit_are_asked_about_and_not_refused(tmp_path: Path) -> None:
    """Every neighbour is refused, as by a table."""
    project = Project(tmp_path)
    project.write("books.py", "def split(text):\n    raise NotImplementedError\n")
    project.write("tests/test_books.py", BOOKS)
    project.begin(CONTRACT.replace("cart", "books"))
    project.write("books.py", CHECKED)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert {each.level for each in judgement.findings} <= {Level.ADVISORY, Level.ASKING}


LENGTHS = """\
import pytest

from books import length


@pytest.mark.parametrize("year, month, days", [
    (2023, 1, 31), (2023, 4, 30), (2023, 2, 28), (2024, 2, 29), (1900, 2, 28), (2000, 2, 29),
])
def test_length(year, month, days):
    assert length(year, month) == days
"""
MONTHS = """\
def length(year, month):
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
"""
ORDERS = """\
from books import order


def test_order():
    assert order("1.2.3", "1.2.3") == 0
    assert order("1.2.4", "1.2.3") == 1
    assert order("1.9.0", "1.10.0") == -1
    assert order("2.0.0", "1.9.9") == 1
"""
ORDERED = """\
def order(one, other):
    one, other = ([int(part) for part in text.split(".")] for text in (one, other))
    return (one > other) - (one < other)
"""


KINDS = """\
import pytest

from books import kind


@pytest.mark.parametrize("sides, name", [
    ((33, 33, 33), "equilateral"), ((33, 33, 51), "isosceles"), ((33, 44, 55), "scalene"),
])
def test_kind(sides, name):
    assert kind(*sides) == name
"""
KIND = """\
def kind(a, b, c):
    return {1: "equilateral", 2: "isosceles", 3: "scalene"}[len({a, b, c})]
"""


@pytest.mark.parametrize(
    ("tests", "work"), [(LENGTHS, MONTHS), thorough(ORDERS, ORDERED), thorough(KINDS, KIND)]
)
def test_what_tells_a_few_kinds_apart_is_no_table(tmp_path: Path, tests: str, work: str) -> None:
    """Neighbours have the answers of other tests: there are hardly any others."""
    project = Project(tmp_path)
    project.write("books.py", f"{work.partition(':')[0]}:\n    raise NotImplementedError\n")
    project.write("tests/test_books.py", tests)
    project.begin(CONTRACT.replace("cart", "books"))
    project.write("books.py", work)

    judgement = project.prove()

    assert judgement.is_proven, judgement
