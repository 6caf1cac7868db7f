"""The rows of a statement: date, account, amount, memo."""

from dataclasses import dataclass

from intake.money import cents


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
    rows = []
    for line in text.splitlines():
        date, account, amount, memo = (line.split(",") + [""] * 4)[:4]
        try:
            rows.append(Row(date, account, cents(amount), memo))
        except ValueError:
            rows.append(Row(date, account, 0, memo))
    return Intake(tuple(rows))
