"""Tests of the base that became rows of another test."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import FIXED, Project
from tests.tables import thorough

MERGED = """\
import pytest
from calc import add


@pytest.mark.parametrize(("one", "two", "total"), [(0, 0, 0), (1, 2, 3)])
def test_sums(one, two, total):
    assert add(one, two) == total
"""


@pytest.mark.parametrize(
    ("rows", "is_proven"),
    [("(0, 0, 0), ", True), thorough("(5, 6, 11), (7, 8, 15), ", True), ("", False)],
)
def test_tests_that_became_rows_of_another_are_not_gone(
    tmp_path: Path, rows: str, is_proven: bool
) -> None:
    project = Project(tmp_path)
    project.freeze()
    project.write("calc.py", FIXED)
    project.write("tests/test_calc.py", MERGED.replace("(0, 0, 0), ", rows))

    judgement = project.prove()

    assert judgement.is_proven is is_proven, judgement.findings
