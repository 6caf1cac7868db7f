"""The strict gate: what reviewers say counts besides what was judged, and on the same tree."""

from goalkeeper.core.drive.phases import Ending, Record
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import GoalCompleted, LaneReported
from goalkeeper.core.plan.model import ENGINE, STRICT, Actor, Plan
from goalkeeper.core.review.assessed import Diagnostic, Quality, Voice
from goalkeeper.core.review.lane import Lane, LaneRole, LaneWord
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    FINDING,
    FROZEN,
    HUMAN,
    accepted,
    after,
    frozen_plan,
    goal_of,
    judgement_of,
    proven,
    refused,
)

PROOF = judgement_of("pp")
VOICES = (Voice("cleaner", "reported"), Voice("architect", "reported"), Voice("qa", "reported"))
CLEAR = Quality(PROOF.tree, "d" * 64, VOICES)
WATCH = Diagnostic("architectReview.codeStatus", "architect-not-clear", "it is WATCH", "settle it")


def strict_plan(*names: str) -> Plan:
    return frozen_plan(*names).replace(gate=STRICT)


def closing(quality: Quality | None, told: str = "pp") -> commands.Checkpoint:
    return proven("G001", judgement_of(told)).replace(quality=quality)


def problems(count: int) -> Quality:
    return CLEAR.replace(digest="", diagnostics=(WATCH,) * count)


def test_a_reviewed_and_proven_goal_completes_with_what_was_said() -> None:
    decision = accepted(strict_plan("one"), closing(CLEAR))

    assert decision.events == (GoalCompleted("G001", "it works", STRICT, PROOF, CLEAR),)
    assert goal_of(after(strict_plan("one"), closing(CLEAR)), "G001").quality == CLEAR


def test_a_proven_goal_that_nobody_reviewed_does_not_complete() -> None:
    refusal = refused(strict_plan(), closing(None))

    assert (refusal.reason, refusal.hint) == (
        "not-reviewed",
        "goalkeeper lanes run --goal-id G001 --agent <client>",
    )


def test_a_review_of_another_tree_is_none() -> None:
    assert refused(strict_plan(), closing(CLEAR.replace(tree="other"))).reason == "not-reviewed"


def test_a_human_does_not_open_it_without_a_review_either() -> None:
    assert refused(strict_plan(), closing(None), HUMAN).reason == "not-reviewed"
    assert refused(strict_plan(), closing(problems(1)), HUMAN).reason == "gate-closed"


@for_each("actor", [AGENT, HUMAN])
def test_a_lane_counts_only_if_goalkeeper_ran_it(actor: Actor) -> None:
    process = Record("claude", Ending.OK)
    lane = Lane(LaneRole.QA, PROOF.tree, FROZEN.digest, LaneWord.CLEAR, process)
    report = commands.ReportLane("G001", lane)

    refusal = refused(strict_plan(), report, actor)

    assert (refusal.reason, refusal.hint) == (
        "lane-not-ours",
        "goalkeeper lanes run --goal-id G001 --agent <client>",
    )
    assert accepted(strict_plan(), report, ENGINE).events == (LaneReported("G001", lane),)


@for_each("told", ["pf", "fp", "pu", "p"])
def test_a_clear_review_opens_nothing_that_is_not_proven(told: str) -> None:
    assert refused(strict_plan(), closing(CLEAR, told)).reason == "not-proven"


def test_one_problem_closes_it() -> None:
    refusal = refused(strict_plan(), closing(problems(1)))

    assert refusal.reason == "gate-closed"
    assert refusal.message == (
        "The quality gate of G001 has 1 problem(s): architectReview.codeStatus: it is WATCH"
    )
    assert refusal.facts == {
        "goal_id": "G001",
        "tree": PROOF.tree,
        "diagnostics": [WATCH.as_dict()],
    }
    assert refusal.hint == "goalkeeper quality-gate validate --goal-id G001"


def test_all_problems_are_told_the_first_few_in_words() -> None:
    refusal = refused(strict_plan(), closing(problems(5)))

    assert refusal.message.endswith("it is WATCH (and 2 more)")
    assert refusal.facts["diagnostics"] == [WATCH.as_dict()] * 5


def test_what_is_not_proven_and_what_reviewers_say_is_told_together() -> None:
    judgement = judgement_of("pf", FINDING)

    refusal = refused(strict_plan(), proven("G001", judgement).replace(quality=problems(1)))

    assert refusal.reason == "not-proven"
    assert [row["id"] for row in refusal.facts["unproven"]] == ["C2"]  # type: ignore[attr-defined]
    assert refusal.facts["findings"] == [FINDING.as_dict()]
    assert refusal.facts["diagnostics"] == [WATCH.as_dict()]
    assert "C2 failed: why 2" in refusal.message
    assert refusal.message.endswith(
        "; the quality gate of G001 has 1 problem(s): architectReview.codeStatus: it is WATCH"
    )


def test_a_goal_without_a_judgement_is_told_so_first() -> None:
    command = closing(CLEAR).replace(judgement=None)

    assert refused(strict_plan(), command).reason == "not-judged"


def test_a_standard_plan_asks_nobody() -> None:
    assert accepted(frozen_plan("one"), closing(None)).events
