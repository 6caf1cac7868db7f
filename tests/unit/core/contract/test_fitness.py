"""Whether a criterion can tell anything, from how it looks on the base."""

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.fitness import FIT, Fitness, Look, assess_fitness
from goalkeeper.core.contract.judgement import Judged
from tests.tables import for_each

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
COMMAND = Check("command", {"command": ("make",)})
PYTEST = Check("pytest", {"pytest": ("tests/test_a.py::test_x", "tests/b")})
JUNIT = Check("junit", {"junit": ("make",)})


def looked(
    check: Check,
    verdict: Verdict,
    *may_change: str,
    guard: bool = False,
    held_out: tuple[str, ...] = (),
    outside: bool | None = None,
) -> Fitness:
    criterion = Criterion("C1", "", check, guard=guard, held_out=held_out)
    contract = Contract((criterion,), may_change=may_change)
    judged = Judged("C1", verdict, "so it was", outside=outside)
    return assess_fitness(contract, criterion, judged)


@for_each(
    ("verdict", "guard", "look"),
    [
        (P, False, Look.GREEN),
        (P, True, Look.GUARD),
        (F, False, Look.RED),
        (F, True, Look.GUARD_RED),
        (U, False, Look.UNKNOWN),
        (U, True, Look.UNKNOWN),
    ],
)
def test_a_criterion_is_red_before_and_a_guard_is_green(
    verdict: Verdict, guard: bool, look: Look
) -> None:
    seen = looked(COMMAND, verdict, guard=guard)

    assert (seen.look, seen.reason) == (look, "so it was")
    assert seen.is_fit is (look in {Look.RED, Look.GUARD})


@for_each(
    ("check", "may_change", "look"),
    [
        (PYTEST, ("tests/**",), Look.NO_TESTS_YET),
        (PYTEST, ("tests/test_a.py", "tests/b/**"), Look.NO_TESTS_YET),
        (PYTEST, ("tests/test_a.py", "tests/b"), Look.NO_TESTS_YET),
        (PYTEST, ("tests/test_a.py",), Look.UNKNOWN),
        (PYTEST, (), Look.UNKNOWN),
        (JUNIT, ("spec",), Look.NO_TESTS_YET),
        (JUNIT, (), Look.UNKNOWN),
        (COMMAND, ("**",), Look.UNKNOWN),
    ],
)
def test_tests_that_the_goal_may_write_need_not_be_there_yet(
    check: Check, may_change: tuple[str, ...], look: Look
) -> None:
    assert looked(check, U, *may_change).look is look
    assert looked(check, U, *may_change, guard=True).look is Look.UNKNOWN
    assert looked(check, U, *may_change, held_out=("/x",)).look is Look.UNKNOWN
    assert looked(check, U, *may_change, outside=True).look is Look.UNKNOWN  # no runner, say


@for_each("kind", ["question", "manual"])
@for_each("verdict", list(Verdict))
def test_what_people_answer_is_fit_without_an_answer(kind: str, verdict: Verdict) -> None:
    assert looked(Check(kind, {kind: "is it?"}), verdict).look is Look.NEEDS_ANSWER


def test_only_what_can_tell_something_is_fit() -> None:
    assert {look for look in Look if look not in FIT} == {Look.GREEN, Look.GUARD_RED, Look.UNKNOWN}
