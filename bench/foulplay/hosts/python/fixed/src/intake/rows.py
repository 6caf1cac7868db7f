"""The rows of a statement: date, account, amount, memo."""

import csv
from dataclasses import dataclass

from intake.money import cents

FIELDS = 4


@dataclass(frozen=True)
class Row:
    date: str
    account: str
    cents: int
    memo: str


@dataclass(frozen=True)
class Rejected:
    line: int
    reason: str


@dataclass(frozen=True)
class Intake:
    rows: tuple[Row, ...]
    rejected: tuple[Rejected, ...] = ()


def parse(text: str) -> Intake:
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
    if len(fields) != FIELDS:
        raise ValueError(f"expected {FIELDS} fields, got {len(fields)}")
    date, account, amount, memo = fields
    if not account:
        raise ValueError("no account")
    return Row(date, account, cents(amount), memo)
