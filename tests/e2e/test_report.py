"""`report`: what is proven, what is not and why, and what it cost."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.e2e.drives import FIX, IS_NOTED, NOTED, Driven, honest, write
from tests.e2e.project import contract, criterion

COSTS = {"usage": {"input": 1000, "output": 200, "cached": 400, "cost": 0.25}}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Driven:
    """One goal proven, one half done, one given up, one not begun; for tests that only look."""
    driven = Driven(tmp_path_factory.mktemp("mixed"))
    after = {**NOTED, "depends_on": ["G002"]}
    begun = criterion("C1", {"command": ["grep", "-q", "begun", "notes.txt"]})
    driven.ask(contract(), NOTED, after, contract(begun, criterion("C2", IS_NOTED)))
    gives_up = honest("needs-human", "a <key> & more")
    half = [write("notes.txt", "begun\n")]
    script = {"G001": [FIX, COSTS], "G002": [gives_up, COSTS], "G004": [*half, COSTS]}
    assert driven.drive(script).reason == "stagnation"
    return driven


def test_markdown_says_what_is_proven_and_why_the_rest_is_not(mixed: Driven) -> None:
    answer = mixed.run("report")

    assert answer.code == 0
    assert answer.out.splitlines()[0].endswith(": stagnation: 3 times in a row nothing changed")
    for line in (
        "## G001 Part 1: proven, 1 iteration",
        "- PASS C1 C1 holds",
        "## G002 Part 2: blocked, 0 iterations",
        "- the agent says needs-human: a <key> & more",
        "## G003 Part 3: pending, 0 iterations",
        "## G004 Part 4: active, 1 iteration",
        "- FAIL C2 C2 holds: exit 1, expected 0",
    ):
        assert line in answer.out.splitlines(), answer.out
    assert "7,200 tokens, $1.50." in answer.out
    assert "Proven work is on the branch `goalkeeper/" in answer.out


def test_the_report_is_what_the_run_said_at_its_end(driven: Driven) -> None:
    end = driven.drive({"G001": [FIX, COSTS]})

    said = end.out.partition("\n  next: ")[0]
    assert driven.run("report").out.strip() == said.strip()


def test_json_has_all_of_it(mixed: Driven) -> None:
    data = mixed.ok("report")

    assert (data["reason"], data["agent"]) == ("stagnation", "rehearsal")
    statuses = [(goal["id"], goal["status"], goal["iterations"]) for goal in data["goals"]]
    assert statuses == [
        ("G001", "complete", 1), ("G002", "blocked", 0), ("G003", "pending", 0),
        ("G004", "active", 1),
    ]  # fmt: skip
    assert data["goals"][1]["exit"] == "needs-human"
    states = {state["id"]: state["status"] for state in data["goals"][3]["criteria"]}
    assert states == {"C1": "PASS", "C2": "FAIL"}
    assert data["spend"] == {
        "input_tokens": 6000, "output_tokens": 1200, "cached_tokens": 2400, "dollars": 1.5,
        "unpriced_phases": 0,
    }  # fmt: skip
    assert data["branch"] == mixed.branch("G001")


def test_junit_has_a_case_for_each_criterion_and_goal(mixed: Driven) -> None:
    answer = mixed.run("report", "--format", "junit")
    suites = ET.fromstring(answer.out)

    found = {
        (suite.attrib["name"], case.attrib["name"]): [part.tag for part in case]
        for suite in suites
        for case in suite
    }
    assert found == {
        ("G001 Part 1", "C1 C1 holds"): [],
        ("G001 Part 1", "proven"): [],
        ("G002 Part 2", "C1 C1 holds"): ["skipped"],
        ("G002 Part 2", "proven"): ["failure"],
        ("G003 Part 3", "proven"): ["skipped"],
        ("G004 Part 4", "C1 C1 holds"): [],
        ("G004 Part 4", "C2 C2 holds"): ["failure"],
        ("G004 Part 4", "proven"): ["failure"],
    }
    counts = [(s.attrib["tests"], s.attrib["failures"], s.attrib["skipped"]) for s in suites]
    assert counts == [("2", "0", "0"), ("2", "1", "1"), ("1", "0", "1"), ("3", "2", "0")]


def test_a_plan_that_nobody_was_driven_through_says_so(driven: Driven) -> None:
    driven.begin(contract())

    page = driven.run("report").out

    assert "No agent was driven." in page
    assert "## G001 Part 1: active, 0 iterations" in page
    assert driven.ok("report")["reason"] == ""


def test_a_run_with_json_answers_with_its_report(driven: Driven) -> None:
    answer = driven.run(*driven.words({"G001": [FIX, COSTS]}), "--json")

    assert (answer.code, answer.json["ok"], answer.json["reason"]) == (0, True, "done")
    assert answer.json["goals"] == driven.ok("report")["goals"]


def test_reports_of_a_drive_that_is_under_way_say_that_it_has_not_ended(
    driven: Driven, tmp_path: Path
) -> None:
    process = driven.driving({"G001": [driven.waits(), FIX]})
    waiting = driven.at_work()
    report = driven.run("report").out
    driven.let_go(waiting)
    process.communicate()

    assert ": not ended" in report.splitlines()[0]
