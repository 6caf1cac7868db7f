from pathlib import Path

import pytest

from bench.draft.examiners import KINDS, make_scene
from bench.draft.measure import measure_scene
from bench.draft.report import Drafting, RatedTest, write_report
from bench.draft.task import load_tasks
from goalkeeper.core.draft.answer import DraftAnswer, read_answer


def test_every_answer_of_a_scripted_examiner_has_the_form_that_is_asked_for() -> None:
    for task in load_tasks():
        for kind in KINDS:
            scene = make_scene(task, kind)
            for answer in scene.answers if scene else ():
                assert isinstance(read_answer(answer), DraftAnswer), (task.name, kind)


def test_the_report_counts_errors_and_leaves_out_the_good_examiner_beside_a_bad_one() -> None:
    bound, green = RatedTest(2, "binding"), RatedTest(1, "dropped", "green-on-base")
    good = Drafting("a", "good", (bound, bound), "", 2, 3, ("x (C1)",), ())
    data, page = write_report(
        [good, Drafting("a", "vacuous", (green, bound), "", 2, 3, (), ("y",))]
    )
    assert not data["ok"]
    assert page.splitlines()[2:4] == [
        "| good | 1 | 2 | 2 | 0 | 0 | 0 | 0 | 0 of 3 | 1 of 2 |",
        "| vacuous | 1 | 1 | 0 | 0 | 0 | 1 | 0 | 1 of 3 | 0 of 2 |",
    ]
    assert "| green-on-base | 0 | 1 |" in page
    assert data["errors"] == ["a, good: refuses x (C1)", "a, vacuous: accepts y"]


@pytest.mark.thorough
@pytest.mark.needs("awk")
def test_contracts_of_good_examiners_tell_right_from_wrong_and_vacuous_tests_are_named(
    tmp_path: Path,
) -> None:
    [task] = load_tasks("shell/dedupe_in_order")  # other languages take minutes
    good, vacuous = (measure_scene(task, kind, tmp_path) for kind in ("good", "vacuous"))
    assert good
    assert (good.refused, good.wrong_accepted, good.correct_refused) == ("", (), ())
    assert (good.correct, good.wrong) == (len(task.correct), len(task.wrong))
    assert vacuous
    rules = [test.rule for test in vacuous.tests if test.examiner == 1]
    assert rules == ["green-on-base", "green-on-base", "reads-the-repository"]
