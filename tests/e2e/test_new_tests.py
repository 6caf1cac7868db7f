"""The tests that come with the fix, as people and agents ask for them."""

import json
from pathlib import Path

import pytest

from tests.e2e.project import RIGHT, SUITE, Project, contract, criterion, verdicts

GREEN = {**SUITE, "tests/test_total.py": str(SUITE["tests/test_total.py"]).replace("3", "0")}
COMES = contract(criterion("C1", {"pytest": ["tests"]}, new_tests=True))
NEW = "from total import total\n\ndef test_one():\n    assert total([1]) == 1\n"
FIX = {"total.py": RIGHT, "tests/test_total.py": SUITE["tests/test_total.py"]}


def test_a_fix_that_brings_its_tests_is_complete_and_says_what_it_rests_on(tmp_path: Path) -> None:
    project = Project(tmp_path, GREEN)
    project.begin({**COMES, "scope": {"touch": ["total.py"]}}, env=project.human())
    seen = project.check()
    assert (seen.code, seen.json["brings_tests"]) == (0, True)
    assert [(c["look"], c["reason"]) for c in seen.json["criteria"]] == [("red", "no new test yet")]
    project.write({**FIX, "tests/test_new.py": NEW})

    judged = project.judge()

    (found,) = judged["criteria"]
    assert found["reason"].endswith(
        "it rests on 1 new, 1 changed, red without the work: "
        "tests/test_new.py::test_one, tests/test_total.py::test_total"
    )
    assert project.complete().code == 0


@pytest.mark.thorough
def test_a_contract_that_an_agent_wrote_for_itself_rests_on_new_tests_alone(tmp_path: Path) -> None:
    project = Project(tmp_path, GREEN)
    project.begin(None, env=project.human())
    (project.root / "own.json").write_text(json.dumps(COMES))
    project.ok("contract", "freeze", "--file", "own.json")
    (project.root / "own.json").unlink()
    project.write({**FIX, "tests/test_new.py": NEW})

    assert verdicts(project.judge()) == {"C1": "failed"}

    project.write({"total.py": "def total(items):\n    return sum(items) if items == [1] else 0\n"})
    project.write({"tests/test_total.py": GREEN["tests/test_total.py"]})
    assert verdicts(project.judge()) == {"C1": "passed"}
