"""Tests that a table in a file makes are reported, so they are not lost."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, rules

ROWS = """\
import pytest

from rate import rate


@pytest.mark.parametrize(("given", "wanted"), [(10, 3), (25, 8), (31, 10)])
def test_rate(given, wanted):
    assert rate(given) == wanted
"""
READ = """\
import json
from pathlib import Path

import pytest

from rate import rate

ROWS = json.loads((Path(__file__).parent / "rows.json").read_text())


@pytest.mark.parametrize(("given", "wanted"), ROWS)
def test_rate(given, wanted):
    assert rate(given) == wanted
"""
CONTRACT = f"""\
criteria: [{{id: C1, text: it rates, check: {{pytest: tests/test_rate.py, {QUICK}}}}}]
"""


@pytest.mark.parametrize(
    ("rows", "is_asked"),
    [("[[10, 3], [25, 8], [31, 10]]", False), ("[[10, 3], [25, 8]]", True)],
)
@pytest.mark.thorough
def test_rows_may_move_to_a_file(tmp_path: Path, rows: str, is_asked: bool) -> None:
    project = Project(tmp_path)
    project.write("rate.py", "def rate(n):\n    return 0\n")
    project.write("tests/test_rate.py", ROWS)
    project.begin(CONTRACT)
    project.write("rate.py", "def rate(n):\n    return n // 3\n")
    project.write("tests/test_rate.py", READ)
    project.write("tests/rows.json", rows)

    judgement = project.prove()

    assert bool(rules(judgement)) is is_asked, judgement.findings
