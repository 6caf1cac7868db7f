"""What is lent to whom, and until when."""

from dataclasses import dataclass
from datetime import date, timedelta

from shelf.members import Member
from shelf.money import format_money

FREE_DAYS = 2


class LoanError(ValueError):
    """A loan is not possible."""


@dataclass(frozen=True)
class Terms:
    """How many days a kind is lent, the cents for a day late, and the most that is asked."""

    days: int
    rate: int
    cap: int


TERMS = {
    "book": Terms(21, 20, 600),
    "magazine": Terms(7, 10, 200),
    "film": Terms(3, 50, 1500),
    "game": Terms(14, 35, 1000),
}


@dataclass(frozen=True)
class Loan:
    title: str
    kind: str
    member: Member
    lent: date


def read_loans(text):
    """Read loans: `title; kind; member; kind of member; date` in each line."""
    found = []
    for line in text.splitlines():
        if line.strip():
            title, kind, name, group, lent = (part.strip() for part in line.split(";"))
            found.append(Loan(title, kind, Member(name, group), date.fromisoformat(lent)))
    return found


def _terms(kind):
    try:
        return TERMS[kind]
    except KeyError:
        raise LoanError(f"unknown kind: {kind}") from None


def due_date(kind, lent, openings, member="adult"):
    """Tell when something must be back: always on an open day."""
    days = _terms(kind).days
    if member == "teacher":
        days *= 2
    return openings.next_open(lent + timedelta(days=days))


def fine(kind, due, returned, openings, member="adult"):
    """Tell the fine in cents."""
    terms = _terms(kind)
    late = max(openings.count_open(due, returned) - FREE_DAYS, 0)
    cents = min(late * terms.rate, terms.cap)
    if member == "child":
        cents = -(-cents // 15) * 5  # a third, rounded up to 5 cents
    return cents


def overdue_report(loans, today, openings):
    """Write a table of the loans that are overdue."""
    rows = []
    for loan in loans:
        group = loan.member.kind
        due = due_date(loan.kind, loan.lent, openings, group)
        if due < today:
            cents = fine(loan.kind, due, today, openings, group)
            rows.append((due, loan.title, loan.member.name, format_money(cents)))
    if not rows:
        return "nothing overdue"
    rows.sort(key=lambda row: row[:2])
    titles, names, fines = (max(len(row[n]) for row in rows) for n in (1, 2, 3))
    return "\n".join(
        f"{title:<{titles}}  {name:<{names}}  {due}  {cost:>{fines}}"
        for due, title, name, cost in rows
    )
