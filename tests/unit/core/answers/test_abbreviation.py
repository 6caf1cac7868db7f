"""Obligations cut short: by what is recorded, and never by what an agent says."""

from goalkeeper.core.answers.document import ROUTINE
from goalkeeper.core.answers.rules import refuse_untrue
from goalkeeper.core.decide import record_of_refusal
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import AbbreviationRefused
from goalkeeper.core.plan.model import Goal
from tests.tables import for_each
from tests.unit.core.helpers import AGENT, HUMAN
from tests.unit.core.verifications import Story, asked, questions, recurring

TIGHT = "zone tight"


def why(goal: Goal, condition: str) -> str:
    refused = refuse_untrue(goal, "q1_5", condition)
    return str(refused.facts["why"]) if refused else ""


def daily() -> Story:
    return Story(asked(recurring())).freeze()


def test_T50_routine_is_a_goal_whose_last_cycle_was_achieved_by_the_same_contract() -> None:
    story = daily()
    assert why(story.plan.goals[0], ROUTINE) == "no cycle of it was achieved yet"

    story.achieve(0)

    (goal,) = story.plan.goals
    assert why(goal, ROUTINE) == ""
    assert goal.frozen is not None
    changed = goal.replace(frozen=goal.frozen.replace(digest="another"))
    assert why(changed, ROUTINE) == "the last cycle was achieved by another contract"


def test_T50_a_goal_that_does_not_recur_is_never_routine() -> None:
    (goal,) = Story(asked(questions())).plan.goals

    assert why(goal, ROUTINE) == "the goal does not recur"


def test_T50_other_conditions_are_none() -> None:
    (goal,) = daily().plan.goals

    assert why(goal, TIGHT) == "the only condition is outcome routine"


@for_each("actor", [AGENT, HUMAN], ids=["agent", "human"])
def test_T50_a_false_claim_is_recorded_with_its_reason_whoever_made_it(actor: object) -> None:
    story = daily()
    claim = commands.ClaimAbbreviation("G001", "q1_5", TIGHT)
    refused = story.no(claim)

    (event,) = record_of_refusal(claim, refused, AGENT if actor is AGENT else HUMAN)

    assert refused.reason == "abbreviation-untrue"
    said = "the only condition is outcome routine"
    assert event == AbbreviationRefused("G001", "q1_5", TIGHT, said)


def test_T22_a_true_claim_records_nothing() -> None:
    story = daily()
    story.achieve(0)

    assert story.must(commands.ClaimAbbreviation("G001", "q1_5", ROUTINE)).events == ()
    assert story.plan.goals[0].steps == ()
