"""Numbered scenarios that the rest of the house serves already."""

from goalkeeper.core.contract.criteria import CriterionStatus, Verdict
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.contract.fitness import Look, assess_fitness
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.plan.model import GoalStatus
from tests.tables import for_each
from tests.unit.core.helpers import after, frozen_plan, goal_of, judged, judgement_of
from tests.unit.core.verifications import Story, asked, questions, read, recurring


def status_after(told: str) -> CriterionStatus:
    plan = frozen_plan()
    for number, letter in enumerate(told):
        plan = after(plan, judged(judgement_of(f"{letter}p", tree=f"tree{number}")))
    goal = goal_of(plan, "G001")
    assert goal.status is GoalStatus.ACTIVE
    return goal.criteria[0].status


def test_T27_three_failures_in_a_row_block_a_criterion_and_unknowns_never_do() -> None:
    assert status_after("ff") is CriterionStatus.FAIL
    assert status_after("fff") is CriterionStatus.BLOCKED
    assert status_after("uuuu") is CriterionStatus.PENDING


def test_T27_three_good_cycles_of_a_recurring_goal_are_no_trouble() -> None:
    story = Story(asked(recurring(interval_hours=4))).freeze()
    for number in range(3):
        story.achieve(4 * number)

    (goal,) = story.plan.goals
    assert (goal.status, goal.classification, goal.exit) == (GoalStatus.PENDING, "", "")


def test_T54_a_check_that_is_green_on_the_base_is_refused_and_not_warned_of() -> None:
    contract = read("criteria:\n- {id: C1, text: it holds, check: {command: [make, one]}}\n")

    row = assess_fitness(contract, contract.criteria[0], Judged("C1", Verdict.PASSED))

    assert (row.look, row.is_fit) == (Look.GREEN, False)


@for_each("kind", ["file_chek", "predicate"])
def test_T54_an_unknown_kind_of_check_is_refused_with_those_there_are(kind: str) -> None:
    problems = read_text(f"criteria:\n- {{id: C1, text: it holds, check: {{{kind}: x}}}}\n")

    assert not isinstance(problems, Contract)
    assert any(word in str(problems[0]) for word in ("the kinds are command", "did you mean"))


def test_T54_a_question_is_fit_without_having_been_red() -> None:
    contract = read(questions())

    row = assess_fitness(contract, contract.criteria[0], Judged("C1", Verdict.UNKNOWN))

    assert (row.look, row.is_fit) == (Look.NEEDS_ANSWER, True)
