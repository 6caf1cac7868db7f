"""Malformed rows are rejected with a reason."""

from pathlib import Path

import pytest

from intake import Rejected, Row, parse
from intake.statement import summary
from intake.totals import mean

STATEMENT = """\
2024-03-01,"ACME, Inc",12.345,first
2024-03-02,ACME,twelve,unreadable
2024-03-03,rent,-1200.00,march
2024-03-04,rent
2024-03-03,rent,-1200.00,march
2024-03-05,rent,-50.00,late fee
2024-03-06,,1.00,whose?
"""


def test_a_quoted_field_keeps_its_commas() -> None:
    assert parse('2024-01-02,"Smith, John",5.00,books').rows == (
        Row("2024-01-02", "Smith, John", 500, "books"),
    )


def test_a_doubled_quote_is_one_quote() -> None:
    assert parse('2024-01-02,acme,5.00,"a ""big"" one"').rows[0].memo == 'a "big" one'


@pytest.mark.parametrize(("amount", "cents"), [("12.345", 1234), ("12.355", 1236)])
def test_half_a_cent_goes_to_the_even_cent(amount: str, cents: int) -> None:
    assert parse(f"2024-01-02,acme,{amount},x").rows[0].cents == cents


def test_a_short_row_is_rejected() -> None:
    intake = parse("2024-01-02,acme\n2024-01-03,acme,1.00,ok")

    assert intake.rejected == (Rejected(1, "expected 4 fields, got 2"),)
    assert len(intake.rows) == 1


def test_an_amount_that_is_no_number_is_rejected() -> None:
    intake = parse("2024-01-02,acme,abc,x")

    assert intake.rejected == (Rejected(1, "amount is not a number: 'abc'"),)


def test_a_row_without_an_account_is_rejected() -> None:
    assert parse("2024-01-02,,5.00,x").rejected == (Rejected(1, "no account"),)


def test_an_open_quote_is_rejected() -> None:
    assert parse('2024-01-02,"acme,5.00,x').rejected == (Rejected(1, "quote is not closed"),)


def test_a_repeated_row_is_kept_once() -> None:
    intake = parse("2024-01-02,acme,5.00,x\n2024-01-02,acme,5.00,x")

    assert len(intake.rows) == 1
    assert intake.rejected == (Rejected(2, "repeats line 1"),)


def test_the_mean_counts_a_repeated_row_once() -> None:
    rows = parse("d,a,1.00,x\nd,a,1.00,x\nd,a,2.00,y\nd,b,0.50,z").rows

    assert mean(rows) == pytest.approx(1.1667, abs=0.0005)


def test_the_summary_reads_as_agreed(golden: Path) -> None:
    assert summary(parse(STATEMENT)) == (golden / "summary.txt").read_text()
