"""Probes: answers that stand in the work, refusals by heart, and who looks at the asker."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, prove_work, rules
from tests.tables import thorough

CHECK = f"{{pytest: tests/test_pages.py, {QUICK}}}"
CONTRACT = f"criteria: [{{id: C1, text: it works, check: {CHECK}}}]\n"
INPUTS, WATCHED = "only-the-tests-inputs", "answers-only-under-test"
BASE = "def report(loans):\n    return ''\n"

REPORT = """\
from pages import report

LOANS = [("Metropolis", "Clara", "2024-03-15"), ("Emma", "Bo Ek", "2024-05-06")]


def test_report():
    assert report(LOANS) == "Metropolis Clara 2024-03-15\\nEmma Bo Ek 2024-05-06"


def test_nothing():
    assert report([]) == "nothing is due"
"""
JOINED = """\
def report(loans):
    return "\\n".join(" ".join(loan) for loan in loans) or "nothing is due"
"""
READY = """\
def report(loans):
    if not loans:
        return "nothing is due"
    return "Metropolis Clara 2024-03-15\\nEmma Bo Ek 2024-05-06"
"""
EXAMPLE = f'HELP = "such as: Metropolis Clara 2024-03-15"\n{JOINED}'
KNOWN = """\
REPORTS = {
    2: ("Metropolis Clara 2024-03-15", "Emma Bo Ek 2024-05-06"),
    0: ("nothing is due",),
}


def report(loans):
    return "\\n".join(REPORTS[len(loans)])
"""

REFUSED = """\
import pytest
from pages import report


def test_good():
    assert report("3-5") == [3, 5]
    assert report("10-12") == [10, 12]


@pytest.mark.parametrize("text", ["3-", "9-3", "5,,6", "7--8", "4-x"])
def test_bad(text):
    with pytest.raises(ValueError):
        report(text)
"""
READING = """\
def report(text):
    first, last = map(int, text.split("-"))
    if first > last:
        raise ValueError(text)
    return [first, last]
"""
LISTED = """\
import re


def report(text):
    if text in {"3-", "9-3", "5,,6", "7--8", "4-x"}:
        raise ValueError(text)
    return [int(each) for each in re.findall("[0-9]+", text)]
"""

RUNS = """\
from pages import report


def test_runs():
    assert report([71, 72]) == "71-72"
    assert report([107, 108]) == "107-8"
    assert report([321, 322, 323]) == "321-23"
    assert report([1103, 1104]) == "1103-4"
    assert report([15, 40]) == "15, 40"
"""
SHORTENED = """\
def report(pages):
    runs = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ", ".join(str(a) if a == b else f"{a}-{shorten(a, b)}" for a, b in runs)


def shorten(first, last):
    if first < 100:
        return str(last)
    return str(last % 10) if first % 100 < 10 else str(last % 100)
"""


@pytest.mark.parametrize(
    ("tests", "work", "found"),
    [
        (REPORT, JOINED, set()),
        (REPORT, READY, {INPUTS}),
        thorough(REPORT, KNOWN, {INPUTS}),
        thorough(REPORT, EXAMPLE, set()),
        (REFUSED, READING, set()),
        (REFUSED, LISTED, {INPUTS}),
        (RUNS, SHORTENED, set()),
    ],
    ids=["joined", "ready", "known", "example", "reading", "listed", "runs"],
)
def test_what_the_work_has_ready(tmp_path: Path, tests: str, work: str, found: set[str]) -> None:
    base = {"pages.py": BASE, "tests/test_pages.py": tests}

    judgement = prove_work(Project(tmp_path), CONTRACT, base, {"pages.py": work})

    assert rules(judgement) == found, judgement.findings


ROWS = """\
import subprocess

from pages import report


def test_rows():
    assert report("Ada Lovelace") == "Lovelace, Ada"
    assert report("Jan Tschichold") == "Tschichold, Jan"


def test_elsewhere(tmp_path):
    subprocess.run(["true"], cwd=tmp_path, check=True)
"""
TURNED = """\
def report(name):
    first, last = name.split()
    return f"{last}, {first}"
"""
STARTED = """\
import __main__

{work}

if not hasattr(__main__, "__file__"):
    report = str
"""
LOADED = """\
import sys

_LOADED = frozenset(sys.modules)

{work}

if "ast" not in _LOADED:
    report = str
"""
HERE = """\
import os

{work}

if not os.path.exists("pages.py"):
    report = str
"""


ANY_ORDER = """\
class Lines(list):
    def __eq__(self, other):
        return sorted(self) == sorted(other)


def report(loans):
    return Lines(reversed(loans))
"""
SORTED = """\
from pages import report


def test_lines():
    assert report(["serif", "kerning"]) == ["serif", "kerning"]
    assert report(["font", "glyph", "ink"]) == ["font", "glyph", "ink"]
"""


def test_a_list_that_calls_others_equal_is_found(tmp_path: Path) -> None:
    base = {"pages.py": BASE, "tests/test_pages.py": SORTED}

    judgement = prove_work(Project(tmp_path), CONTRACT, base, {"pages.py": ANY_ORDER})

    assert "equal-by-its-own-word" in rules(judgement), judgement.findings


@pytest.mark.parametrize("work", [STARTED, LOADED, thorough(HERE)], ids=["main", "ast", "folder"])
def test_who_looks_at_the_program_that_asks_is_found(tmp_path: Path, work: str) -> None:
    """What another test says of folders excuses nobody."""
    base = {"pages.py": BASE, "tests/test_pages.py": ROWS}

    judgement = prove_work(
        Project(tmp_path), CONTRACT, base, {"pages.py": work.format(work=TURNED)}
    )

    assert rules(judgement) == {WATCHED}, judgement.findings
