"""`review --mode review-start`: what a review finds becomes work, once."""

from pathlib import Path

import pytest

from tests.e2e.project import contract, criterion, story
from tests.e2e.reviews import AFTER, ASKED, GREETS, Submitted, changed, report
from tests.e2e.world import Word

START = ("--gate", "strict", "--mode", "review-start")


@pytest.fixture
def submitted(tmp_path: Path) -> Submitted:
    return Submitted(tmp_path)


def blockers(submitted: Submitted, *words: Word) -> list[str]:
    said = submitted.said(*START, "--spec", submitted.spec(), *words)
    assert said["verdict"] == "fail"
    found: list[str] = said["blockers"]
    return found


def test_80_findings_become_a_blocker_of_a_plan_of_their_own(submitted: Submitted) -> None:
    assert blockers(submitted) == ["G002"]

    assert submitted.statuses() == {"G001": "review_blocked", "G002": "pending"}
    assert "nobody tried to break it" in submitted.goals()["G002"]["objective"]
    (made,) = submitted.events("plan_created")
    assert made["data"]["base"]["commit"] == submitted.git("rev-parse", "main").strip()
    assert made["data"]["gate"] == "strict"
    assert submitted.start() == "G002"


def test_80_the_same_findings_are_recorded_once(submitted: Submitted) -> None:
    first = blockers(submitted)
    before = submitted.bytes_of_state()

    again = blockers(submitted)

    assert (first, again) == (["G002"], ["G002"])
    assert submitted.bytes_of_state() == before


def test_80_also_while_the_blocker_is_worked_on(submitted: Submitted) -> None:
    first = blockers(submitted)
    submitted.start()

    assert blockers(submitted) == first
    assert submitted.statuses() == {"G001": "review_blocked", "G002": "active"}


def test_other_findings_are_another_blocker_of_the_same_goal(submitted: Submitted) -> None:
    blockers(submitted)
    submitted.start()
    qa = changed(lambda d: d.update(status="failed"))

    said = submitted.said(*START, "--spec", submitted.spec(), qa=qa)

    assert said["blockers"] == ["G003"]
    assert {g: goal["why"] for g, goal in submitted.goals().items()}["G001"] == (
        "waits for G002, G003"
    )


def test_the_plan_that_is_live_gets_the_blocker(submitted: Submitted) -> None:
    submitted.plan(story("One", ASKED) + story("Two", ASKED))
    submitted.start()

    assert blockers(submitted) == ["G003"]

    assert submitted.statuses() == {"G001": "review_blocked", "G003": "pending", "G002": "pending"}
    assert submitted.start() == "G003"


def test_a_live_plan_that_nobody_began_begins_with_its_first_goal(submitted: Submitted) -> None:
    submitted.plan(story("One", ASKED))

    assert blockers(submitted) == ["G002"]
    assert submitted.statuses() == {"G001": "review_blocked", "G002": "pending"}


def test_a_plan_that_is_complete_is_left_as_it_is(submitted: Submitted) -> None:
    submitted.git("checkout", "--quiet", "main")
    submitted.begin(ASKED)
    submitted.write(AFTER)
    assert submitted.complete().code == 0
    done = submitted.ok("status")["run_id"]

    assert blockers(submitted) == ["G002"]

    assert submitted.ok("status")["run_id"] != done
    assert submitted.ok("status", "--run", done)["status"] == "complete"


def test_a_goal_that_is_stuck_takes_no_blocker_and_the_findings_are_told(
    submitted: Submitted,
) -> None:
    submitted.begin(ASKED)
    submitted.checkpoint("G001", "blocked")

    answer = submitted.review(*START, "--spec", submitted.spec())

    assert (answer.code, answer.reason) == (1, "transition-not-allowed")
    assert answer.json["review"]["verdict"] == "fail"
    page = submitted.run("review", *START, env=submitted.human()).out
    assert "nobody tried to break it" in page
    assert "refused (transition-not-allowed)" in page


def test_a_plan_of_another_session_is_named_before_anything_runs(submitted: Submitted) -> None:
    submitted.plan(story("One", ASKED), env={"CODEX_THREAD_ID": "theirs"})
    mine = {"CLAUDE_CODE_SESSION_ID": "mine"}

    answer = submitted.run("review", *START, "--json", env=mine)

    assert (answer.code, answer.reason) == (2, "run-bound-elsewhere"), answer
    named = ("--run", answer.json["error"]["facts"]["run"])
    assert submitted.run("review", *START, *named, "--json", env=mine).json["blockers"] == ["G002"]


def test_the_spec_becomes_the_contract_of_the_goal(submitted: Submitted) -> None:
    given = contract(criterion("C1", GREETS), depends_on=["G007"], scope={"touch": ["*.sh"]})
    submitted.said(*START, "--spec", submitted.spec(given))

    shown = submitted.ok("contract", "show", "--goal-id", "G001")["contract"]

    assert shown == {key: value for key, value in given.items() if key != "depends_on"}


@pytest.mark.parametrize("spec", [True, False], ids=["pass", "weak"])
def test_where_nothing_is_found_nothing_is_recorded(submitted: Submitted, spec: bool) -> None:
    given = ("--spec", submitted.spec()) if spec else ()
    submitted.human()
    before = submitted.everything()

    said = submitted.said(*START, *given, qa=report("C1" if spec else "WORK"))

    assert said["blockers"] == []
    assert submitted.everything() == before
