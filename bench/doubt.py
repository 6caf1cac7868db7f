"""What doubt costs: work that passes is judged with every probe, against its bare test command."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

from bench.lean import lean_python
from bench.timing import median, table
from bench.witness import Project, timed

# With its start, pytest takes so long for so many tests.
_SUITES = {"a suite of one second": 13, "a suite of ten seconds": 187}
_TEST = """\
import pytest

from product import double


@pytest.mark.parametrize("given, wanted", {rows})
def test_double(given, wanted):
    assert double(given) == wanted
"""
_PRODUCT = """\
import time


def double(value):
    began = time.process_time()
    while time.process_time() < began + 0.05:
        pass
    return value {sign} 2
"""


def doubt(work: Path, goalkeeper: str, *, rounds: int) -> str:
    """Each test computes for 50 ms, in a product that the work has just mended."""
    rows = []
    for number, (name, tests) in enumerate(_SUITES.items()):
        project = _make_project(work / f"doubt{number}", goalkeeper, tests)
        bare = median([timed(partial(_run_bare, project.root, tests)) for _ in range(rounds)])
        judge = partial(project.call, "judge")
        first = median([judge("--no-cache") for _ in range(rounds)])
        judge()
        again = median([judge() for _ in range(rounds)])
        limit = "limit 4 s" if number == 0 else "limit 2.5×"
        rows += [
            [f"{name}: pytest alone", f"{bare:.2f}", "1.00×", ""],
            ["judged with all probes", f"{first:.2f}", f"{first / bare:.2f}×", limit],
            ["judged again, nothing changed", f"{again:.2f}", "", "limit 0.3 s"],
        ]
    return table(["", "seconds", "of pytest alone", ""], rows)


def _make_project(place: Path, goalkeeper: str, tests: int) -> Project:
    project = Project(place, goalkeeper, 20, [], brief=False, first_on_path=lean_python())
    rows = [(number, 2 * number) for number in range(100, 100 + tests)]
    (project.root / "tests").mkdir()
    (project.root / "tests/test_product.py").write_text(_TEST.format(rows=rows))
    (project.root / "product.py").write_text(_PRODUCT.format(sign="+"))
    project.commit()
    check = json.dumps({"pytest": "tests", "min_tests": tests})
    project.plan([f"  - {{id: C1, text: it doubles, check: {check}}}"])
    (project.root / "product.py").write_text(_PRODUCT.format(sign="*"))
    return project


def _run_bare(root: Path, tests: int) -> None:
    argv = [f"{lean_python()}/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
    if f"{tests} passed" not in done.stdout:
        sys.exit(f"the suite does not pass: {done.stdout}")
