from collections import Counter

import pytest

from bench.draft.task import DraftTask, load_tasks
from bench.draft.validate import find_faults


def test_every_task_can_be_read_and_none_says_the_same_twice() -> None:
    tasks = load_tasks()
    for task in tasks:
        solutions = [*task.correct.values(), *task.wrong.values()]
        assert all(solution not in solutions[:at] for at, solution in enumerate(solutions)), (
            task.name
        )
        assert {path for files in solutions for path in files} <= task.base.keys(), task.name
    least = {"python": 16, "javascript": 14, "shell": 12}
    assert Counter(task.language for task in tasks) >= Counter(least)
    for kind in ("sloppy", "over-fitted", "disagreeing"):
        assert sum(kind in task.raw for task in tasks) >= 8, kind


@pytest.mark.needs("awk")
def test_a_wrong_solution_among_the_correct_ones_is_found_and_nothing_else() -> None:
    [task] = load_tasks("shell/bump_version")
    swapped = {**task.raw, "correct": {**task.raw["correct"], "x": task.raw["wrong"]["exit-1"]}}
    assert set(find_faults(DraftTask(task.name, swapped))) == {
        "tests/hidden.sh is red on correct.x",
        "tests/unknown.sh is red on correct.x",
        "tests/refused.sh is red on correct.x",
    }
