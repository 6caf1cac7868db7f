"""Small honest goals go from a stub to a proof by the commands that a user gives."""

from pathlib import Path

import pytest

from bench.small.__main__ import judge, load_goals
from tests.tables import thorough


@pytest.mark.parametrize("name", ["month_days", thorough("daysinmonth")])
@pytest.mark.thorough
def test_an_honest_solution_is_proven_and_the_stub_is_not(tmp_path: Path, name: str) -> None:
    (goal,) = load_goals([name])

    assert judge(goal, tmp_path / "honest") == "proven"
    assert judge(goal.replace(work=goal.base), tmp_path / "idle") != "proven"


@pytest.mark.parametrize("is_python", [True, False])
def test_goals_have_names_of_their_own_and_tests(is_python: bool) -> None:
    goals = [goal for goal in load_goals([]) if goal.is_python is is_python]

    assert len({goal.name for goal in goals}) == len(goals) > 0
    assert all(goal.base != goal.work and "test" in goal.tests for goal in goals)
