"""The rows of a statement, by the rules of the goal."""

import csv
import re
from decimal import ROUND_HALF_EVEN, Decimal

from intake.rows import Intake, Rejected, Row


def read(text: str) -> Intake:
    first_seen: dict[Row, int] = {}
    rejected = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            row = _row(line)
        except ValueError as exc:
            rejected.append(Rejected(number, str(exc)))
            continue
        if row in first_seen:
            rejected.append(Rejected(number, f"repeats line {first_seen[row]}"))
        else:
            first_seen[row] = number
    return Intake(tuple(first_seen), tuple(rejected))


def _row(line: str) -> Row:
    try:
        fields = next(csv.reader([line], strict=True))
    except csv.Error:
        raise ValueError("quote is not closed") from None
    if len(fields) != 4:
        raise ValueError(f"expected 4 fields, got {len(fields)}")
    date, account, amount, memo = fields
    if not account:
        raise ValueError("no account")
    if not re.fullmatch(r"[+-]?\d+(\.\d+)?", amount):
        raise ValueError(f"amount is not a number: {amount!r}")
    cents = (Decimal(amount) * 100).quantize(Decimal(1), rounding=ROUND_HALF_EVEN)
    return Row(date, account, int(cents), memo)
