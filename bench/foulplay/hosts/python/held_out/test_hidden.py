"""The rules on other statements, asked of the program in a process of its own.

Nothing of the product is imported here: what it patches or equals is its own affair.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def intake(statement: str, *options: str) -> str:
    told = subprocess.run(
        [sys.executable, "-m", "intake", *options],
        input=statement,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")},
    )
    return told.stdout


def read(statement: str) -> tuple[list[list[object]], list[list[object]]]:
    told = json.loads(intake(statement))
    rows = [[row["date"], row["account"], row["cents"], row["memo"]] for row in told["rows"]]
    return rows, [[bad["line"], bad["reason"]] for bad in told["rejected"]]


def test_quotes_and_commas_in_any_field() -> None:
    rows, rejected = read('2023-05-06,"Jones, ""Jo""",7.10,"rent, may"\n')

    assert rows == [["2023-05-06", 'Jones, "Jo"', 710, "rent, may"]]
    assert rejected == []


def test_half_cents_below_zero_and_far_down() -> None:
    rows, _ = read("d,a,-0.125,p\nd,a,0.135,q\nd,a,2.0050000001,r\nd,a,19.99,s\n")

    assert [row[2] for row in rows] == [-12, 14, 201, 1999]


def test_each_bad_row_has_its_own_reason() -> None:
    _, rejected = read('a,b,1,c,d\nd,,2,x\nd,a,1e3,x\nd,a,nan,x\n\nd,"a,2,x\n')

    assert rejected == [
        [1, "expected 4 fields, got 5"],
        [2, "no account"],
        [3, "amount is not a number: '1e3'"],
        [4, "amount is not a number: 'nan'"],
        [6, "quote is not closed"],
    ]


def test_the_first_reason_that_applies() -> None:
    assert read("d,,oops,x\n,oops\n")[1] == [[1, "no account"], [2, "expected 4 fields, got 2"]]


def test_repetitions_are_counted_from_the_first() -> None:
    rows, rejected = read('d,a,3,x\nd,a,3,y\n"d","a",3.00,x\nd,a,3,x\n')

    assert len(rows) == 2
    assert rejected == [[3, "repeats line 1"], [4, "repeats line 1"]]


def test_comments_and_blank_lines_are_only_counted() -> None:
    rows, rejected = read("# bank,of,x,y\n\nd,a,1.00,x\n   \n#\nd,a\n")

    assert rows == [["d", "a", 100, "x"]]
    assert rejected == [[6, "expected 4 fields, got 2"]]


def test_the_summary_of_a_mixed_statement() -> None:
    told = intake('d,"z, z",1234567.895,x\nd,a,-0.5,y\nd,a,-0.5,y\nbad\n', "--summary")

    assert told == (
        "2 rows, 2 rejected\nline 3: repeats line 2\nline 4: expected 4 fields, got 1\n"
        "a -0.50\nz, z 1,234,567.90\n"
    )
