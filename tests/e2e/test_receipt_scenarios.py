"""Receipts and their gate, scenario by scenario; what else there is: `test_receipt_freshness`."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e.project import MENDED, Project, contract, criterion, story
from tests.e2e.receipts import (
    CHECKOUT,
    IS_SEEN,
    REASONS,
    SEEN,
    certified,
    envelope_of,
    receipts,
    statement_in,
    states,
)
from tests.e2e.strict import PRODUCT, Strict, lanes
from tests.tables import for_each

IS_THIRD = {"command": ["test", "-f", "third.txt"]}
FRESH = {"G001": True, "G002": True, "G003": True, "final": True}
VERIFY = ("receipt", "verify", "--kind", "final")


class Done(NamedTuple):
    """Three goals, completed in the order G001, G003, G002; and what was fresh after each."""

    project: Project
    kept: Path
    on_the_way: list[dict[str, bool]]


@pytest.fixture(scope="module")
def completed(tmp_path_factory: pytest.TempPathFactory) -> Done:
    place = tmp_path_factory.mktemp("three")
    project = Project(place, {**PRODUCT, **CHECKOUT})
    third = contract(criterion("C1", IS_THIRD))
    project.begin(contract(), contract(criterion("C1", IS_SEEN)), third)
    project.ok("steer", "--kind", "reorder_pending", "--order-json", '["G003", "G002"]', *REASONS)
    on_the_way = []
    for goal, files in (("G001", MENDED), ("G003", {"third.txt": "x\n"}), ("G002", SEEN)):
        project.write(files)
        project.commit(f"for {goal}")
        certified(project, goal)
        on_the_way.append(states(project))
    shutil.copytree(project.state, place / "kept")
    return Done(project, place / "kept", on_the_way)


@pytest.fixture
def project(completed: Done) -> Project:
    """As it was when all three were complete."""
    shutil.rmtree(completed.project.state)
    shutil.copytree(completed.kept, completed.project.state)
    return completed.project


def test_scenario_30_a_goal_is_certified_and_stays_so_while_the_next_one_is_worked_on(
    completed: Done,
) -> None:
    assert completed.on_the_way[0] == {"G001": True}
    assert completed.on_the_way[1] == {"G001": True, "G003": True}


def test_scenario_31_the_goal_that_is_completed_last_brings_the_final_receipt(
    completed: Done, project: Project
) -> None:
    assert completed.on_the_way[2] == FRESH
    last, final = receipts(project)[-2:]
    assert (last["goal_id"], final["kind"], last["tree"]) == ("G002", "final", final["tree"])
    goals = statement_in(envelope_of(project))["predicate"]["goals"]
    assert {goal["id"] for goal in goals} == {"G001", "G002", "G003"}


def goals_file(project: Project) -> Path:
    (path,) = project.state.glob("runs/*/goals.json")
    return path


def ledger_file(project: Project) -> Path:
    (path,) = project.state.glob("runs/*/ledger.jsonl")
    return path


def test_scenario_32_a_plan_file_that_somebody_edited_is_not_what_receipts_are_held_against(
    project: Project,
) -> None:
    told = json.loads(goals_file(project).read_bytes())
    goals_file(project).write_text(
        json.dumps(told).replace('"updated_at": "20', '"updated_at": "19')
    )

    assert states(project) == FRESH
    assert project.run("ledger", "verify", "--json").reason == "projection-differs"


def test_scenario_33_a_gate_that_was_changed_in_the_ledger_breaks_it(project: Project) -> None:
    ledger = ledger_file(project)
    ledger.write_text(
        ledger.read_text().replace('"gate":"standard","judgement"', '"gate":"strict","judgement"')
    )

    assert project.run("ledger", "verify").code == 4
    assert project.complete("G002").code == 4


def test_scenario_35_a_line_that_reopens_a_goal_outdates_its_receipt(project: Project) -> None:
    ledger = ledger_file(project)
    lines = ledger.read_bytes().splitlines()
    last = json.loads(lines[-1])
    data = {"goal_id": "G001", "status": "failed", "evidence": "it broke"}
    prev = hashlib.sha256(lines[-1]).hexdigest()
    line = {**last, "seq": last["seq"] + 1, "kind": "goal_checkpointed", "data": data, "prev": prev}
    ledger.write_bytes(
        ledger.read_bytes() + json.dumps(line, separators=(",", ":")).encode() + b"\n"
    )

    assert states(project) == {**FRESH, "G001": False, "final": False}


@pytest.mark.parametrize(
    "act",
    [
        lambda p: p.ok("steer", "--kind", "annotate_ledger", *REASONS),
        lambda p: p.run(
            "steer", "--kind", "mark_blocked_superseded", "--goal-id", "G001", *REASONS
        ),
        lambda p: p.complete("G002"),
    ],
    ids=["34 a note", "43 a steer that is refused", "37 the same again"],
)
def test_scenario_34_37_43_what_changes_nothing_outdates_nothing(
    project: Project, act: Callable[[Project], Any]
) -> None:
    act(project)

    assert states(project) == FRESH
    assert project.run(*VERIFY).code == 0


def test_scenario_38_a_completion_with_other_words_is_no_repetition(project: Project) -> None:
    words = ("--goal-id", "G002", "--status", "complete", "--evidence", "other words")

    assert project.refused("checkpoint", *words) == "transition-not-allowed"


def test_scenario_39_a_spoiled_receipt_of_a_goal_does_not_speak_and_the_final_one_does(
    project: Project,
) -> None:
    first = next(each for each in receipts(project) if each["goal_id"] == "G001")
    (path,) = project.state.glob(f"runs/*/receipts/{first['digest']}.json")
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b'"payload":"e', b'"payload":"f'))

    assert project.run("receipt", "verify", "--goal-id", "G001").code in {1, 2}
    assert project.run(*VERIFY).code == 0


# The gate behind them


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Strict:
    return Strict(tmp_path_factory.mktemp("desk")).worked()


def test_scenario_63_lanes_speak_of_one_tree_and_one_contract_and_none_may_be_missing(
    desk: Strict,
) -> None:
    desk.look({"G001": lanes()}, "--role", "cleaner")
    desk.look({"G001": lanes()}, "--role", "architect")
    assert "missing-section" in desk.validated()
    desk.look({"G001": lanes()})
    assert desk.validated() == []

    desk.write({"notes.txt": "other\n"})
    assert desk.validated() == ["missing-section"] * 3
    desk.git("checkout", "--quiet", "notes.txt")
    assert desk.validated() == []

    desk.write({".goalkeeper/more.yaml": json.dumps(contract(scope={"never": ["notes.txt"]}))})
    amend = ("contract", "amend", "--goal-id", "G001", "--file", ".goalkeeper/more.yaml")
    desk.ok(*amend, "--reason", "notes are not ours", env=desk.human())
    (desk.state / "more.yaml").unlink()
    assert desk.validated() == ["missing-section"] * 3


@for_each("key", ["deferredToBatch", "validationBatchClose"])
def test_scenario_64_65_nothing_is_put_off_to_a_batch(desk: Strict, key: str) -> None:
    words = ("quality-gate", "validate", "--goal-id", "G001", "--json", "--quality-gate-json")

    told = desk.run(*words, json.dumps({key: {"batchId": "b", "memberIds": ["G001"]}})).json

    assert "unknown-key" in {each["code"] for each in told["diagnostics"]}


def test_scenario_41_66_a_story_of_a_per_story_plan_needs_the_same_lanes(tmp_path: Path) -> None:
    strict = Strict(tmp_path)
    brief = story("Part 1", contract())
    strict.ok("create-goals", "--gate", "strict", "--goal-mode", "per-story", "--brief", brief)
    strict.start()
    strict.write(MENDED)
    strict.commit("done")
    assert (strict.complete().reason, receipts(strict)) == ("gate-closed", [])

    strict.run(*strict.looking_words({"G001": lanes()}), env=strict.human())

    certified(strict, "G001")
    assert [each["kind"] for each in receipts(strict)] == ["goal", "final"]
    assert {v["trust"] for v in statement_in(envelope_of(strict))["predicate"]["lanes"]} == {
        "independent"
    }
