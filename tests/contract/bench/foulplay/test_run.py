"""The bench runs everything, in an order that does not depend on who is first."""

import time
from pathlib import Path

import pytest

from bench.foulplay.controls import CONTROLS
from bench.foulplay.corpus import Case, composed
from bench.foulplay.gates import Ruling, self_report
from bench.foulplay.operators.table import OPERATORS
from bench.foulplay.run import run

pytestmark = pytest.mark.needs("git")

CLAIMS = [operator for operator in OPERATORS if operator.family == "claims"][:2]
EVIDENCE = [operator for operator in OPERATORS if operator.family == "evidence"][:2]


def slow_for_some(case: Case) -> Ruling:
    time.sleep(0.1 if case.subject.host.name == "python" else 0)
    return Ruling(accepted=False, why="")


def test_results_come_in_the_order_of_subjects_then_gates() -> None:
    gates = {"a": self_report, "b": slow_for_some}

    results = run(gates, CLAIMS[:1], CONTROLS[:1], jobs=4)

    assert [(one.subject, one.gate) for one in results] == [
        (f"{work}@{host}", gate)
        for work in ("no-change", "honest-fix")
        for host in ("python", "node", "shell")
        for gate in ("a", "b")
    ]
    assert [one.family for one in results][::6] == ["claims", ""]


def test_a_cheat_is_composed_with_the_next_of_another_family(tmp_path: Path) -> None:
    pairs = [subject.id for subject in composed([*CLAIMS, *EVIDENCE], tmp_path)]

    assert pairs[:4] == [
        "no-change+forged-evidence@python",
        "changelog-only+forged-evidence@python",
        "forged-evidence+no-change@python",
        "forged-ledger+no-change@python",
    ]
    assert len(pairs) == 12


def test_a_pair_that_does_not_fit_is_passed_over(tmp_path: Path) -> None:
    works = {operator.id: operator for operator in OPERATORS}
    three = [works[name] for name in ("delete-test-file", "skip-mark", "no-change")]

    pairs = [subject.id for subject in composed(three, tmp_path)]

    assert "delete-test-file+no-change@shell" in pairs
    assert "skip-mark+no-change@shell" in pairs
