"""The standard gate: a goal completes when the tree as it is now is proven, and not before."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.contract.witness.spies import Spy
from tests.e2e.project import (
    IS_FIXED,
    MENDED,
    PATH,
    RIGHT,
    Contract,
    Project,
    contract,
    criterion,
    verdicts,
)
from tests.tables import for_each

NOTED = {"command": ["grep", "-q", "seen", "notes.txt"]}
TEST_TOTAL = criterion("C1", {"pytest": "tests/test_total.py"})


def goals_file(project: Project) -> Path:
    (path,) = project.state.glob("runs/*/goals.json")
    return path


def test_a_proven_goal_completes_and_the_event_carries_the_proof(project: Project) -> None:
    project.begin(contract(criterion("C1", IS_FIXED), criterion("C2", NOTED)))
    project.write({**MENDED, "notes.txt": "seen\n"})

    answer = project.complete()

    assert (answer.code, answer.json["status"]) == (0, "complete"), answer
    (event,) = project.events("goal_completed")
    data = event["data"]
    assert (data["gate"], data["evidence"]) == ("standard", "it is done")
    assert verdicts(data["judgement"]) == {"C1": "passed", "C2": "passed"}
    assert data["judgement"]["uncached"] is True
    assert (
        data["judgement"]["tree"] == project.events("goal_judged")[-1]["data"]["judgement"]["tree"]
    )
    assert data["judgement"]["contract"] == project.goals()["G001"]["contract_digest"]


def test_a_completion_asks_git_six_times_at_most(project: Project, tmp_path: Path) -> None:
    """Also where files moved and tests were changed, and a receipt for the whole is due."""
    listing = "".join(f"{number}\n" for number in range(50))
    project.write({"old.txt": listing, "tests/check.sh": "exit 0\n"})
    project.commit("two more files")
    criteria = [criterion(f"C{n}", IS_FIXED) for n in range(1, 6)]
    project.begin(contract(*criteria), contract(criterion("C1", NOTED)))
    project.write({**MENDED, "old.txt": None, "new.txt": f"{listing}more\n"})
    project.commit("moved")
    project.write({"tests/check.sh": "exit 1\n"})
    spy = Spy(tmp_path / "spy")

    for goal, more in (("G001", {}), ("G002", {"notes.txt": "seen\n"})):
        project.ok("contract", "freeze", "--goal-id", goal)
        project.write(more)
        spy.forget()
        assert project.complete(goal, env={"PATH": spy.path}).code == 0
        assert len(spy.asked()) <= 6, spy.asked()

    assert len(project.events("receipt_issued")) == 3


def test_scenario_23_the_next_goal_starts_by_itself_and_the_last_one_ends_it(
    project: Project,
) -> None:
    project.begin(contract(), contract(criterion("C1", NOTED)))
    project.write(MENDED)

    first = project.complete("G001").json

    assert (first["next_goal_id"], first["all_complete"]) == ("G002", False)
    assert first["incomplete_goal_ids"] == ["G002"]
    assert project.statuses() == {"G001": "complete", "G002": "active"}
    project.write({"notes.txt": "seen\n"})
    words = ("--goal-id", "G002", "--status", "complete", "--evidence", "all of it")
    page = project.run("checkpoint", *words)
    assert (page.code, page.err) == (0, "")
    assert "Checkpointed G002 as complete.\nAll goals are complete.\n" in page.out
    assert project.ok("status")["status"] == "complete"
    assert project.ok("complete-goals")["all_complete"] is True


def test_work_of_a_later_goal_is_measured_from_the_end_of_the_one_before(
    project: Project,
) -> None:
    touch_notes = {"scope": {"touch": ["notes.txt"]}}
    project.begin(contract(), contract(criterion("C1", NOTED), **touch_notes))
    project.write(MENDED)
    assert project.complete("G001").code == 0
    project.write({"notes.txt": "seen\n"})

    assert project.complete("G002").code == 0


def test_the_same_completion_twice_is_once(project: Project) -> None:
    project.begin(contract())
    project.write(MENDED)
    project.complete()
    before = project.ledger()

    again = project.complete()

    assert (again.code, again.json["repeated"]) == (0, True)
    assert project.ledger() == before


def test_the_goal_tool_completes_when_the_plan_has(project: Project) -> None:
    project.begin(contract())
    project.ok("goal", "create")
    assert project.refused("goal", "complete") == "plan-not-complete"
    project.write(MENDED)
    project.complete()

    assert project.ok("goal", "complete")["goal"]["status"] == "complete"


def test_the_board_shows_where_each_criterion_stands(project: Project) -> None:
    project.begin(contract(criterion("C1", IS_FIXED), criterion("C2", NOTED)))
    project.write(MENDED)
    project.judge()

    told = project.goals()["G001"]
    page = project.run("status").out

    assert [(s["id"], s["status"]) for s in told["criteria"]] == [("C1", "PASS"), ("C2", "FAIL")]
    assert (told["iteration"], told["decision"]) == (1, "REPLAN")
    assert "attempt 1, 1 of 2 criteria met" in page
    assert "G001  C2         FAIL    1       exit 1, expected 0" in page


# Closed


def refusal(project: Project) -> Any:  # noqa: ANN401  JSON
    answer = project.complete()
    assert (answer.code, answer.err) == (1, ""), answer
    assert project.events("goal_completed") == []
    assert project.statuses()["G001"] == "active"
    return answer.json["error"]


def test_what_is_unproven_is_named(project: Project) -> None:
    project.begin(contract(criterion("C1", IS_FIXED), criterion("C2", NOTED)))
    project.write(MENDED)

    error = refusal(project)

    assert error["code"] == "not-proven"
    assert "C2 failed: exit 1, expected 0" in error["message"]
    assert error["hint"] == "goalkeeper why G001"
    assert [each["id"] for each in error["facts"]["unproven"]] == ["C2"]


def test_a_goal_is_not_complete_by_the_judgement_of_another_tree(project: Project) -> None:
    project.begin(contract())
    project.write(MENDED)
    assert project.judge()["ok"] is True
    project.write({"product.txt": "broken again\n"})

    assert refusal(project)["code"] == "not-proven"


@for_each(
    ("more", "rule"),
    [
        ({"manifest": {"expected_paths": ["docs/intake.md"]}}, "manifest-expected-paths"),
        ({"scope": {"touch": ["notes.txt"]}}, "scope-touch"),
        ({"scope": {"never": ["product.*"]}}, "scope-never"),
    ],
)
def test_manifest_and_scope_close_the_gate(tmp_path: Path, more: dict[str, Any], rule: str) -> None:
    project = Project(tmp_path)
    project.begin(contract(**more))
    project.write(MENDED)

    error = refusal(project)

    assert error["code"] == "findings-stand"
    assert [finding["rule"] for finding in error["facts"]["findings"]] == [rule]


def test_tampering_closes_the_gate_though_every_criterion_is_met(suite: Project) -> None:
    suite.begin(contract(TEST_TOTAL))
    suite.write({"total.py": RIGHT, "tests/test_other.py": None})

    error = refusal(suite)

    assert error["code"] == "question-open"
    assert "tests/test_other.py" in {finding["path"] for finding in error["facts"]["findings"]}


def test_questions_stay_open_until_they_are_answered(project: Project) -> None:
    project.begin(contract(criterion("C1", IS_FIXED), criterion("Q1", {"question": "Is it?"})))
    project.write(MENDED)

    assert [each["id"] for each in refusal(project)["facts"]["unproven"]] == ["Q1"]


def test_a_tree_that_moves_while_it_is_judged_is_not_proven(project: Project) -> None:
    project.write({".goalkeeper/config.toml": 'version = 1\n[witness]\nisolation = "checkout"\n'})
    text = f"echo more >> {project.root}/moved.txt; grep -q fixed product.txt"
    project.begin(contract(criterion("C1", {"shell": text})))
    project.write(MENDED)

    error = refusal(project)

    assert error["code"] == "tree-moved"
    assert "stop changing files" in error["hint"]


def test_a_completion_needs_no_judging_when_it_is_not_allowed_anyway(project: Project) -> None:
    project.begin(contract(), contract())

    answer = project.complete("G002")

    assert (answer.code, answer.reason) == (1, "transition-not-allowed")
    assert project.events("goal_judged") == []


# Ill will


@for_each(
    "spoiled",
    [
        lambda ledger: ledger.replace(b'"failed"', b'"passed"'),
        lambda ledger: ledger.replace(b"exit 1, expected 0", b"exit 0, expected 0"),
        lambda ledger: b"".join(ledger.splitlines(keepends=True)[:-1]),
        lambda ledger: ledger + ledger.splitlines(keepends=True)[-1],
    ],
    ids=["a verdict", "a reason", "a line is gone", "a line is doubled"],
)
def test_a_ledger_that_was_tampered_with_completes_nothing(
    tmp_path: Path, spoiled: Callable[[bytes], bytes]
) -> None:
    project = Project(tmp_path)
    project.begin(contract())
    project.judge()
    project.write(MENDED)
    (path,) = project.state.glob("runs/*/ledger.jsonl")
    path.write_bytes(spoiled(path.read_bytes()))

    answer = project.complete()

    assert answer.code == 4, answer
    assert b"goal_completed" not in path.read_bytes()


def claims(goal: dict[str, Any]) -> None:
    for state in goal["criteria"]:
        state |= {"status": "PASS", "fail_count": 0, "passed_at": 1}
    goal |= {"decision": "DONE"}


def is_complete(goal: dict[str, Any]) -> None:
    goal |= {"status": "complete", "completed_at": goal["updated_at"], "evidence": "it is done"}


@for_each("forged", [claims, is_complete])
def test_claims_written_into_goals_json_have_no_effect(
    tmp_path: Path, forged: Callable[[dict[str, Any]], None]
) -> None:
    project = Project(tmp_path)
    project.begin(contract())
    project.judge()
    path = goals_file(project)
    document = json.loads(path.read_bytes())
    found = _goals(document)
    forged(found[0])
    path.write_text(json.dumps(document))

    answer = project.complete()
    judged = project.judge()

    assert answer.code in {1, 4}, answer
    assert judged["ok"] is False
    assert project.events("goal_completed") == []
    assert project.statuses()["G001"] == "active"
    assert project.goals()["G001"]["criteria"][0]["status"] == "FAIL"


def _goals(document: Any) -> list[dict[str, Any]]:  # noqa: ANN401  JSON
    """The goals, wherever the projection keeps them."""
    if isinstance(document, dict):
        if "goals" in document and isinstance(document["goals"], list):
            return list(document["goals"])
        return next((found for item in document.values() if (found := _goals(item))), [])
    return []


WITNESS = """\
version = 1
[witness]
isolation = "none"
setup = [["sh", "-c", "echo fixed > product.txt"]]
[judge]
max_iterations = 99
"""


@for_each("begun_with_one", [True, False])
def test_a_configuration_edited_after_the_plan_began_has_no_effect(
    tmp_path: Path, begun_with_one: bool
) -> None:
    project = Project(tmp_path)
    if begun_with_one:
        project.write({".goalkeeper/config.toml": "version = 1\n[judge]\nmax_iterations = 1\n"})
    project.begin(contract())
    project.write({".goalkeeper/config.toml": WITNESS, "notes.txt": "worked\n"})

    judged = project.judge()

    assert verdicts(judged) == {"C1": "failed"}
    assert judged["isolation"] != "none"
    assert judged["decision"] == ("SAFEGUARD" if begun_with_one else "REPLAN")
    assert project.complete().code == 1


def test_a_contract_edited_in_the_runs_files_has_no_effect(project: Project) -> None:
    given: Contract = contract()
    project.begin(given)
    project.judge()
    for path in (goals_file(project), *project.state.glob("runs/*/brief.md")):
        path.write_bytes(path.read_bytes().replace(b"fixed", b"broken"))

    assert verdicts(project.judge()) == {"C1": "failed"}
    assert project.complete().code in {1, 4}
    assert project.events("goal_completed") == []


def test_a_tool_that_the_worker_put_on_its_path_proves_nothing(
    project: Project, tmp_path: Path
) -> None:
    project.begin(contract())
    project.judge()
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    (fakes / "grep").write_text("#!/bin/sh\nexit 0\n")
    (fakes / "grep").chmod(0o755)

    answer = project.complete(env={"PATH": f"{fakes}:{PATH}"})

    assert answer.code != 0
    assert project.events("goal_completed") == []


def test_a_plan_is_standard_unless_its_command_or_the_settings_say_strict(tmp_path: Path) -> None:
    project = Project(tmp_path)

    def gate_of(*named: str) -> str:
        made = project.ok("create-goals", "--brief", "Only this.", "--archive", "next", *named)
        gate: str = made["gate"]
        return gate

    assert [gate_of(), gate_of("--gate", "strict")] == ["standard", "strict"]
    project.write({".goalkeeper/config.toml": '[gate]\ndefault = "strict"\n'})
    assert [gate_of(), gate_of("--gate", "standard")] == ["strict", "standard"]
