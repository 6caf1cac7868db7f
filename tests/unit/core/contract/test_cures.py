"""A criterion that can show nothing is told what to write instead."""

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.cures import suggest_cure
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.fitness import FIT, Fitness, Look
from tests.tables import for_each

COMMAND = Criterion("C1", "", Check("command", {"command": ("make",)}))
PYTEST = Criterion("C1", "", Check("pytest", {"pytest": ("tests/test_a.py::test_b", "tests/c")}))
JUNIT = Criterion("C1", "", Check("junit", {"junit": ("make",)}))
FILE = Criterion("C1", "", Check("file", {"file": "a"}))
EMPTY = "no tests were collected"
CURES = {
    "the goal brings tests": (Fitness(PYTEST, Look.GREEN, ""), "`new_tests: true`"),
    "a command": (Fitness(COMMAND, Look.GREEN, ""), "fails until the work is done"),
    "a guard is broken": (Fitness(COMMAND, Look.GUARD_RED, ""), "leave `guard` out"),
    "a tool is missing": (Fitness(COMMAND, Look.UNKNOWN, "", lacks=True), "goalkeeper init"),
    "a runner is missing": (Fitness(PYTEST, Look.UNKNOWN, "", lacks=True), "[witness] fetch"),
    "tests are to be written": (
        Fitness(PYTEST, Look.UNKNOWN, EMPTY), "`may_change: [tests/test_a.py, tests/c]`",
    ),
    "a runner finds no tests": (Fitness(JUNIT, Look.UNKNOWN, EMPTY), "may_change"),
    "a command finds no tests": (
        Fitness(COMMAND, Look.UNKNOWN, EMPTY), "`check: {pytest: [tests/test_NEW.py]}`",
    ),
    "a guard finds no tests": (
        Fitness(PYTEST.replace(guard=True), Look.UNKNOWN, EMPTY), "guard nothing",
    ),
    "held-out tests are not found": (
        Fitness(PYTEST.replace(held_out=("/x",)), Look.UNKNOWN, EMPTY), "`held_out` names",
    ),
    "time ran out": (Fitness(COMMAND, Look.UNKNOWN, "hit the limit on time"), "`timeout`"),
}  # fmt: skip


@for_each("row, said", CURES.values(), CURES)
def test_the_cure_is_named(row: Fitness, said: str) -> None:
    assert said in suggest_cure(row)


@for_each("look", sorted(FIT))
def test_what_can_show_something_needs_no_cure(look: Look) -> None:
    assert suggest_cure(Fitness(PYTEST, look, EMPTY)) == ""


def test_what_no_program_judges_has_no_timeout() -> None:
    assert suggest_cure(Fitness(FILE, Look.UNKNOWN, "x")) == ""
