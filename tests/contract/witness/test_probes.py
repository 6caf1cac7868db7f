"""Probes: work whose tests pass is doubted in ways in which honest work gives the same answer."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import FIXED, Project, rules

SPOILT = "passes-whatever-is-expected"
LISTENS = """\
import inspect


def add(a, b):
    asked = inspect.stack()[1].code_context[0]
    return eval(asked.partition("==")[2])
"""
BENDS = """\
import gc


def add(a, b):
    for kind in gc.get_objects():
        if isinstance(kind, type) and kind.__name__ == "Function" and hasattr(kind, "runtest"):
            kind.runtest = lambda self: None
    return 0
"""


@pytest.fixture
def frozen(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.freeze()
    return project


def test_honest_work_is_doubted_and_the_evidence_says_by_what(frozen: Project) -> None:
    frozen.write("calc.py", FIXED)

    judgement = frozen.prove()

    assert judgement.is_proven, judgement
    (told, *_) = frozen.document(judgement.criteria[0])["probes"]
    assert told == {
        "probe": "spoilt tests",
        "saw": "2 of 2 tests fail when they expect other values",
        "unseen": [],
    }


def test_an_answer_that_was_taken_from_the_test_is_found(frozen: Project) -> None:
    frozen.write("calc.py", LISTENS)

    judgement = frozen.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}
    assert SPOILT in rules(judgement)
    told = [str(f) for f in judgement.findings if f.rule == SPOILT]
    assert "tests/test_calc.py::test_add passes although it expects other values now" in told[0]


def test_a_runner_that_was_bent_for_tests_without_naming_them_is_found(frozen: Project) -> None:
    frozen.write("calc.py", BENDS)

    assert SPOILT in rules(frozen.prove())


def test_work_that_fails_is_not_doubted_further(frozen: Project) -> None:
    frozen.write("calc.py", "def add(a, b):\n    return 7\n")

    judgement = frozen.prove()

    assert not judgement.is_proven
    assert "probes" not in frozen.document(judgement.criteria[0])
