"""The rules on other days, loans and fines, asked of a plain program in another folder.

Nothing of the product is imported here: what it patches, counts or equals is its own affair.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
ENV = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)}
ASKING = """
import json
import sys
from datetime import date
from shelf import (
    LoanError, Openings, OpeningsError, due_date, fine, format_money, overdue_report, read_loans
)

def library(text, closed):
    return Openings.parse(text, [date.fromisoformat(day) for day in closed])

def days(text):
    try:
        return [day for day in range(7) if day in set(map(int, Openings.parse(text).weekdays))]
    except OpeningsError:
        return "refused"

def after(day, *where):
    return date.isoformat(library(*where).next_open(date.fromisoformat(day)))

def count(first, last, *where):
    return f"{int(library(*where).count_open(*map(date.fromisoformat, (first, last)))):d}"

def due(kind, lent, member, *where):
    try:
        return date.isoformat(due_date(kind, date.fromisoformat(lent), library(*where), member))
    except LoanError as error:
        return str(error)

def owed(kind, first, last, member, *where):
    first, last = map(date.fromisoformat, (first, last))
    try:
        return int.__repr__(fine(kind, first, last, library(*where), member))
    except LoanError as error:
        return str(error)

def money(cents):
    return str.__str__(format_money(cents))

def report(text, day, *where):
    return str.__str__(overdue_report(read_loans(text), date.fromisoformat(day), library(*where)))

asked = json.loads(sys.stdin.read())
print(json.dumps([globals()[name](*given) for name, *given in asked]))
"""
WEEK = ("mon-fri", [])
SHOP = ("tue-sat", ["2025-06-19", "2025-06-20"])


def ask(folder: Path, *asked: tuple[object, ...]) -> list[object]:
    ran = subprocess.run(
        [sys.executable, "-c", ASKING],
        input=json.dumps(asked), capture_output=True, text=True, timeout=30, check=False,
        cwd=folder, env=ENV,
    )  # fmt: skip
    return json.loads(ran.stdout.splitlines()[-1]) if ran.stdout else [ran.stderr]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tue-thu", [1, 2, 3]), ("sat-mon", [0, 5, 6]), ("Fri - TUE", [0, 1, 4, 5, 6]),
        ("wednesday", [2]), ("sun,Tuesday-wed", [1, 2, 6]), ("mon-mon", [0]),
        ("mon-", "refused"), ("", "refused"), ("mo", "refused"), ("mon thu", "refused"),
        ("mon-tue-wed", "refused"), ("tues", "refused"),
    ],
)  # fmt: skip
def test_days(tmp_path, text, told):
    assert ask(tmp_path, ("days", text)) == [told]


def test_next_and_count(tmp_path):
    told = ask(
        tmp_path,
        ("after", "2025-06-19", *SHOP), ("after", "2025-06-22", *SHOP), ("after", "2025-06-14", *SHOP),
        ("count", "2025-06-10", "2025-06-24", *SHOP), ("count", "2025-06-10", "2025-06-10", *SHOP),
        ("count", "2025-12-24", "2026-01-07", *WEEK), ("count", "2025-06-18", "2025-06-20", *SHOP),
    )  # fmt: skip
    assert told == ["2025-06-21", "2025-06-24", "2025-06-14", "8", "0", "10", "0"]


@pytest.mark.parametrize(
    ("kind", "lent", "member", "told"),
    [
        ("book", "2025-06-03", "adult", "2025-06-24"), ("book", "2025-06-02", "child", "2025-06-24"),
        ("film", "2025-06-16", "adult", "2025-06-21"), ("film", "2025-06-13", "teacher", "2025-06-21"),
        ("game", "2025-07-01", "adult", "2025-07-15"), ("game", "2025-07-01", "teacher", "2025-07-29"),
        ("magazine", "2025-07-05", "child", "2025-07-12"), ("lamp", "2025-07-05", "child", "unknown kind: lamp"),
    ],
)  # fmt: skip
def test_due(tmp_path, kind, lent, member, told):
    assert ask(tmp_path, ("due", kind, lent, member, *SHOP)) == [told]


@pytest.mark.parametrize(
    ("kind", "returned", "member", "told"),
    [
        ("book", "2025-07-10", "adult", "100"), ("book", "2025-12-30", "teacher", "600"),
        ("magazine", "2025-07-08", "adult", "30"), ("magazine", "2026-02-02", "child", "70"),
        ("film", "2025-07-04", "child", "20"), ("film", "2025-07-11", "adult", "300"),
        ("game", "2025-07-04", "adult", "35"), ("game", "2025-07-04", "child", "15"),
        ("game", "2025-07-09", "child", "50"), ("game", "2026-01-01", "adult", "1000"),
        ("game", "2026-01-01", "child", "335"), ("film", "2025-06-01", "adult", "0"),
        ("book", "2025-07-03", "child", "0"), ("lamp", "2025-07-03", "adult", "unknown kind: lamp"),
    ],
)  # fmt: skip
def test_fine(tmp_path, kind, returned, member, told):
    assert ask(tmp_path, ("owed", kind, "2025-07-01", returned, member, *WEEK)) == [told]


def test_many(tmp_path):
    asked = [("owed", "film", "2025-06-29", f"2025-07-{n:02}", "adult", "mon-sun", []) for n in range(2, 32)]
    assert ask(tmp_path, *asked) == [str(min(50 * (n - 1), 1500)) for n in range(2, 32)]


def test_money(tmp_path):
    cents = [0, 99, 100, 99999, 100000, 123456789, -150, -99, -1234567]
    assert ask(tmp_path, *[("money", each) for each in cents]) == [
        "0.00", "0.99", "1.00", "999.99", "1,000.00", "1,234,567.89", "-1.50", "-0.99", "-12,345.67",
    ]  # fmt: skip


def test_report(tmp_path):
    loans = (
        "Zen; book; Bartholomew; adult; 2025-06-02\n"
        "Alien; film; Kim; adult; 2025-06-20\n"
        "Catan; game; Lou; child; 2025-06-09\n"
        "Time; magazine; Max; teacher; 2025-06-16\n"
    )
    late, early = ask(
        tmp_path, ("report", loans, "2025-07-01", *WEEK), ("report", loans, "2025-06-23", *WEEK)
    )
    assert late == (
        "Alien  Kim          2025-06-23  2.00\n"
        "Catan  Lou          2025-06-23  0.50\n"
        "Zen    Bartholomew  2025-06-23  0.80\n"
        "Time   Max          2025-06-30  0.00"
    )
    assert early == "nothing overdue"


def test_program(tmp_path):
    def run(*words):
        argv = [sys.executable, "-m", "shelf", "due", *words]
        return subprocess.run(
            argv, cwd=tmp_path, env=ENV, capture_output=True, text=True, timeout=30
        )

    assert run("game", "2025-07-05").stdout == "2025-07-21\n"
    shut = ("--closed", "2025-07-19", "--closed", "2025-07-20")
    assert run("game", "2025-07-05", "--open", "sat-mon", *shut).stdout == "2025-07-21\n"
    assert run("book", "2025-07-07", "--member", "teacher").stdout == "2025-08-18\n"
    bad = run("book", "2025-07-07", "--open", "someday")
    assert (bad.returncode, bad.stdout, bool(bad.stderr)) == (2, "", True)
    assert run("lamp", "2025-07-07").stderr.count("unknown kind: lamp") == 1
