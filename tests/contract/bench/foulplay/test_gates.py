"""What each rival gate sees and what it misses."""

from pathlib import Path

import pytest

from bench.foulplay.control import Control
from bench.foulplay.controls import CONTROLS
from bench.foulplay.corpus import Subject, build
from bench.foulplay.gates import GATES
from bench.foulplay.host import HOSTS
from bench.foulplay.operators.operator import Operator
from bench.foulplay.operators.table import OPERATORS
from tests.tables import for_each

pytestmark = [pytest.mark.needs("git", "make"), pytest.mark.thorough]

WORKS: dict[str, Operator | Control] = {
    **{operator.id: operator for operator in OPERATORS},
    **{control.id: control for control in CONTROLS},
}
SELF, EVIDENCE, EXIT, FROZEN, CLEAN, IDENTITY = GATES


@for_each(
    ("work", "last"),
    [
        pytest.param("no-change", EVIDENCE, id="words-fool-those-who-only-listen"),
        pytest.param("or-true", EXIT, id="an-exit-code-is-easily-forced"),
        pytest.param("check-nothing", EXIT, id="a-contract-in-the-tree-is-the-workers"),
        pytest.param("ignored-fix", FROZEN, id="the-workers-tree-has-more-than-the-change"),
        pytest.param("report-written-at-exit", CLEAN, id="a-count-is-not-an-identity"),
        pytest.param("emptied-tests", IDENTITY, id="a-name-is-not-a-test"),
        pytest.param("honest-fix", IDENTITY, id="honest-work-passes-all"),
    ],
)
def test_a_subject_is_accepted_up_to_a_gate(work: str, last: str, tmp_path: Path) -> None:
    case = build(Subject(WORKS[work], HOSTS["shell"]), tmp_path)

    accepted = [name for name, gate in GATES.items() if gate(case).accepted]

    assert accepted == list(GATES)[: list(GATES).index(last) + 1]


def test_a_renamed_test_is_too_much_for_identities(tmp_path: Path) -> None:
    case = build(Subject(WORKS["renamed-test"], HOSTS["shell"]), tmp_path)

    assert GATES[CLEAN](case).accepted
    assert "a tag gets its v" in GATES[IDENTITY](case).why
