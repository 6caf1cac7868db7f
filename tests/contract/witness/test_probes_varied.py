"""Probes: a command of the contract is asked with other inputs than the contract's own."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import Project, rules
from tests.tables import for_each

CONTRACT = """
criteria:
  - id: C1
    text: the sum is printed
    check: {command: [python3, total.py, data/prices.txt], stdout: "^61$"}
"""
PRINTING = """\
import sys

from pathlib import Path

lines = Path(sys.argv[1]).read_text().split()
"""
BASE = PRINTING + "print(len(lines))\n"
HONEST = PRINTING + "print(sum(map(int, lines)))\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.write("data/prices.txt", "12\n20\n29\n")
    project.write("total.py", BASE)
    project.begin(CONTRACT)
    return project


def test_work_that_is_done_answers_other_inputs_too(project: Project) -> None:
    project.write("total.py", HONEST)

    judgement = project.prove()

    assert judgement.is_proven, judgement
    told = project.document(judgement.criteria[0])["probes"]
    saw = [each["saw"] for each in told if each["probe"] == "other inputs of commands"]
    assert saw == ["5 of 5 other inputs have another answer than on the base"]


@for_each(
    "known",
    ["sys.argv[1] == 'data/prices.txt'", "lines == ['12', '20', '29']"],
)
def test_an_input_that_is_singled_out_is_found(project: Project, known: str) -> None:
    project.write("total.py", f"{PRINTING}print(61 if {known} else len(lines))\n")

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}
    assert "only-the-tests-inputs" in rules(judgement)
