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
    rows, rejected = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.replace('"', "").split(",")
        if len(fields) != 4:
            rejected.append(Rejected(number, f"expected 4 fields, got {len(fields)}"))
            continue
        date, account, amount, memo = fields
        if not account:
            rejected.append(Rejected(number, "no account"))
            continue
        try:
            rows.append(Row(date, account, cents(amount), memo))
        except ValueError:
            rejected.append(Rejected(number, f"amount is not a number: {amount!r}"))
    return Intake(tuple(rows), tuple(rejected))
