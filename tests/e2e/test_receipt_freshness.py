"""Which receipts still speak of the plan as it is, as `receipt list` tells."""

import json
from pathlib import Path

import pytest

from tests.e2e.project import MENDED, Project, contract, criterion
from tests.e2e.receipts import (
    ADD,
    REASONS,
    SEEN,
    begun,
    both_completed,
    certified,
    envelope_of,
    receipts,
    statement_in,
    states,
)

HALVES = [
    {"title": "Read", "objective": "Read the files."},
    {"title": "Check", "objective": "Check the rows."},
]
SPLIT = ("steer", "--kind", "split_subgoal", "--replacements-json", json.dumps(HALVES))
SUPERSEDE = ("steer", "--kind", "mark_blocked_superseded", "--goal-id", "G003")
ANNOTATE = ("steer", "--kind", "annotate_ledger")
REVIEW = ("record-review-blockers", "--goal-id", "G002", "--objective", "Handle empty files")
IS_THERE = {"command": ["test", "-f", "third.txt"]}
FRESH = {"G001": True, "G002": True, "final": True}
OUTDATED = {**FRESH, "final": False}


@pytest.fixture
def half(tmp_path: Path) -> Project:
    """The first goal is completed, the second one active."""
    project = begun(tmp_path)
    project.write(MENDED)
    project.commit("for G001")
    certified(project, "G001")
    return project


@pytest.fixture
def whole(tmp_path: Path) -> Project:
    return both_completed(begun(tmp_path))


def given_contract(project: Project, goal: str, *words: str) -> None:
    """Freeze or amend a goal's contract: there must be a third file."""
    file = project.state / "contract.yaml"
    file.write_text(json.dumps(contract(criterion("C1", IS_THERE))))
    named = ("--goal-id", goal, "--file", ".goalkeeper/contract.yaml")
    project.ok("contract", *words[:1], *named, *words[1:], env=project.human())
    file.unlink()


def test_work_on_another_goal_leaves_a_receipt_fresh(half: Project) -> None:
    assert half.judge()["ok"] is False
    assert half.complete("G002").code == 1
    half.checkpoint("G002", "failed", "it broke")
    half.ok("complete-goals", "--retry-failed")
    half.ok(*REVIEW, "--evidence", "crash")

    assert states(half) == {"G001": True}


def test_another_contract_of_another_goal_leaves_a_receipt_fresh(half: Project) -> None:
    half.ok("contract", "freeze", "--goal-id", "G002")
    given_contract(half, "G002", "amend", "--reason", "the API changed")
    amended = half.goals()["G002"]["contract_digest"]
    half.write({"third.txt": "there\n"})
    half.commit("for G002")
    certified(half, "G002")

    assert states(half) == FRESH
    (goal,) = statement_in(envelope_of(half, "G002"))["predicate"]["goals"]
    assert goal["contract"] == amended


def test_notes_refusals_repeats_and_reads_leave_every_receipt_fresh(whole: Project) -> None:
    whole.ok(*ANNOTATE, *REASONS)
    assert whole.run(*SPLIT, "--goal-id", "G001", *REASONS, "--json").code == 1
    assert whole.run("contract", "amend", "--goal-id", "G001", "--reason", "so", "--json").code > 0
    assert whole.complete("G002").json["repeated"] is True
    whole.ok("judge", "--goal-id", "G001")
    for words in (("status",), ("receipt", "show"), ("receipt", "verify"), ("report",)):
        assert whole.run(*words).code == 0

    assert states(whole) == FRESH


def test_scenario_44_work_that_goes_on_in_the_files_is_told_and_outdates_no_receipt_of_the_plan(
    whole: Project,
) -> None:
    whole.write({"product.txt": "spoiled\n"})
    whole.commit("spoiled")

    assert states(whole) == FRESH
    assert all(each["files_changed"] for each in receipts(whole))
    assert whole.run("receipt", "verify").code == 1


def test_a_goal_that_is_added_outdates_the_final_receipt_and_no_other(whole: Project) -> None:
    whole.ok(*ADD, *REASONS)

    assert states(whole) == OUTDATED
    assert "the plan changed since" in receipts(whole)[-1]["stale"]
    assert "stale: the plan changed since" in whole.run("receipt", "show").out


def test_scenario_36_when_the_added_goal_is_complete_a_new_final_receipt_is_fresh(
    whole: Project,
) -> None:
    whole.ok(*ADD, *REASONS)
    given_contract(whole, "G003", "freeze")
    whole.start()
    whole.write({"third.txt": "there\n"})
    whole.commit("for G003")
    certified(whole, "G003")

    assert states(whole) == {**FRESH, "G003": True}
    finals = [each["stale"] is None for each in receipts(whole) if each["kind"] == "final"]
    assert finals == [False, True]
    goals = statement_in(envelope_of(whole))["predicate"]["goals"]
    assert [goal["id"] for goal in goals] == ["G001", "G002", "G003"]
    assert whole.run("receipt", "verify", "--kind", "final").code == 0


def test_a_goal_that_is_split_outdates_the_final_receipt_and_no_other(whole: Project) -> None:
    whole.ok(*ADD, *REASONS)
    whole.ok(*SPLIT, "--goal-id", "G003", *REASONS)

    assert states(whole) == OUTDATED


def test_a_goal_that_came_and_went_has_outdated_the_final_receipt(whole: Project) -> None:
    whole.ok(*ADD, *REASONS)
    whole.blocked()
    whole.ok(*SUPERSEDE, *REASONS, env=whole.human())

    assert whole.ok("status")["status"] == "complete"
    assert states(whole) == OUTDATED


def test_a_split_goal_is_not_in_the_final_receipt_and_what_replaced_it_is(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.write(MENDED)
    project.commit("for G001")
    project.ok(*SPLIT, "--goal-id", "G002", *REASONS)
    certified(project, "G001")
    given_contract(project, "G003", "freeze")
    project.write({"third.txt": "there\n"})
    project.commit("for G003")
    certified(project, "G003")
    project.write(SEEN)
    project.commit("for G004")
    certified(project, "G004")

    goals = statement_in(envelope_of(project))["predicate"]["goals"]
    assert [goal["id"] for goal in goals] == ["G001", "G003", "G004"]
    assert states(project) == {"G001": True, "G003": True, "G004": True, "final": True}
