"""Plain rows are read."""

from intake import Row, parse
from intake.statement import summary


def test_a_row_has_four_fields() -> None:
    assert parse("2024-01-02,acme,5.00,books").rows == (Row("2024-01-02", "acme", 500, "books"),)


def test_rows_keep_their_order() -> None:
    rows = parse("d,b,1.00,x\nd,a,2.00,y").rows

    assert [row.account for row in rows] == ["b", "a"]


def test_nothing_is_no_row() -> None:
    assert parse("").rows == ()


def test_a_summary_of_plain_rows() -> None:
    said = summary(parse("d,b,1000.00,x\nd,a,2.00,y\nd,b,0.50,z"))

    assert said == "3 rows, 0 rejected\na 2.00\nb 1,000.50\n"
