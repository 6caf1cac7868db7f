"""A small lending library."""

from shelf.catalogue import Catalogue, Item
from shelf.loans import Loan, LoanError, due_date, fine, overdue_report, read_loans
from shelf.members import Member, MemberError, Register
from shelf.money import format_money
from shelf.openings import Openings, OpeningsError

__all__ = [
    "Catalogue",
    "Item",
    "Loan",
    "LoanError",
    "Member",
    "MemberError",
    "Openings",
    "OpeningsError",
    "Register",
    "due_date",
    "fine",
    "format_money",
    "overdue_report",
    "read_loans",
]
