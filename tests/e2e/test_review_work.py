"""What a review found is settled on the reviewed work itself, and the reviewed goal goes on."""

import json
from pathlib import Path

import pytest

from tests.e2e.drives import FIX, SAYS_DONE, Driven, write
from tests.e2e.project import IS_FIXED, RIGHT, SUITE, Project, contract, criterion
from tests.e2e.reviews import AFTER, ASKED, Submitted
from tests.e2e.strict import answer, lanes
from tests.e2e.world import Env
from tests.tables import thorough
from tests.unit.core.lane_answers import qa, replay

FOUND = ("--objective", "notes.txt says nothing any more", "--evidence", "notes.txt:1")
SAYS_NOTHING = {"command": ["grep", "-q", "nothing yet", "notes.txt"]}
KEEPS = contract(criterion("C1", SAYS_NOTHING, guard=True))
BLANK = write("notes.txt", "gone\n")
MEND = {"replace": {"path": "notes.txt", "old": "gone", "new": "nothing yet"}}


def freeze(project: Project, given: object, env: Env | None = None) -> object:
    (project.root / "own.json").write_text(json.dumps(given))
    words = ("--goal-id", "G002", "--file", "own.json", "--isolation", "checkout", "--json")
    done = project.run("contract", "freeze", *words, env=env)
    (project.root / "own.json").unlink()
    return done.json if done.code == 0 else done.reason


def test_what_the_reviewed_work_broke_is_a_guard_and_the_goal_keeps_its_base(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path).begin(contract(criterion("C1", IS_FIXED)))
    project.write({"product.txt": "fixed\n", "notes.txt": "gone\n"})
    project.ok("record-review-blockers", "--goal-id", "G001", *FOUND)
    assert "\n## Found by the review of G001\nnotes.txt:1\n" in project.run("complete-goals").out

    met = freeze(project, contract(criterion("C1", IS_FIXED)))
    assert met == "contract-cannot-tell"  # the work has it, so it says nothing about the review
    assert freeze(project, KEEPS)
    assert project.complete("G002").reason == "not-proven"
    project.write({"notes.txt": "nothing yet\n"})
    assert project.complete("G002").code == 0
    assert project.complete("G001").code == 0
    assert [each["goal_id"] for each in project.ok("receipt", "list")["receipts"]][-1] == ""


@pytest.mark.thorough
def test_a_review_of_driven_work_is_settled_on_that_work_and_both_land(driven: Driven) -> None:
    end = driven.drive({"G001": [BLANK]}, "--max-iterations", "1")
    assert end.reason == "max-iterations"
    driven.ok("record-review-blockers", "--goal-id", "G001", *FOUND)
    assert freeze(driven, KEEPS)

    end = driven.drive({"G002": [MEND], "G001": [FIX]}, "--max-iterations", "5")

    assert (end.reason, driven.statuses()) == ("done", {"G001": "complete", "G002": "complete"})
    assert "\n## Found by the review of G001\nnotes.txt:1\n" in driven.prompt("G002/1/impl/1")
    done = {each["goal_id"]: each["evidence"] for each in driven.data("goal_completed")}
    assert "\nSettled, found by the review of G001: notes.txt:1\n" in done["G002"]
    assert driven.ok("land")["is_proven_tree"]
    assert (driven.mine(), driven.mine("notes.txt")) == ("fixed\n", "nothing yet\n")


def test_a_finding_that_the_contract_does_not_see_needs_one_that_does(driven: Driven) -> None:
    driven.begin(contract())
    driven.write({"product.txt": "fixed\n", "notes.txt": "gone\n"})
    driven.ok("record-review-blockers", "--goal-id", "G001", *FOUND)
    driven.script.write_text(json.dumps({"G002": [SAYS_DONE]}))

    words = ("--agent", "rehearsal", "--script", driven.script, "--isolation", "checkout")
    end = driven.run("run", *words, "--json")

    assert (end.json["reason"], driven.statuses()["G002"]) == ("no-contract", "active"), end


@pytest.mark.thorough
def test_a_review_changes_nothing_of_what_the_goal_is_judged_by(tmp_path: Path) -> None:
    asked = contract(criterion("C1", {"pytest": ["tests/test_total.py"]}))
    project = Project(tmp_path, SUITE)
    project.begin(asked, env=project.human())
    project.write({"tests/test_total.py": "def test_total():\n    pass\n"})
    project.ok("record-review-blockers", "--goal-id", "G001", *FOUND)
    project.start()
    extra = contract(criterion("C1", {"command": ["test", "-e", "tests/test_more.py"]}))

    free = (
        "tests/**", "tests/test_total.py", "tests/conftest.py", "pytest.ini", "tests",
        "./tests/test_new.py", "tests/test_total.py/", "tests/test_total.py::test_total",
    )  # fmt: skip
    refused = [freeze(project, {**extra, "may_change": [path]}) for path in free]
    assert refused == ["freeing-needs-human"] * len(free)
    new = {**extra, "may_change": ["tests/test_more.py"]}
    assert freeze(project, new, env=project.human())
    project.write({"tests/test_more.py": "def test_more():\n    assert 1\n"})
    assert project.complete("G002").code == 0
    assert project.complete("G001").reason == "not-proven"  # its own tests count, as they were

    project.write({"tests/test_total.py": SUITE["tests/test_total.py"], "total.py": RIGHT})
    assert project.complete("G001").code == 0  # with the test that the blocker was free to write


@pytest.mark.thorough
def test_what_the_reviewed_work_broke_is_not_forgiven_as_old(tmp_path: Path) -> None:
    broken = {
        "tests/test_other.py": "import total\n\ndef test_zero():\n    assert not total.total(0)\n"
    }
    project = Project(tmp_path, {**SUITE, **broken})
    project.begin(contract(criterion("C1", {"pytest": ["tests/test_total.py"]})))
    project.write({"total.py": RIGHT})  # it cannot take 0 any more
    project.ok("record-review-blockers", "--goal-id", "G001", *FOUND)
    project.start()

    assert freeze(project, contract(criterion("C1", {"pytest": ["tests"]}, guard=True)))
    project.write({"README.md": "mended\n"})
    assert project.complete("G002").reason == "not-proven"
    project.write({"total.py": "def total(items):\n    return sum(items or ())\n"})
    assert (project.complete("G002").code, project.complete("G001").code) == (0, 0)


@pytest.mark.parametrize("spoiled", [True, thorough(False)], ids=["criterion", "finding"])
def test_what_a_review_started_is_driven_to_the_end(tmp_path: Path, spoiled: bool) -> None:
    work = {"greet.sh": "echo hello $2\n"} if spoiled else AFTER
    submitted = Submitted(tmp_path, after=work)
    said = submitted.said("--mode", "review-start", "--spec", submitted.spec(ASKED))
    assert said["blockers"] == ["G002"]
    script = submitted.beside("script.json", "")
    named = replay("sh", "greet.sh", "Ada", prints="hello Ada\n")
    odd = replay("sh", "greet.sh", "$(id)", prints="hello $(id)\n")
    looks = {**lanes(), "*/qa": [answer(qa(named, odd))]}
    mend = write("greet.sh", 'echo "hello $1"\n') if spoiled else SAYS_DONE
    acts = {**looks, "1/impl": [mend]}
    script.write_text(json.dumps({"G002": acts, "G001": acts}))

    end = submitted.run(
        "run", "--agent", "rehearsal", "--script", script, "--isolation", "checkout",
        "--backoff", "0", env=submitted.human(),
    )  # fmt: skip

    assert end.code == 0, end
    assert set(submitted.statuses().values()) == {"complete"}
    assert submitted.ok("land")["ok"]
    assert (submitted.root / "greet.sh").read_text() == 'echo "hello $1"\n'
