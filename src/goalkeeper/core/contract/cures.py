"""What to write or do if a criterion can show nothing, in one sentence each."""

from __future__ import annotations

from goalkeeper.core.contract.check_kinds import PROCESS_KINDS, TEST_KINDS
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.fitness import Fitness, Look

NO_TESTS = "no tests were collected"
_STAY = "if it is only to stay so, it is a guard: `guard: true`"
SET_UP = (
    "goalkeeper init --again finds a set-up and tries it; or write [witness] fetch and setup "
    "into .goalkeeper/config.toml, then goalkeeper trust"
)


def suggest_cure(row: Fitness) -> str:
    """Suggest what makes a criterion show something; empty if it does."""
    criterion = row.criterion
    match row.look:
        case Look.GREEN:
            return _cure_green(criterion)
        case Look.GUARD_RED:
            return "make it pass first; if the goal is to make it pass, leave `guard` out"
        case Look.UNKNOWN if row.lacks:
            return f"the clean checkout lacks it: {SET_UP}"
        case Look.UNKNOWN if criterion.check.kind in TEST_KINDS or NO_TESTS in row.reason:
            return _cure_missing_tests(criterion)
        case Look.UNKNOWN if criterion.check.kind in PROCESS_KINDS:
            return "run it by hand in a clean checkout; `timeout` gives it more seconds"
        case _:
            return ""


def _cure_green(criterion: Criterion) -> str:
    if criterion.check.kind not in TEST_KINDS:
        return f"write a check that fails until the work is done; {_STAY}"
    return f"if the goal brings tests that fail without it, say so: `new_tests: true`; {_STAY}"


def _cure_missing_tests(criterion: Criterion) -> str:
    if criterion.held_out:
        where = f"be found in {criterion.held_out_at}/"
        return f"its tests must lie in the files that `held_out` names, and {where}"
    if criterion.guard:
        return "tests that are not there guard nothing: leave `guard` out, or name other tests"
    if criterion.check.kind not in TEST_KINDS:
        return (
            "if the goal is to write them, use a check that counts tests, such as `check: {pytest: "
            "[tests/test_NEW.py]}`, with `may_change: [tests/test_NEW.py]`"
        )
    is_pytest = criterion.check.kind == "pytest"
    free = ", ".join(_list_files(criterion)) if is_pytest else "THEIR FILES"
    return (
        f"if the goal is to write them, say so: `may_change: [{free}]`; or bring them with the "
        "contract, under `tests`"
    )


def _list_files(criterion: Criterion) -> list[str]:
    return list(dict.fromkeys(word.split("::", 1)[0] for word in criterion.check.main_option))
