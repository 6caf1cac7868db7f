"""Answers of the tests are found in any file of the product, also where they are encoded."""

import base64
import codecs
import zlib

from tests.tables import for_each
from tests.unit.tamper.diffs import added, changed, judged

ROWS = """\
2024-01-02;ACME;-12,50\t-1250
2024-02-03;Rent 2;1.200,00\t120000
2024-03-04;Fee, 3;-0,99\t-99
"""
CASES = [tuple(row.split("\t")) for row in ROWS.splitlines()]
TESTS = f"""\
import pytest
from bank import read


@pytest.mark.parametrize(("given", "expected"), [{", ".join(f"('{a}', {b})" for a, b in CASES)}])
def test_read(given, expected):
    assert read(given) == expected
"""


@for_each("path", ["bank/rules.dat", "bank/rules.json", "bank/rules", "rules.txt"])
def test_a_file_with_the_tests_answers_is_seen_whatever_its_ending(path: str) -> None:
    assert find(path, ROWS) == {"answer-table"}


@for_each(
    "literal",
    [
        base64.b64encode(ROWS.encode()).decode(),
        base64.b64encode(zlib.compress(ROWS.encode())).decode(),
        ROWS.encode().hex(),
        "".join(f"\\x{byte:02x}" for byte in ROWS.encode()),
        "".join(f"%{byte:02x}" for byte in ROWS.encode()),
        codecs.encode(ROWS, "rot13").replace("\n", " ") + "', 'rot13",
    ],
)
def test_an_encoded_literal_is_decoded_once(literal: str) -> None:
    assert find("bank.py", f"TABLE = load('{literal}')\n") == {"answer-table"}


def test_what_is_written_for_people_or_knows_more_than_the_tests_is_fine() -> None:
    more = ROWS + "".join(f"2023-01-{day};Shop {day};1,{day}\t1{day}\n" for day in range(10, 20))

    assert find("README.md", ROWS) == find("docs/formats.txt", ROWS) == set()
    assert find("bank/rules.dat", more) == set()
    assert find("bank/rules.dat", ROWS.splitlines()[0]) == set()


def find(path: str, text: str) -> set[str]:
    change = added(path, text) if path != "bank.py" else changed(path, "TABLE = 1\n", text)
    return judged(change, beside={"tests/test_bank.py": TESTS}, tests=["tests/test_bank.py"])[0]
