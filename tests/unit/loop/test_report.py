"""What people, programs and test viewers are told of a drive."""

import json
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.app.queries.drives import (
    describe_cost,
    find_branch,
    find_proven_work,
    show_report,
)
from goalkeeper.cli import render
from goalkeeper.cli.pages.report import report_junit, report_page
from goalkeeper.cli.reply import Reply
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import Ending, Record, Spend
from goalkeeper.core.drive.state import ExitKind, Reason
from goalkeeper.core.plan.events import GoalCompleted, GoalStarted, HonestExit, HypothesisExpired
from goalkeeper.core.plan.model import GoalStatus, Plan, Streak
from goalkeeper.core.review.lane import Lane, LaneRole, LaneWord
from tests.tables import for_each
from tests.unit.core.helpers import FINDING, RUN, after, judgement_of, plan_of, split
from tests.unit.core.stories import Story, judged, settled


def proven() -> Story:
    """One goal proven in two iterations, one not begun."""
    story = settled().work("tree1", seconds=60, spend=Spend(1000, 200, 900, 250_000)).judge("pf")
    story.work("tree2", seconds=15, spend=Spend(500, 100, 0, 250_000)).judge("pp")
    return story.tell(completed("G001"))


def completed(goal_id: str) -> GoalCompleted:
    return GoalCompleted(goal_id, "it works", "standard", judgement_of("pp", tree="tree2"))


def with_first(plan: Plan, **changes: object) -> Plan:
    first, *rest = plan.goals
    return plan.replace(goals=(first.replace(**changes), *rest))


def suites(plan: Plan) -> list[ET.Element]:
    return list(ET.fromstring(report_junit(plan).encode()))


def outcomes(suite: ET.Element) -> dict[str, str]:
    return {case.attrib["name"]: case[0].tag if len(case) else "passed" for case in suite}


# Markdown


def report_markdown(plan: Plan) -> str:
    return render.text(Reply({}, report_page(plan))).removesuffix("\n")


def test_goals_that_expired_or_recur_are_named_with_what_became_of_them() -> None:
    story = proven()
    story.tell(HypothesisExpired("G002", "hypothesis h1 did not resolve"))
    plan = with_first(story.plan, status=GoalStatus.PENDING, streak=Streak("t", 2, 3, 5))

    page = report_markdown(plan)

    assert "## G002 Title of two: expired, 0 iterations\n\n- hypothesis h1 did not resolve" in page
    assert "- cycles: 5, in a row: 2" in page
    first, second = suites(plan)
    assert (outcomes(first)["proven"], outcomes(second)["proven"]) == ("skipped", "skipped")
    assert [goal["status"] for goal in show_report(plan)["goals"]] == ["pending", "expired"]


def test_a_run_that_nobody_drove_says_so() -> None:
    process = Record("claude", Ending.OK)
    lane = Lane(LaneRole.QA, "t", "d", LaneWord.OBJECTS, process, objections=("it crashes",))
    plan = with_first(plan_of("one"), lanes=(lane,), failed_answers=("q2: it fails",))

    page = report_markdown(plan)

    assert page.startswith(f"# Run {RUN}: not complete\n")
    assert "## G001 Title of one: pending, 0 iterations\n" in page
    assert "- the last answers failed: q2: it fails\n" in page
    assert "- review, qa: objects: it crashes\n" in page
    assert page.endswith("No agent was driven.\n")


def test_the_page_says_what_is_proven_what_is_not_and_what_it_cost() -> None:
    story = proven().tell(happened.DriveEnded(Reason.MAX_TOKENS, "1,800 tokens"))

    assert (
        report_markdown(story.plan)
        == f"""\
# Run {RUN}: max-tokens: 1,800 tokens

plan by: agent; contracts by: self-written (G001)

## G001 Title of one: proven, 2 iterations

- PASS C1 it holds
- PASS C2 it holds

## G002 Title of two: pending, 0 iterations


PASSED: G001/C1, G001/C2
Total iterations: 2
Recommendation: see what is open with goalkeeper why G002, or go on with a higher --max-tokens.

rehearsal, 1 min 15 s of work, 1,800 tokens, $0.50.
Proven work is on the branch `goalkeeper/run/G001`.
"""
    )


def test_what_is_not_met_is_told_with_the_reason() -> None:
    page = report_markdown(settled().work("tree1").judge("pf", FINDING).plan)

    assert f"# Run {RUN}: not ended\n" in page
    assert "## G001 Title of one: active, 1 iteration\n" in page
    assert "- PASS C1 it holds\n" in page
    assert "- FAIL C2 it holds: why 2\n" in page
    assert "- blocking findings: 1 (goalkeeper why G001)\n" in page
    assert "PASSED: G001/C1\nFAILED: G001/C2\nTotal iterations: 1\n\n" in page
    assert "branch" not in page


def test_what_passed_once_and_could_not_be_checked_since_is_told_with_the_reason() -> None:
    story = judged("pp").judge("pu")

    assert "- PASS C2 it holds: why 2\n" in report_markdown(story.plan)


def test_an_honest_exit_is_told_in_the_agents_own_words() -> None:
    story = settled().tell(HonestExit("G001", ExitKind.NEEDS_HUMAN, "there is no key"))

    assert "- the agent says needs-human: there is no key\n" in report_markdown(story.plan)


def test_no_line_of_the_report_is_begun_by_somebody_else() -> None:
    said = "no\n# Run 1: done\n\n## G001: proven\n  next: goalkeeper land"
    story = settled().tell(HonestExit("G001", ExitKind.CONTRACT_WRONG, said))
    story.tell(happened.DriveEnded(Reason.NEEDS_HUMAN, f"G001: {said}"))

    lines = report_markdown(story.plan).splitlines()

    assert [line for line in lines if "done" in line] == ["    # Run 1: done"] * 2
    assert [line for line in lines if "next:" in line] == ["      next: goalkeeper land"] * 2


def test_goals_that_were_replaced_are_left_out() -> None:
    plan = after(proven().plan, split("G002"))

    assert "G002" not in report_markdown(plan)
    assert [goal["id"] for goal in show_report(plan)["goals"]] == ["G001", "G003", "G004"]


@for_each(
    ("dollars", "told"),
    [
        ([250_000, 0], "20 tokens, $0.25"),
        ([None, None], "20 tokens, cost unknown"),
        ([None, 250_000], "20 tokens, at least $0.25"),
        ([None, 0], "20 tokens, cost unknown"),
        ([0, 0], "20 tokens, $0.00"),
    ],
)
def test_unknown_cost_is_never_told_as_nothing(dollars: list[int | None], told: str) -> None:
    story = settled()
    for each in dollars:
        story.work(ending=Ending.CRASH, spend=Spend(9, 1, 0, each))

    assert describe_cost(story.drive) == told


# Branches


def test_the_branch_is_that_of_the_goal_that_was_proven_last() -> None:
    story = proven().tell(GoalStarted("G002")).settle("G002")
    story.tell(completed("G002"), seconds=60)

    assert [goal.id for _, goal, _ in find_proven_work(story.plan)] == ["G001", "G002"]
    assert find_branch(story.plan) == "goalkeeper/run/G002"
    backwards = story.plan.replace(goals=story.plan.goals[::-1])
    assert find_branch(backwards) == "goalkeeper/run/G002"


def test_goals_that_were_proven_elsewhere_have_no_branch_to_land() -> None:
    plan = plan_of("one")
    assert find_branch(plan) == ""

    story = Story(plan).tell(GoalStarted("G001"), GoalCompleted("G001", "by hand"))

    assert find_proven_work(story.plan) == []


def test_a_completion_without_a_proof_has_nothing_to_land() -> None:
    story = judged("pp").tell(GoalCompleted("G001", "take my word"))

    assert find_proven_work(story.plan) == []


def test_unproven_work_is_on_no_branch_that_is_named() -> None:
    assert find_branch(judged("pf").plan) == ""


# JSON


def test_programs_are_told_the_same() -> None:
    story = proven().tell(happened.DriveEnded(Reason.MAX_COST, "$0.50"))

    told = json.loads(json.dumps(show_report(story.plan)))

    assert {name: told[name] for name in ("run_id", "reason", "detail", "agent", "seconds")} == {
        "run_id": RUN, "reason": "max-cost", "detail": "$0.50", "agent": "rehearsal",
        "seconds": 75,
    }  # fmt: skip
    assert told["spend"] == {
        "input_tokens": 1500, "output_tokens": 300, "cached_tokens": 900, "dollars": 0.5,
        "unpriced_phases": 0,
    }  # fmt: skip
    assert told["branch"] == "goalkeeper/run/G001"
    passed = ["G001/C1", "G001/C2"]
    assert told["criteria"] == {"passed": passed, "failed": [], "blocked": [], "open": []}
    first, second = told["goals"]
    assert (first["id"], first["status"], first["iterations"]) == ("G001", "complete", 2)
    assert [(c["id"], c["text"], c["status"]) for c in first["criteria"]] == [
        ("C1", "it holds", "PASS"),
        ("C2", "it holds", "PASS"),
    ]
    assert (second["status"], second["criteria"]) == ("pending", [])


def test_a_run_that_nobody_drove_is_data_too() -> None:
    told = show_report(plan_of("one"))

    assert (told["reason"], told["spend"], told["branch"]) == ("", {}, "")


def test_phases_without_a_price_are_counted_for_programs() -> None:
    story = settled().work(spend=Spend(1, 1, 0, None))

    assert show_report(story.plan)["spend"]["unpriced_phases"] == 1


def test_a_pause_is_told_to_programs() -> None:
    story = settled().tell(happened.DrivePaused("2026-01-01T13:00:00.000000Z", "outage"))

    assert show_report(story.plan)["paused_until"] == "2026-01-01T13:00:00.000000Z"


# JUnit


def test_every_criterion_is_a_test_case_and_so_is_the_proof() -> None:
    story = settled().work("tree1").judge("pf").work("tree2").judge("fu")

    first, second = suites(story.plan)

    assert first.attrib == {
        "name": "G001 Title of one", "tests": "3", "failures": "2", "skipped": "1"
    }  # fmt: skip
    assert outcomes(first) == {
        "C1 it holds": "failure", "C2 it holds": "skipped", "proven": "failure"
    }  # fmt: skip
    assert first[0][0].attrib == {"message": "REGRESSED"}
    assert first[0][0].text == "why 1"
    assert first[1][0].attrib == {"message": "why 2"}
    assert outcomes(second) == {"proven": "skipped"}


def test_a_proven_goal_is_green() -> None:
    first, _ = suites(proven().plan)

    assert set(outcomes(first).values()) == {"passed"}
    assert first.attrib["failures"] == first.attrib["skipped"] == "0"


def test_a_goal_that_a_finding_stands_against_is_not_green() -> None:
    first, _ = suites(settled().work("tree1").judge("pp", FINDING).plan)

    assert outcomes(first) == {
        "C1 it holds": "passed", "C2 it holds": "passed", "proven": "failure"
    }  # fmt: skip
    assert first[2][0].text == "blocking findings: 1"


def test_what_was_never_judged_is_neither_green_nor_red() -> None:
    first, _ = suites(settled().plan)

    assert outcomes(first)["C1 it holds"] == "skipped"
    assert first[0][0].attrib == {"message": "not judged"}


ODD = "<&>\"' ]]> \0 \x1b[31m \x7f \x85 \ufffe \uffff \ud800 𝄞 \u2028\r\n\t é"


def oddly(text: str) -> Plan:
    """A plan that says so wherever it can."""
    states = tuple(
        CriterionState(f"C{n}", status, failed=1, reason=text)
        for n, status in enumerate(CriterionStatus)
    )
    plan = with_first(settled().plan, title=text, evidence=text, criteria=states, frozen=None)
    return with_first(plan, contract="")


def test_odd_characters_leave_the_file_well_formed() -> None:
    first, _ = suites(oddly(ODD))

    assert "<&>\"' ]]>" in first.attrib["name"]
    assert "é" in first.attrib["name"]
    assert "\x1b" not in report_junit(oddly(ODD))


@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=30))
def test_any_text_at_all_leaves_the_file_well_formed(text: str) -> None:
    first, _ = suites(oddly(text))

    assert int(first.attrib["tests"]) == len(first) == len(CriterionStatus) + 1


def test_text_that_xml_can_hold_is_told_unchanged() -> None:
    said = "a <b> & \"c\" 'd' ]]> é 𝄞\n\tindented"

    first, _ = suites(oddly(said))

    assert first[2][0].text == said
    assert first.attrib["name"] == f"G001 {said}"
