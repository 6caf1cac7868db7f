"""The strict gate through the installed command: init, validate, checkpoint."""

import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from goalkeeper.wire.canonical import digest
from tests.e2e.gates import CLEAN, DONE, Gate, Strict, artifact, clean, with_artifacts
from tests.e2e.project import BROKEN, MENDED, Project, belongings, contract, story

SECTIONS = ["architectReview", "executorQa", "iteration"]
INIT = ("quality-gate", "init", "--goal-id", "G001")


@pytest.fixture(scope="module")
def ready_once(tmp_path_factory: pytest.TempPathFactory) -> Strict:
    return Strict(tmp_path_factory.mktemp("ready"))


@pytest.fixture
def ready(ready_once: Strict) -> Strict:
    """For tests that only look, or are refused."""
    shutil.rmtree(ready_once.root / "out")
    ready_once.write(DONE)
    return ready_once


def broken() -> Gate:
    gate = clean()
    gate["architectReview"]["codeStatus"] = "WATCH"
    gate["architectReview"]["blockers"] = [{"title": "slow"}]
    gate["executorQa"]["contractCoverage"] = []
    gate["executorQa"]["artifactRefs"][0]["replay"]["recordedStdout"] = "broken\n"
    gate["executorQa"]["artifactRefs"][1]["path"] = "out/nowhere.txt"
    gate["codeReview"] = {}
    del gate["iteration"]["evidence"]
    return gate


# init


def test_a_template_approves_nothing(ready: Strict) -> None:
    before = ready.bytes_of_state()
    template = json.loads(ready.run(*INIT).out)

    assert list(template) == SECTIONS
    (row,) = template["executorQa"]["contractCoverage"]
    assert (row["contractRef"], row["obligation"], row["status"]) == ("C1", "C1 holds", "todo")
    said = json.dumps(template)
    assert not any(word in said for word in ("CLEAR", "APPROVE", "passed", "covered", "true"))
    assert len(ready.found(template)) > 10
    assert ready.bytes_of_state() == before


def test_scenario_46_a_template_that_nobody_filled_in_opens_nothing(ready: Strict) -> None:
    template = json.loads(ready.run(*INIT).out)

    answer = ready.close(template)

    assert (answer.code, answer.reason) == (1, "gate-closed")
    assert len(answer.json["error"]["facts"]["diagnostics"]) > 10
    assert ready.statuses() == {"G001": "active"}


def test_a_template_is_written_to_a_new_file_and_over_no_other(ready: Strict) -> None:
    made = ready.ok(*INIT, "--out", "out/new.json")

    assert made["path"] == str(ready.root / "out/new.json")
    assert json.loads((ready.root / "out/new.json").read_text()) == json.loads(ready.run(*INIT).out)
    (ready.root / "out/new.json").write_text("mine")
    again = ready.run(*INIT, "--out", "out/new.json", "--json")
    assert (again.code, again.reason) == (2, "usage")
    assert "out/new.json exists already" in again.json["error"]["message"]
    assert again.hint.endswith("validate --goal-id G001 --quality-gate-json out/new.json")
    assert (ready.root / "out/new.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".goalkeeper/runs/gate.json", "usage"),
        ("out/../.goalkeeper/runs/x.json", "usage"),
        ("out/way/gate.json", "usage"),
        ("../gate.json", "path-outside"),
        ("out/dangling", "path-outside"),
        ("/tmp/goalkeeper-gate-of-nobody.json", "path-outside"),
        ("out/nowhere/gate.json", "input-unreadable"),
        ("out", "usage"),
    ],
)
def test_a_template_goes_into_the_repository_and_not_into_its_records(
    ready: Strict, path: str, reason: str
) -> None:
    (ready.root / "out/way").symlink_to(ready.state / "runs")
    (ready.root / "out/dangling").symlink_to(ready.home / "gate.json")
    before = ready.bytes_of_state()

    answer = ready.run(*INIT, "--out", path, "--json")

    assert (answer.code, answer.reason) == (2, reason)
    assert ready.bytes_of_state() == before
    assert not (ready.home / "gate.json").exists()
    assert not (ready.root.parent / "gate.json").exists()


def test_the_schema_needs_no_plan(tmp_path: Path) -> None:
    schema = json.loads(Project(tmp_path).run("quality-gate", "schema").out)

    assert (schema["title"], list(schema["properties"])) == ("goalkeeper quality gate", SECTIONS)


def test_without_a_contract_there_is_nothing_to_validate(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.ok("create-goals", "--brief", f"{story('One', contract())}\n{story('Two', None)}")
    before = project.bytes_of_state()
    for goal, said in (("G001", "is not frozen yet"), ("G002", "has no contract")):
        answer = project.run("quality-gate", "validate", "--goal-id", goal, "--json")
        assert (answer.code, answer.reason) == (1, "contract-missing")
        assert said in answer.json["error"]["message"]
    assert project.run(*INIT).code == 0
    assert project.bytes_of_state() == before


# validate and checkpoint


@pytest.mark.parametrize("make", [broken, clean, lambda: None], ids=["broken", "clean", "none"])
def test_scenario_46_validate_changes_nothing(ready: Strict, make: Callable[[], object]) -> None:
    gate = make()
    given = gate and ready.lay(gate)
    state, mine = ready.bytes_of_state(), belongings(ready.root)

    ready.validate(given)

    assert ready.bytes_of_state() == state
    assert belongings(ready.root) == mine


@pytest.mark.parametrize("make", [broken, lambda: None], ids=["broken", "none"])
def test_scenario_46_validate_says_what_checkpoint_says(
    ready: Strict, make: Callable[[], object]
) -> None:
    gate = make()
    found = ready.found(gate)

    answer = ready.close(gate)

    assert (answer.code, answer.err, answer.reason) == (1, "", "gate-closed")
    assert answer.json["error"]["facts"]["diagnostics"] == found
    assert all(each["path"] and each["code"] and each["mend"] for each in found)
    assert f"has {len(found)} problem(s)" in answer.json["error"]["message"]
    assert ready.statuses() == {"G001": "active"}


def test_scenario_45_what_is_wrong_is_told_by_its_place(ready: Strict) -> None:
    assert ready.codes(broken()) == [
        ("$", "unknown-key"),
        ("executorQa.contractCoverage", "wrong-value"),
        ("iteration", "missing"),
        ("architectReview.codeStatus", "architect-not-clear"),
        ("architectReview.blockers", "blockers-stand"),
        ("executorQa.contractCoverage", "criterion-uncovered"),
        ("executorQa.artifactRefs[0]", "replay-differs"),
        ("executorQa.artifactRefs[1]", "artifact-missing"),
    ]


def test_validate_reads_as_a_table(ready: Strict) -> None:
    given = ("--quality-gate-json", ready.lay(broken()))

    page = ready.run("quality-gate", "validate", "--goal-id", "G001", *given)

    assert (page.code, page.err) == (1, "")
    assert "8 problem(s)." in page.out
    assert "architect-not-clear" in page.out


def test_without_a_gate_a_strict_plan_does_not_complete(ready: Strict) -> None:
    answer = ready.close(None)

    assert (answer.code, answer.reason) == (1, "gate-closed")
    facts = answer.json["error"]["facts"]
    assert [(d["path"], d["code"]) for d in facts["diagnostics"]] == [
        (name, "missing-section") for name in SECTIONS
    ]
    assert all(name in answer.json["error"]["message"] for name in SECTIONS)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("It probably works.", "hedge"),
        ("src/nowhere.py contains the fix.", "file-does-not-exist"),
        ("product.txt was deleted.", "file-still-there"),
    ],
)
def test_what_the_worker_says_in_its_own_words_is_read_too(
    ready: Strict, said: str, code: str
) -> None:
    gate = clean()
    gate["executorQa"]["evidence"] = said

    assert ready.codes(gate) == [("executorQa.evidence", code)]


def test_words_that_files_bear_out_are_in_nobodys_way(ready: Strict) -> None:
    gate = clean()
    gate["iteration"]["evidence"] = "product.txt contains what was asked for, and is clean."

    assert ready.codes(gate) == []


def test_a_gate_that_is_handed_in_says_what_the_cleaner_found(ready: Strict) -> None:
    gate = clean()
    for said in ("product.txt says it.", "the cleaner was not run", "the cleaner found 2 things"):
        gate["iteration"]["evidence"] = said
        assert ready.codes(gate) == [("iteration.evidence", "cleaner-missing")]


def test_a_gate_goes_with_completion_only(ready: Strict) -> None:
    before = ready.bytes_of_state()
    words = ("--status", "failed", "--evidence", "x", "--quality-gate-json", "{}", "--json")

    answer = ready.run("checkpoint", "--goal-id", "G001", *words)

    assert (answer.code, answer.reason) == (2, "usage")
    assert ready.bytes_of_state() == before


def test_a_clean_gate_completes_and_the_receipt_says_who_reviewed(tmp_path: Path) -> None:
    strict = Strict(tmp_path)
    assert strict.found(clean()) == []

    answer = strict.close(clean())

    assert (answer.code, answer.json["status"]) == (0, "complete"), answer
    lanes = strict.ok("receipt", "show", "--goal-id", "G001")["statement"]["predicate"]["lanes"]
    assert [(lane["role"], lane["trust"]) for lane in lanes] == [
        ("architect", "reported"), ("qa", "reported"),
    ]  # fmt: skip
    final = strict.ok("receipt", "show")["statement"]["predicate"]
    assert {lane["trust"] for lane in final["lanes"]} == {"reported"}
    assert final["gate"]["kind"] == "strict"
    (event,) = strict.events("goal_completed")
    quality = event["data"]["quality"]
    kept = strict.evidence(quality["digest"])
    assert final["gate"]["digest"] == digest([final["goals"], final["lanes"], quality["digest"]])
    assert (kept["gate"], kept["goal"]) == (CLEAN, "G001")
    assert kept["tree"] == quality["tree"] == event["data"]["judgement"]["tree"]
    tries = (strict.root / "out/tries.txt").read_bytes()
    assert kept["artifacts"]["tries"] == sha256(tries).hexdigest()
    assert set(kept["artifacts"]) == {"again", "tries"}


def test_a_criterion_that_fails_and_a_gate_that_is_wrong_are_told_together(ready: Strict) -> None:
    ready.write(BROKEN)

    answer = ready.close(broken())

    assert (answer.code, answer.reason) == (1, "not-proven")
    facts = answer.json["error"]["facts"]
    assert [row["id"] for row in facts["unproven"]] == ["C1"]
    assert ("architectReview.codeStatus", "architect-not-clear") in {
        (each["path"], each["code"]) for each in facts["diagnostics"]
    }
    assert "C1 failed" in answer.json["error"]["message"]
    assert "the quality gate of G001 has" in answer.json["error"]["message"]


def test_a_clean_gate_opens_nothing_for_a_criterion_that_fails(ready: Strict) -> None:
    ready.write(BROKEN)
    gate = clean()
    gate["executorQa"]["artifactRefs"][0]["replay"]["recordedStdout"] = "broken\n"
    assert ready.found(gate) == []

    answer = ready.close(gate)

    assert (answer.code, answer.reason) == (1, "not-proven")
    assert ready.statuses() == {"G001": "active"}


def test_a_standard_plan_needs_no_gate(project: Project) -> None:
    project.begin(contract())
    project.write(MENDED)

    assert project.complete().code == 0
    (event,) = project.events("goal_completed")
    assert event["data"]["gate"] == "standard"
    predicate = project.ok("receipt", "show")["statement"]["predicate"]
    assert (predicate["gate"]["kind"], predicate["lanes"]) == ("standard", [])


# Documents that are none


BAD: dict[str, tuple[bytes, str]] = {
    "nested deeply": (b'{"a":' * 70 + b"1" + b"}" * 70, "nested deeper than 64"),
    "a name twice": (b'{"iteration": {}, "iteration": {}}', "'iteration' is given twice"),
    "no number": (b'{"iteration": NaN}', "NaN is not JSON"),
    "a list": (b"[{}]", "it is an array"),
    "no text": (b"\xff\xfe{}", "byte 0 is not UTF-8"),
    "100 MB": (b" " * (100 << 20), "larger than 16777216 bytes"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_a_document_that_is_none_says_why_and_nothing_is_written(ready: Strict, name: str) -> None:
    data, said = BAD[name]
    ready.write({"out/bad.json": data})
    before = ready.bytes_of_state()

    answer = ready.close("out/bad.json")

    assert (answer.code, answer.json["ok"]) == (2, False)
    assert said in answer.json["error"]["message"], answer
    assert ready.bytes_of_state() == before


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("", "input-unreadable"),
        ("passed", "input-unreadable"),
        ("/etc/passwd", "path-outside"),
        ('{"iteration":', "not-an-object"),
    ],
)
def test_so_does_what_is_neither_a_document_nor_a_file(
    ready: Strict, given: str, reason: str
) -> None:
    before = ready.bytes_of_state()

    answer = ready.validate(given)

    assert (answer.code, answer.reason) == (2, reason)
    assert ready.bytes_of_state() == before


# Artifacts


def test_scenario_58_an_artifact_is_a_plain_file_of_the_repository(ready: Strict) -> None:
    out = ready.root / "out"
    (ready.home / "secret.txt").write_text("a password, and enough letters to be read as a report")
    (out / "link").symlink_to(ready.home / "secret.txt")
    (out / "home").symlink_to(ready.home)
    (out / "inside").symlink_to("tries.txt")
    os.mkfifo(out / "pipe")
    ready.write({"out/one": b"x", "out/empty": b"", "out/void.txt": b" \n" * 5000})
    with (out / "huge").open("wb") as file:
        file.truncate(65 << 20)
    cases = {
        "out/link": "artifact-link",
        "out/home/secret.txt": "artifact-link",
        "out/inside": "artifact-link",
        "out": "artifact-directory",
        "out/pipe": "artifact-special",
        "out/nowhere": "artifact-missing",
        "out/tries.txt/x": "artifact-missing",
        "out/huge": "artifact-too-large",
        "out/one": "file-thin",
        "out/empty": "file-thin",
        "out/void.txt": "file-thin",
        "../home/secret.txt": "wrong-value",
        "/etc/passwd": "wrong-value",
        ".git/config": "wrong-value",
    }
    rows = [artifact(f"a{n}", "file", path) for n, path in enumerate(cases)]

    found = ready.found(with_artifacts(*rows))

    told = {each["path"].partition(".path")[0]: each["code"] for each in found}
    assert told == {
        f"executorQa.artifactRefs[{n}]": code for n, code in enumerate(cases.values(), 2)
    }
    assert "password" not in json.dumps(found)
