"""`contract check --file` without a plan: what a contract by hand is worth."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.project import Contract, Project, belongings, contract, criterion

GREET = {"greet.sh": 'echo "hello $1"\n', "tests/old.sh": "bash greet.sh ann | grep -q ann\n"}
SOLVED = 'if [ -n "$1" ] && [ "$1" != x ]; then\n  echo "hello ${1,,}"\nfi\n'
ANN = "[ \"$(bash greet.sh ANN)\" = 'hello ann' ]\n"


def bash(path: str, **more: object) -> dict[str, Any]:
    return {"command": ["bash", path], **more}


class Handwritten(Project):
    """A project in shell without a plan, with a solution on a branch and a contract beside it."""

    def __init__(self, place: Path) -> None:
        super().__init__(place, GREET, "handwritten")

    def build(self) -> None:
        super().build()
        self.git("checkout", "--quiet", "-b", "solved")
        self.write({"greet.sh": SOLVED, "notes.md": "1 == 1\n", "tests/new.sh": "true\n"})
        self.commit("solve it")
        self.git("checkout", "--quiet", "-")

    def look(self, given: Contract, *more: str) -> Any:  # noqa: ANN401  JSON
        self.write({"contract.yaml": json.dumps(given)})
        before = belongings(self.root)
        words = ("--file", "contract.yaml", "--isolation", "checkout", "--json", *more)
        answer = self.run("contract", "check", *words)
        assert answer.code == (0 if answer.json["ok"] else 1), answer
        assert (belongings(self.root), self.state.exists()) == (before, False)
        return answer.json


def rows(told: Any, *names: str) -> dict[str, tuple[Any, ...]]:  # noqa: ANN401  JSON
    return {row["id"]: tuple(row[name] for name in names) for row in told["criteria"]}


def test_without_a_plan_every_criterion_is_tried_on_the_working_tree(tmp_path: Path) -> None:
    project = Handwritten(tmp_path)
    peeks = "open('greet.sh')\nimport greet\ngreet._secret()\n"
    given = contract(
        criterion("RED", bash("tests/ann.sh")),
        criterion("GUARD", bash("tests/old.sh"), guard=True),
        criterion("ASKS", {"question": "Is it kind?"}),
        tests={"tests/ann.sh": ANN},
    )
    told = project.look(given)
    assert rows(told, "look", "cure") == {
        "RED": ("red", ""), "GUARD": ("guard", ""), "ASKS": ("needs an answer", ""),
    }  # fmt: skip
    assert (told["goal_id"], told["faults"], told["notes"]) == ("", 0, [])

    project.write({"greet.sh": SOLVED})
    unfit = contract(
        *given["criteria"],
        criterion("LACKS", {"command": ["no-such-tool"]}),
        criterion("PEEKS", {"command": ["python3", "tests/peek.py"]}),
        scope={"touch": ["*.sh"]},
        tests={"tests/ann.sh": ANN, "tests/peek.py": peeks},
    )
    told = project.look(unfit)
    cures = {name: cure for name, (cure,) in rows(told, "cure").items() if cure}
    assert {*cures} == {"RED", "LACKS"}
    assert ("`guard: true`" in cures["RED"], "goalkeeper init" in cures["LACKS"]) == (True, True)
    (note,) = told["notes"]
    assert note.startswith("PEEKS: tests/peek.py reads-the-repository: it reads greet.sh")
    assert rows(project.look(unfit, "--base", "HEAD"), "look")["RED"] == ("red",)
    page = project.run("contract", "check", "--file", "contract.yaml", "--isolation", "checkout")
    assert (page.code, f"RED: {cures['RED']}\n" in page.out) == (1, True)


def test_a_reference_shows_what_can_pass_and_what_its_faults_show(tmp_path: Path) -> None:
    project = Handwritten(tmp_path)
    good = contract(
        criterion("TELLS", bash("tests/ann.sh")),
        criterion("WEAK", {"shell": "grep -q then greet.sh"}),
        criterion("GUARD", bash("tests/old.sh"), guard=True),
        tests={"tests/ann.sh": ANN},
    )
    told = project.look(good, "--reference", "solved")
    seen = rows(told, "flaw", "noticed")
    assert (told["ok"], told["faults"] > 0, told["noticed"]) == (True, True, seen["TELLS"][1])
    assert seen["TELLS"][1] > 0
    assert (seen["WEAK"][0]["rule"], seen["GUARD"]) == ("notices-nothing", (None, None))

    # Of what the reference changes, only the product is made wrong.
    blind = contract(criterion("WEAK", {"shell": "grep -q then greet.sh"}))
    told = project.look(blind, "--reference", "solved")
    assert (told["ok"], told["noticed"]) == (False, 0)

    bad = contract(
        criterion("WRONG", {"shell": "bash greet.sh ANN | grep -q Ann"}),
        criterion("TURNS", {"shell": '[ -n "$PYTHONHASHSEED" ]'}),
    )
    told = project.look(bad, "--reference", "solved", "--stable")
    rules = {name: (flaw["rule"], fit) for name, (flaw, fit) in rows(told, "flaw", "fit").items()}
    assert rules == {"WRONG": ("red-on-reference", False), "TURNS": ("unstable", False)}
    page = project.run("contract", "check", "--file", "contract.yaml", "--reference", "nowhere")
    assert (page.code > 1, "nowhere" in page.err) == (True, True)


def test_a_plan_that_is_over_does_not_stand_in_the_way(tmp_path: Path) -> None:
    project = Project(tmp_path).begin(contract())
    given = ("contract", "check", "--file", "contract.yaml", "--json")
    project.write({"product.txt": "fixed\n", "contract.yaml": json.dumps(contract())})
    assert project.ok(*given)["goal_id"] == "G001"
    assert project.complete().code == 0
    told = project.run(*given)
    assert (told.code, told.json["goal_id"]) == (1, "")
    assert rows(told.json, "look") == {"C1": ("already green",)}
