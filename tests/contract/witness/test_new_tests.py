"""The tests that come with the work: what proves it, and what they may not hide."""

from pathlib import Path

import pytest

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import Level
from tests.contract.witness.projects import BUGGY, FIXED, QUICK, TESTS, Project, rules
from tests.tables import thorough

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
COMES = f"""
criteria:
  - id: C1
    text: the fix comes with tests
    check: {{pytest: tests, {QUICK}}}
    new_tests: true
"""
GREEN = """\
import pytest

from calc import add


def test_zero():
    assert add(0, 0) == 0


@pytest.mark.parametrize(("a", "sum"), [(0, 0), (1, 1)])
def test_row(a, sum):
    assert add(a, 0) == sum


def test_wrong():
    assert add(1, 2) == -1
"""
MENDED = GREEN.replace("== -1", "== 3")
NEW = "\n\ndef test_more():\n    assert add(2, 2) == 4\n"
IDLE = "\n\ndef test_again():\n    assert add(3, 0) == 3\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.write("tests/test_calc.py", GREEN)
    project.repo.commit("all green")
    (before,) = project.begin(COMES).criteria
    assert (before.verdict, before.reason) == (F, "no new test yet")
    project.write("calc.py", FIXED)
    return project


def test_new_and_changed_tests_prove_the_work_and_are_named(project: Project) -> None:
    project.write("tests/test_calc.py", MENDED + NEW + IDLE)

    judgement = project.prove()

    assert judgement.is_proven, judgement
    assert judgement.criteria[0].reason == (
        "3 tests hold; it rests on 1 new, 1 changed, red without the work: "
        "tests/test_calc.py::test_more, tests/test_calc.py::test_wrong"
    )
    assert rules(judgement, Level.ADVISORY) == {"expectation-changed", "test-proves-nothing"}


@pytest.mark.thorough
def test_a_row_that_expects_something_else_is_not_gone(project: Project) -> None:
    project.write("calc.py", FIXED.replace("a + b", "a + b + (a == 1 and b == 0)"))
    project.write("tests/test_calc.py", MENDED.replace("(1, 1)", "(1, 2)"))

    judgement = project.prove()

    assert judgement.is_proven, judgement
    assert "it rests on 1 new, 1 changed" in judgement.criteria[0].reason


@pytest.mark.thorough
def test_a_file_that_no_longer_loads_with_the_work_counts_as_the_work_has_it(
    project: Project,
) -> None:
    """The work renames what the tests import, so neither form loads with the other's code."""
    project.write("calc.py", BUGGY.replace("add", "plus") + "def twice(a):\n    return a * 2\n")
    tests = GREEN.replace("import add", "import plus as add, twice")
    tests += "\n\ndef test_twice():\n    assert twice(2) == 4\n"
    project.write("tests/test_calc.py", tests)

    assert project.prove().is_proven

    project.write("tests/test_calc.py", tests.replace("== 0", ">= 0"))

    assert project.prove().criteria[0].verdict is F


def test_a_file_that_never_loaded_hides_no_other(project: Project) -> None:
    project.write("calc.py", BUGGY)
    project.write("tests/test_old.py", "import nobody_has_this\n")
    project.begin(COMES)
    project.write("tests/test_old.py", "import calc\n\n\ndef test_old():\n    assert calc.add\n")
    project.write("tests/test_calc.py", GREEN.partition("def test_zero")[0] + NEW)
    project.write("calc.py", "def add(a, b):\n    return a + b or 1\n")

    assert "tests/test_calc.py::test_zero" in project.judged().reason

    project.write("tests/test_calc.py", MENDED + NEW)
    project.write("calc.py", FIXED)

    assert project.prove().is_proven


def test_new_tests_that_pass_without_the_work_prove_nothing(project: Project) -> None:
    project.write("calc.py", BUGGY + "# mended\n")
    project.write("tests/test_calc.py", GREEN + IDLE)

    judged = project.judged()

    assert (judged.verdict, judged.reason) == (F, "no new or changed test fails on the base's code")


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (GREEN, "1 of 4 tests fail: tests/test_calc.py::test_wrong"),
        thorough(GREEN.replace("== -1", "in {-1, 3}"), "1 of 4 tests fail"),
        (GREEN.partition("def test_wrong")[0] + IDLE, "1 of 4 tests fail"),
    ],
)
def test_without_a_test_that_is_red_on_base_nothing_is_proven(
    tests: str, said: str, project: Project
) -> None:
    project.write("tests/test_calc.py", tests)

    judgement = project.prove()

    assert not judgement.is_proven
    assert said in judgement.criteria[0].reason


def test_tests_of_the_base_are_not_removed_or_weakened_under_cover_of_new_ones(
    project: Project,
) -> None:
    fewer = MENDED.replace("[(0, 0), (1, 1)]", "[(2, 2)]").replace("add(a, 0)", "add(0, a)")
    project.write("tests/test_calc.py", fewer)
    removed = project.prove()
    project.write("tests/test_calc.py", MENDED.replace("== 0", ">= 0") + NEW)
    weakened = project.prove()

    assert removed.criteria[0].verdict is weakened.criteria[0].verdict is P
    assert {"test-vanished", "assertion-weakened"} <= rules(removed, Level.ASKING)
    assert rules(weakened, Level.ASKING) == {"assertion-weakened"}
    assert not removed.is_proven
    assert not weakened.is_proven


@pytest.mark.parametrize("skips", [False, thorough(True)])
def test_for_a_test_that_would_still_pass_another_one_may_come(
    project: Project, *, skips: bool
) -> None:
    zero = "def test_zero():\n    assert add(0, 0) == 0\n\n\n"
    other = f"@pytest.mark.skipif(os.getuid() >= 0, reason='x')\n{zero}" if skips else ""
    without = "import os\n" + MENDED.replace(zero, other)
    project.write("tests/test_calc.py", without)
    alone = project.prove()
    project.write("tests/test_calc.py", without + IDLE)
    made_up = project.prove()

    rule = "test-skipped-now" if skips else "test-vanished"
    assert alone.criteria[0].verdict is made_up.criteria[0].verdict is P
    assert rule in rules(alone, Level.ASKING)
    assert not alone.is_proven
    assert rule in rules(made_up, Level.ADVISORY)
    assert made_up.is_proven, made_up


def test_for_a_test_that_the_work_breaks_no_other_may_come(project: Project) -> None:
    project.write("calc.py", FIXED.replace("a + b", "a + b or 7"))
    zero = "def test_zero():\n    assert add(0, 0) == 0\n\n\n"
    broken = MENDED.replace(zero, "").replace("(0, 0), ", "")
    project.write("tests/test_calc.py", broken + NEW + IDLE)

    judgement = project.prove()

    assert judgement.criteria[0].verdict is F
    assert not judgement.is_proven


def test_an_agents_own_contract_does_not_let_it_change_the_tests_of_others(
    project: Project,
) -> None:
    project.write("tests/test_calc.py", MENDED + NEW)

    judgement = project.prove(keeps_tests=True)

    assert judgement.criteria[0].verdict is F
    assert "expectation-changed" in rules(judgement, Level.ADVISORY)


@pytest.mark.thorough
def test_tests_of_the_work_need_no_others(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("tests/test_calc.py", "")
    project.repo.commit("no test yet")
    (before,) = project.begin(COMES).criteria
    assert (before.verdict, before.reason) == (U, "no tests were collected")
    project.write("calc.py", FIXED)
    assert not project.prove().is_proven

    project.write("tests/test_calc.py", TESTS)

    assert (
        project.prove()
        .criteria[0]
        .reason.endswith("it rests on 1 new, red without the work: tests/test_calc.py::test_add")
    )
