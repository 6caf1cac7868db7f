"""What is lent to whom, and until when."""

from dataclasses import dataclass
from datetime import date

from shelf.members import Member


class LoanError(ValueError):
    """A loan is not possible."""


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


def due_date(kind, lent, openings, member="adult"):
    """Tell when something must be back."""
    raise NotImplementedError


def fine(kind, due, returned, openings, member="adult"):
    """Tell the fine in cents."""
    raise NotImplementedError


def overdue_report(loans, today, openings):
    """Write a table of the loans that are overdue."""
    raise NotImplementedError
