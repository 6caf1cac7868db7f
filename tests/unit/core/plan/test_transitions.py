"""The table of statuses, against the sentence of the specification, written out again."""

from itertools import product

from goalkeeper.core.plan.model import Goal, GoalStatus
from goalkeeper.core.plan.transitions import refused_move
from tests.tables import for_each
from tests.unit.core.helpers import ALLOWED_MOVES

STATUSES = (
    "pending",
    "active",
    "complete",
    "failed",
    "blocked",
    "review_blocked",
    "superseded",
    "expired",
)


def goal(status: str) -> Goal:
    return Goal("G007", "Title", "objective", GoalStatus(status), "then", "then", "brief")


def test_the_statuses_are_the_seven_of_the_specification_and_one_for_hypotheses() -> None:
    assert set(GoalStatus) == set(STATUSES)


@for_each(("old", "to"), sorted(ALLOWED_MOVES))
def test_a_move_of_the_table_is_allowed(old: str, to: str) -> None:
    assert refused_move(goal(old), GoalStatus(to)) is None


@for_each(("old", "to"), sorted(set(product(STATUSES, STATUSES)) - ALLOWED_MOVES))
def test_every_other_move_is_refused(old: str, to: str) -> None:
    refusal = refused_move(goal(old), GoalStatus(to))

    assert refusal is not None
    assert refusal.reason == "transition-not-allowed"
    assert refusal.message == f"G007 is {old} and cannot become {to}."
    assert refusal.facts == {"goal_id": "G007", "status": old, "wanted": to}


@for_each("status", STATUSES)
def test_a_refused_move_names_a_command_that_can_be_run(status: str) -> None:
    refusal = refused_move(goal(status), GoalStatus(status))

    assert refusal is not None
    assert refusal.hint.startswith("goalkeeper ")
    assert "{" not in refusal.hint
