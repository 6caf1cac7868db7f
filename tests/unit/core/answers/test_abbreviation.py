"""Obligations cut short: by what is recorded, and never by what an agent says."""

from goalkeeper.core.answers.document import CONDITIONS, ROUTINE, TIGHT
from goalkeeper.core.answers.rules import refuse_untrue
from goalkeeper.core.decide import record_of_refusal
from goalkeeper.core.drive import context as drive_context
from goalkeeper.core.drive.context import ContextUse, Zone
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import AbbreviationRefused
from goalkeeper.core.plan.model import Goal
from tests.tables import for_each
from tests.unit.core.helpers import AGENT, HUMAN
from tests.unit.core.verifications import Story, asked, questions, recurring

FULL = ContextUse(85_000, 100_000, 100)


def why(goal: Goal, condition: str, context: ContextUse | None = None) -> str:
    refused = refuse_untrue(goal, "q1_5", condition, context)
    return str(refused.facts["why"]) if refused else ""


def daily() -> Story:
    return Story(asked(recurring())).freeze()


@for_each(
    ("context", "zone"),
    [
        (ContextUse(84_999, 100_000, 100), Zone.NORMAL),
        (ContextUse(85_000, 100_000, 100), Zone.TIGHT),
        (ContextUse(49_999, 100_000, 100), Zone.FRESH),
        (ContextUse(50_000, 100_000, 100), Zone.NORMAL),
        (ContextUse(339_999, 500_000, 80), Zone.NORMAL),
        (ContextUse(340_000, 500_000, 80), Zone.TIGHT),
        (ContextUse(0, 1, 100), Zone.FRESH),
        (ContextUse(10**9, 100_000, 90), Zone.TIGHT),
    ],
)
def test_T49_the_zone_is_the_distance_to_the_limit(context: ContextUse, zone: Zone) -> None:
    assert drive_context.find_zone(context) is zone


def test_T49_the_limit_is_a_share_of_the_window() -> None:
    assert drive_context.find_limit(ContextUse(0, 500_000, 80)) == 400_000


@for_each("context", [ContextUse(1, 100_000, 0), ContextUse(1, 0, 90), ContextUse(-1, 1, 90)])
def test_T49_a_record_without_a_limit_says_nothing(context: ContextUse) -> None:
    assert drive_context.find_zone(context) is None


def test_T50_tight_is_what_goalkeeper_recorded_and_without_a_record_it_is_untrue() -> None:
    (goal,) = Story(asked(questions())).plan.goals

    assert why(goal, TIGHT, FULL) == ""
    assert why(goal, TIGHT) == "goalkeeper has no record of the context"
    assert why(goal, TIGHT, FULL.replace(input_tokens=1)) == "the record says zone fresh"
    assert why(goal, TIGHT, FULL.replace(window=0)) == "the record of the context names no limit"


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

    assert why(goal, ROUTINE, FULL) == "the goal does not recur"


def test_T50_other_conditions_are_none() -> None:
    (goal,) = daily().plan.goals

    assert CONDITIONS == ("outcome routine", "zone tight")
    assert why(goal, "I am in a hurry", FULL) == "the conditions are outcome routine, zone tight"


@for_each("actor", [AGENT, HUMAN], ids=["agent", "human"])
def test_T50_a_false_claim_is_recorded_with_its_reason_whoever_made_it(actor: object) -> None:
    story = daily()
    claim = commands.ClaimAbbreviation("G001", "q1_5", TIGHT, None)
    refused = story.no(claim)

    (event,) = record_of_refusal(claim, refused, AGENT if actor is AGENT else HUMAN)

    assert refused.reason == "abbreviation-untrue"
    said = "goalkeeper has no record of the context"
    assert event == AbbreviationRefused("G001", "q1_5", TIGHT, said)


def test_T22_a_true_claim_records_nothing() -> None:
    story = daily()
    story.achieve(0)

    assert story.must(commands.ClaimAbbreviation("G001", "q1_5", ROUTINE, None)).events == ()
    assert story.plan.goals[0].steps == ()
