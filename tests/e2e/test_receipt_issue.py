"""`receipt issue`: what is complete without a receipt is proven anew, and then gets one."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.faults import ENVIRON
from tests.e2e.drives import FIX, Driven, shell
from tests.e2e.project import BROKEN, MENDED, Project, contract, criterion
from tests.e2e.receipts import (
    CHECKOUT,
    HOLDS,
    SEEN,
    Stranger,
    begun,
    both_completed,
    envelope_of,
    keys_of,
    public_key,
    receipts,
    statement_in,
    subjects,
)
from tests.e2e.world import Answer

GOAL = ("receipt", "issue", "--goal-id")
FINAL = ("receipt", "issue", "--final")


@pytest.fixture
def two(tmp_path: Path) -> Project:
    return begun(tmp_path)


def blocked(project: Project) -> Path:
    """A file lies where receipts are kept."""
    (ledger,) = project.state.glob("runs/*/ledger.jsonl")
    place = ledger.parent / "receipts"
    place.write_text("in the way\n")
    return place


def uncertified(project: Project) -> Project:
    """Both goals are complete and committed, and no receipt came of it."""
    place = blocked(project)
    for goal, files in (("G001", MENDED), ("G002", SEEN)):
        project.write(files)
        project.commit(f"for {goal}")
        answer = project.complete(goal)
        assert answer.code == 0
        (warning,) = answer.json["warnings"]
        assert warning.startswith("no receipt: Cannot keep a receipt in ")
        assert warning.endswith("(goalkeeper receipt issue tries again)")
    place.unlink()
    assert receipts(project) == []
    return project


def kinds(project: Project) -> list[tuple[str, str]]:
    return [(each["kind"], each["goal_id"]) for each in receipts(project)]


@pytest.mark.thorough
def test_a_goal_and_the_whole_get_the_receipts_that_could_not_be_kept(
    two: Project, tmp_path: Path
) -> None:
    uncertified(two)

    goal = two.ok(*GOAL, "G002")
    final = two.ok(*FINAL)

    assert (goal["repeated"], final["repeated"]) == (False, False)
    assert [each["digest"] for each in receipts(two)] == [goal["digest"], final["digest"]]
    stranger = Stranger(tmp_path / "stranger", two.root)
    for name in ("G002", ""):
        assert stranger.by_all(envelope_of(two, name), public_key(two)) == HOLDS
    told = statement_in(envelope_of(two))
    assert subjects(told)["gitCommit"] == two.git("rev-parse", "HEAD").strip()
    assert [each["id"] for each in told["predicate"]["goals"]] == ["G001", "G002"]


def test_it_is_proven_anew_and_not_believed(two: Project) -> None:
    uncertified(two)
    for path in two.state.glob("runs/*/evidence/*/*.json"):
        path.unlink()

    two.ok(*GOAL, "G002")

    (goal,) = statement_in(envelope_of(two, "G002"))["predicate"]["goals"]
    for seen in goal["criteria"]:
        assert two.evidence(seen["evidence"])["verdict"] == "passed"


def test_a_key_that_was_spoiled_and_renewed_signs_what_it_missed(two: Project) -> None:
    two.on_terminal("keys", "rotate")
    name = (keys_of(two) / "current").read_text().strip()
    (keys_of(two) / f"{name}.pem").write_bytes(b"spoiled\n")
    two.write(MENDED)
    two.complete()
    still = two.run(*GOAL, "G001", "--json")
    assert (still.code, still.reason, receipts(two)) == (3, "key-unusable", [])

    two.ok("keys", "rotate", env=two.human())
    two.ok(*GOAL, "G001")

    two.commit("what was proven")
    assert two.run("receipt", "verify", "--goal-id", "G001").code == 0


def test_a_receipt_that_is_fresh_is_not_issued_again(two: Project) -> None:
    both_completed(two)
    before = two.ledger()

    for words, digest in (((*GOAL, "G002"), -2), (FINAL, -1)):
        told = two.ok(*words)
        assert (told["repeated"], told["digest"]) == (True, receipts(two)[digest]["digest"])
    assert "nothing was issued" in two.run(*FINAL).out
    assert two.ledger() == before


@pytest.mark.parametrize("how", ["gone", "changed"])
def test_a_receipt_whose_file_is_lost_is_issued_again(two: Project, how: str) -> None:
    both_completed(two)
    lost = receipts(two)[-1]["digest"]
    (path,) = two.state.glob(f"runs/*/receipts/{lost}.json")
    path.unlink()
    if how == "changed":
        path.write_bytes(b"{}")

    told = two.ok(*FINAL)

    assert (told["repeated"], told["digest"] != lost) == (False, True)
    assert two.run("receipt", "verify", "--kind", "final").code == 0
    assert two.ok(*FINAL)["repeated"] is True
    assert two.ok("receipt", "attach")["receipts"][-1] == told["digest"]


def test_an_earlier_goal_is_proven_on_the_commit_that_has_its_tree(two: Project) -> None:
    uncertified(two)
    assert two.refused(*GOAL, "G001") == "other-tree"

    two.ok(*GOAL, "G001", "--commit", "HEAD~1")

    earlier = ("receipt", "verify", "--goal-id", "G001", "--commit", "HEAD~1")
    assert two.run(*earlier).code == 0


def refused_before_anything(project: Project, answer: Answer) -> str:
    assert answer.code == 1, answer
    assert (receipts(project), list(project.state.glob("runs/*/receipts/*"))) == ([], [])
    return answer.reason


@pytest.mark.parametrize("how", ["changed", "untracked", "committed"])
def test_another_tree_than_was_proven_gets_no_receipt(two: Project, how: str) -> None:
    uncertified(two)
    two.write({"new.txt" if how == "untracked" else "product.txt": "fixed, and more\n"})
    if how == "committed":
        two.commit("more")

    for words in ((*GOAL, "G002"), FINAL):
        answer = two.run(*words, "--json")
        assert refused_before_anything(two, answer) == "other-tree"
        proven = two.git("rev-parse", f"HEAD{'~1' if how == 'committed' else ''}^{{tree}}").strip()
        assert answer.json["error"]["facts"]["proven"] == proven
    at = "HEAD~1" if how == "committed" else "HEAD"
    assert two.ok(*FINAL, "--commit", at)["repeated"] is False


def test_what_is_not_complete_gets_no_receipt(two: Project) -> None:
    for words in ((*GOAL, "G001"), FINAL):
        assert refused_before_anything(two, two.run(*words, "--json")) == "not-complete"
    assert two.run(*GOAL, "G009", "--json").reason == "unknown-goal"


def test_what_no_longer_holds_on_the_proven_tree_gets_no_receipt(tmp_path: Path) -> None:
    """An answer of the machine, not of the tree: it may be another one tomorrow."""
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\ngrep -q fixed product.txt\n")
    tool.chmod(0o755)
    project = Project(tmp_path / "p", {**BROKEN, **CHECKOUT})
    project.begin(contract(criterion("C1", {"command": [str(tool)]})))
    place = blocked(project)
    project.write(MENDED)
    assert project.complete().code == 0
    place.unlink()
    tool.write_text("#!/bin/sh\nexit 1\n")

    for words in ((*GOAL, "G001"), FINAL):
        assert refused_before_anything(project, project.run(*words, "--json")) == "not-proven"


@pytest.mark.parametrize(
    "words", [(), ("--goal-id", "G001", "--final"), ("--commit", "HEAD"), ("--goal-id", "")]
)
def test_which_one_is_meant_must_be_said(two: Project, words: tuple[str, ...]) -> None:
    answer = two.run("receipt", "issue", *words, "--json")

    assert (answer.code, answer.reason) == (2, "usage")


def test_an_agent_that_is_driven_issues_nothing(driven: Driven) -> None:
    asks = shell("goalkeeper receipt issue --goal-id G001 || true")
    driven.drive({"G001": {"1": [asks], "2": [FIX]}})

    assert [each["reason"] for each in driven.data("command_refused")] == ["driven"]
    assert kinds(driven) == [("goal", "G001"), ("final", "")]


@pytest.mark.thorough
def test_on_a_disk_that_is_full_nothing_is_issued_and_later_it_is(two: Project) -> None:
    uncertified(two)

    def full(point: str) -> "subprocess.CompletedProcess[Any]":
        faulty = (sys.executable, "-m", "tests.doubles.faults", f"{point},full")
        env = {name: os.fsdecode(value) for name, value in two.environ(ENVIRON).items()}
        return subprocess.run(
            [*faulty, *FINAL], cwd=two.root, env=env, capture_output=True, check=False
        )

    for point in ("write_new:half@2", "append:half@1"):  # the first file is goals.json
        assert full(point).returncode == 5
        assert receipts(two) == []
    assert two.ok(*FINAL)["repeated"] is False
    assert two.run("receipt", "verify", "--kind", "final").code == 0
    two.ok("ledger", "verify")
