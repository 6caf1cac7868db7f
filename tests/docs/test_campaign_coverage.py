"""The table of what campaigns do is whole, and what it names is there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "campaign-coverage.md"
STATES = {"served", "differently", "part", "open"}
ASKED = [*(f"S{n}" for n in range(1, 76)), *(f"U{n}" for n in range(63, 71))]


def rows() -> list[list[str]]:
    found = re.findall(r"^\| ([SU]\d.*) \|$", PAGE.read_text(), re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in found]


@cache
def list_tests(path: Path) -> set[str]:
    return {*re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE)}


def test_every_statement_has_one_row() -> None:
    assert [row[0] for row in rows()] == ASKED


def test_every_row_names_tests_that_exist_or_is_open() -> None:
    for number, statement, state, how, shown in rows():
        named = re.findall(r"`(\S+)::(\w+)`", shown)
        assert statement, number
        assert state in STATES, number
        assert bool(named) is (state != "open"), number
        assert (shown == "open") is (state == "open"), number
        assert ("open: " in how) is (state == "part"), number
        assert how or state == "served", number
        for path, test in named:
            assert test in list_tests(ROOT / "tests" / path), f"{number}: {path}::{test}"
