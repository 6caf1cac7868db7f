"""An agent that is driven answers the questions of its goal."""

import json

from tests.e2e.answering import ASKS, QUESTION, REPORT, answers
from tests.e2e.drives import SAYS_DONE, Driven, contains, shell, write
from tests.e2e.project import contract, criterion

WRITES = write("report.md", str(REPORT["report.md"]))
ANSWERS = shell(f"goalkeeper verify --answers - <<'END'\n{json.dumps(answers())}\nEND")


def test_answers_to_a_tree_that_was_judged_already_have_it_judged_again(driven: Driven) -> None:
    driven.ask(contract(ASKS))
    script = {"1": [WRITES, SAYS_DONE], "2": [contains("goalkeeper verify"), ANSWERS]}

    end = driven.drive({"G001": script})

    assert (end.code, end.reason) == (0, "done")
    assert len(driven.events("questions_answered")) == 1
    assert [e["data"]["decision"] for e in driven.events("goal_judged")][-1] == "DONE"
    assert driven.statuses() == {"G001": "complete"}


def test_a_driven_agent_is_handed_what_the_goal_before_it_left_once(driven: Driven) -> None:
    second = contract(criterion("C1", {"file": "next.md"}), depends_on=["G001"])
    driven.ask(contract(criterion("C1", {"file": "report.md"})), second)
    script = '[project.scripts]\ntally = "tally:main"\n'
    tally = write("tally.py", "def main(): ...\n\n_WIDTH = 80\nLIMIT: int = 5\n")
    facts = (
        "Files changed: pyproject.toml, report.md, tally.py\nNew names: tally.py: main, LIMIT\n"
        "New commands: tally\nProven: C1 C1 holds\n"
    )
    heading = f"## Predecessor Output (G001)\nproven by the witness in iteration 1\n{facts}"

    first = [WRITES, tally, write("pyproject.toml", script)]
    end = driven.drive({"G001": first, "G002": [contains(heading), write("next.md", "x\n")]})

    assert (end.code, end.reason) == (0, "done")


def test_a_drive_does_a_due_goal_once_and_says_when_the_next_cycle_is(driven: Driven) -> None:
    has = criterion("C1", {"file": "report.md"})
    driven.ask(contract(has, recurring={"interval_hours": 4}))

    end = driven.drive({"G001": [WRITES]})
    again = driven.drive({"G001": [WRITES]})

    assert (end.code, end.reason, end.next) == (1, "not-due", "goalkeeper due")
    assert "G001 is not started before" in end.detail
    assert again.reason == "not-due"
    assert len(driven.events("cycle_achieved")) == 1
    assert driven.run("land").code == 0
    assert (driven.root / "report.md").exists()


def test_a_hypothesis_that_its_agent_puts_off_lets_the_other_goals_go_on(driven: Driven) -> None:
    asks = contract(ASKS, hypothesis={"id": "h1"})
    driven.ask(asks, contract(criterion("C1", {"file": "report.md"})))

    end = driven.drive({"G001": [shell("goalkeeper verify --result PENDING")], "G002": [WRITES]})

    assert (end.code, end.reason) == (1, "not-due")
    assert driven.statuses() == {"G001": "pending", "G002": "complete"}


def test_a_question_says_in_the_prompt_how_it_is_answered(driven: Driven) -> None:
    driven.ask(contract(criterion("C1", QUESTION), criterion("C2", {"manual": "look"})))

    driven.drive({"G001": [WRITES]}, "--max-iterations", "1")
    page = driven.run("why", "G001").out

    assert "answer it: goalkeeper verify --template prints the file for --answers" in page
    assert "leave it to a human: goalkeeper verify --criterion ID --confirm" in page
