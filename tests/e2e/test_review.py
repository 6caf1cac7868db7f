"""`review`: the gate on work that is there already."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.project import SUITE, Files, contract, criterion
from tests.e2e.reviews import (
    AFTER,
    ASKED,
    BEFORE,
    GREETS,
    IS_SHELL,
    Document,
    Submitted,
    changed,
    codes,
    replayed,
    report,
)
from tests.tables import for_each

WEAK = "inconclusive: weak-contract"
A_TEST = "tests/test_other.py"
TESTED: Files = {**BEFORE, A_TEST: SUITE[A_TEST]}
VERIFY = 'version = 1\n[verify]\ncommands = [["sh", "-n", "greet.sh"]]\n'


@pytest.fixture
def submitted(tmp_path: Path) -> Submitted:
    return Submitted(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Submitted:
    """For reviews that change nothing: that they do not is a test of its own."""
    return Submitted(tmp_path_factory.mktemp("submitted"))


# Verdicts


def test_80_clean_work_with_a_spec_passes(shared: Submitted) -> None:
    said = shared.said("--spec", shared.spec(), qa=report())

    assert (said["verdict"], said["contract"], said["findings"]) == ("pass", "strong", [])
    assert said["criteria"] == [
        {"id": "C1", "on_base": "red", "verdict": "passed", "reason": said["criteria"][0]["reason"]}
    ]
    assert said["base"]["commit"] == shared.git("rev-parse", "main").strip()
    assert said["candidate"]["tree"] == shared.git("rev-parse", "work^{tree}").strip()
    assert said["isolation"] in {"checkout", "sandbox"}
    assert said["blockers"] == []


def test_by_the_standard_gate_honest_work_passes_without_a_report_also_right_after_init(
    submitted: Submitted,
) -> None:
    spec = ("--spec", submitted.spec())
    submitted.ok("init", "--yes")

    here = submitted.said(*spec, "--gate", "standard")
    submitted.commit("settings")
    submitted.git("checkout", "--quiet", "main")
    branch = submitted.run("review", "--branch", "work", *spec, env=submitted.human())

    assert (here["verdict"], here["gate"], here["findings"]) == ("pass", "standard", [])
    assert branch.code == 0
    assert branch.out.endswith("Verdict: pass (contract: strong).\n")
    submitted.write({".goalkeeper/config.toml": '[gate]\ndefault = "strict"\n'})
    strict = submitted.run("review", "--branch", "work", *spec, env=submitted.human())
    assert (strict.code, "missing-section" in strict.out) == (1, True)


def test_settings_that_the_base_has_are_not_for_the_work_to_change(tmp_path: Path) -> None:
    before = {**BEFORE, ".goalkeeper/config.toml": "version = 1\n"}
    after = {**AFTER, ".goalkeeper/config.toml": "version = 1\n[judge]\nrepeats = 3\n"}
    submitted = Submitted(tmp_path, before, after)

    said = submitted.said("--spec", submitted.spec(), "--gate", "standard")

    assert (said["verdict"], codes(said)) == (
        "fail", [(".goalkeeper/config.toml", "contract-edited")]
    )  # fmt: skip


def test_80_clean_work_without_a_spec_is_inconclusive(shared: Submitted) -> None:
    said = shared.said(qa=report("WORK"))

    assert (said["verdict"], said["contract"], said["findings"]) == (WEAK, "derived", [])


def test_without_a_spec_the_projects_own_checks_are_run_and_still_prove_too_little(
    tmp_path: Path,
) -> None:
    submitted = Submitted(tmp_path, {**BEFORE, ".goalkeeper/config.toml": VERIFY})

    said = submitted.said(qa=report("V1"))

    assert (said["verdict"], said["contract"]) == (WEAK, "derived")
    assert [(each["id"], each["verdict"]) for each in said["criteria"]] == [("V1", "passed")]
    submitted.write({"greet.sh": "if\n"})
    broken = submitted.said(qa=report("V1"))
    assert broken["verdict"] == "fail"
    assert ("criteria.V1", "criterion-failed") in codes(broken)


@for_each(
    ("spec", "strength"),
    [
        ("", "derived"),
        ("# Greeting\n\nIt must greet. Criteria: good manners.\n", "derived"),
        ("scope: {touch: [greet.sh]}\n", "thin"),
        (json.dumps(contract(criterion("C1", IS_SHELL))), "thin"),
        (json.dumps(contract(criterion("C1", IS_SHELL, guard=True))), "thin"),
        (json.dumps(contract(criterion("C1", GREETS), criterion("C2", IS_SHELL))), "thin"),
        (json.dumps(contract(criterion("C1", {"command": ["no-such-program"]}))), "thin"),
    ],
    ids=[
        "empty", "prose", "a scope alone", "green before", "guards alone", "one green before",
        "cannot be run",
    ],
)  # fmt: skip
def test_81_a_spec_that_could_not_fail_never_passes(
    shared: Submitted, spec: str, strength: str
) -> None:
    ids = [each["id"] for each in json.loads(spec)["criteria"]] if spec[:1] == "{" else []
    qa = changed(lambda d: d["contractCoverage"].extend(_rows(d, ids[1:])), (ids or ["WORK"])[0])

    said = shared.said("--spec", shared.spec(spec), qa=qa)

    assert said["contract"] == strength
    assert said["findings"] == []
    assert said["verdict"] == ("inconclusive: unknown" if "no-such" in spec else WEAK)


def _rows(document: Document, ids: list[str]) -> list[Document]:
    """The same again about other criteria, shown by an artifact itself."""
    row = {"obligation": "it holds", "status": "covered", "artifactRefs": ["named"]}
    del document
    return [{"id": f"cover-{name}", "contractRef": name, **row} for name in ids]


def test_a_contract_may_stand_in_a_text(shared: Submitted) -> None:
    text = f"# Greeting\r\n\r\nIt greets.\r\n\r\n```contract\r\n{json.dumps(ASKED)}\r\n```\r\n"

    assert shared.said("--spec", shared.spec(text), qa=report())["verdict"] == "pass"


def test_a_contract_that_cannot_be_used_is_an_error(shared: Submitted) -> None:
    spec = shared.spec("criteria:\n  - {id: C1, text: x, check: {command: ['true']}}\n")

    answer = shared.review("--spec", spec, qa=report())

    assert (answer.code, answer.reason) == (3, "contract-invalid"), answer
    assert "vacuous" in answer.json["error"]["message"]


def test_what_nobody_answers_is_not_passed(shared: Submitted) -> None:
    asked = contract(criterion("C1", GREETS), criterion("Q1", {"question": "Is it polite?"}))
    qa = changed(lambda d: d["contractCoverage"].extend(_rows(d, ["Q1"])))

    said = shared.said("--spec", shared.spec(asked), qa=qa)

    assert said["verdict"] == "inconclusive: unknown"
    assert [each["verdict"] for each in said["criteria"]] == ["passed", "unknown"]


# Findings


def test_everything_that_speaks_against_it_is_told_at_once(tmp_path: Path) -> None:
    submitted = Submitted(tmp_path, TESTED, {"greet.sh": 'echo "hi $1"\n', A_TEST: None})
    asked = contract(criterion("C1", GREETS), scope={"touch": ["docs/**"]})
    qa = changed(lambda d: d.update(status="failed", blockers=[{"what": "it is too short"}]))

    said = submitted.said("--spec", submitted.spec(asked), qa=qa)

    assert said["verdict"] == "fail"
    assert {code for _, code in codes(said)} >= {
        "criterion-failed", "scope-touch", "test-removed", "not-passed", "blockers-stand",
        "replay-differs",
    }  # fmt: skip
    assert all(found["message"] and found["mend"] for found in said["findings"])


def test_a_deleted_test_is_a_question_though_the_criterion_is_met(tmp_path: Path) -> None:
    submitted = Submitted(tmp_path, TESTED, {**AFTER, A_TEST: None})

    said = submitted.said("--spec", submitted.spec(), qa=report())

    assert [each["verdict"] for each in said["criteria"]] == ["passed"]
    assert said["verdict"] == "inconclusive: question-open"
    assert {path for path, _ in codes(said)} == {A_TEST}


@for_each(
    ("qa", "found"),
    [
        (None, ("executorQa", "missing-section")),
        (changed(lambda d: d.update(status="failed")), ("executorQa.status", "not-passed")),
        (changed(lambda d: d.update(e2eStatus="failed")), ("executorQa.e2eStatus", "not-passed")),
        (
            changed(lambda d: d.update(blockers=[{"id": "B1", "what": "it crashes"}])),
            ("executorQa.blockers", "blockers-stand"),
        ),
        (changed(lambda d: d.update(mood="good")), ("executorQa", "unknown-key")),
        (report("C9"), ("executorQa.contractCoverage[0].contractRef", "unknown-contract-ref")),
        (
            changed(
                lambda d: d["artifactRefs"].__setitem__(0, replayed("named", "Ada", prints="hi\n"))
            ),
            ("executorQa.artifactRefs[0]", "replay-differs"),
        ),
    ],
    ids=[
        "no report", "failed", "e2e failed", "a blocker that is an object",
        "an unknown key", "about something else", "a replay that differs",
    ],
)  # fmt: skip
@pytest.mark.thorough
def test_81_a_report_that_is_not_clean_fails_the_review(
    shared: Submitted, qa: Document | None, found: tuple[str, str]
) -> None:
    said = shared.said("--spec", shared.spec(), qa=qa)

    assert said["verdict"] == "fail"
    assert found in codes(said)


def test_80_an_artifact_that_shows_nothing_is_told_in_the_words_of_the_gate(
    submitted: Submitted,
) -> None:
    def spoil(document: Document) -> None:
        document["artifactRefs"] = [
            {"id": "named", "kind": "file", "description": "a file", "path": "nowhere.txt"},
            replayed("odd", "$(id)", prints="hello root\n"),
        ]

    qa = changed(spoil)
    reviewed = submitted.said("--spec", submitted.spec(), qa=qa)
    submitted.git("checkout", "--quiet", "main")
    fenced = f"@goal: Greet\nIt greets.\n\n```contract\n{json.dumps(ASKED)}\n```\n"
    submitted.ok("create-goals", "--brief", fenced)
    submitted.ok("contract", "freeze", "--goal-id", "G001")
    submitted.write(AFTER)
    gate = submitted.run(
        "quality-gate", "validate", "--goal-id", "G001", "--json",
        "--quality-gate-json", json.dumps({"executorQa": qa}),
    )  # fmt: skip

    of_the_report = [d for d in gate.json["diagnostics"] if d["path"].startswith("executorQa")]
    assert reviewed["findings"] == of_the_report
    assert {code for _, code in codes(reviewed)} == {
        "artifact-missing", "replay-differs", "surface-not-proved",
    }  # fmt: skip


def test_a_spec_that_the_work_changed_is_not_what_it_is_judged_by(tmp_path: Path) -> None:
    harder = contract(criterion("C1", {**GREETS, "stdout": "^good morning Ada$"}))
    spec = "docs/spec.yaml"
    submitted = Submitted(
        tmp_path, {**BEFORE, spec: json.dumps(harder)}, {**AFTER, spec: json.dumps(ASKED)}
    )

    said = submitted.said("--spec", spec, qa=report())

    assert (said["verdict"], codes(said)) == ("fail", [("spec", "spec-changed")])
    assert f"git show {said['base']['commit'][:12]}:{spec}" in said["findings"][0]["mend"]
    submitted.git("checkout", "--quiet", "main")
    of_main = submitted.said("--branch", "work", "--spec", spec, qa=report())
    assert codes(of_main) == [("criteria.C1", "criterion-failed")]


def test_a_spec_that_came_with_the_work_may_be_given(submitted: Submitted) -> None:
    submitted.write({"spec.yaml": json.dumps(ASKED)})

    assert submitted.said("--spec", "spec.yaml", qa=report())["verdict"] == "pass"


def test_a_project_that_wants_no_isolation_is_reviewed_in_a_checkout(tmp_path: Path) -> None:
    config = 'version = 1\n[witness]\nisolation = "none"\n'
    submitted = Submitted(tmp_path, {**BEFORE, ".goalkeeper/config.toml": config})
    leaves = contract(
        criterion("C1", GREETS),
        criterion("C2", {"shell": "touch left; ! sh greet.sh | grep -x hello"}),
    )
    qa = changed(lambda d: d["contractCoverage"].extend(_rows(d, ["C2"])))
    before = submitted.everything()
    submitted.human()

    here = submitted.said("--spec", submitted.spec(leaves), qa=qa)

    assert (here["verdict"], here["isolation"]) == ("pass", "checkout")
    assert submitted.everything() == before
    submitted.git("checkout", "--quiet", "main")
    branch = submitted.said("--branch", "work", "--spec", submitted.spec(leaves), qa=qa)
    assert (branch["verdict"], branch["isolation"]) == ("pass", "checkout")


# What it writes


@pytest.mark.parametrize("verdict", ["pass", "fail"])
def test_80_review_only_writes_nothing(submitted: Submitted, verdict: str) -> None:
    submitted.write({"notes.txt": "stashed\n"})
    submitted.git("stash")
    submitted.write({"notes.txt": "staged\n"})
    submitted.git("add", "notes.txt")
    submitted.write({"notes.txt": "changed\n", "new.txt": "untracked\n"})
    submitted.human()
    before = submitted.everything()

    qa = report() if verdict == "pass" else None
    said = submitted.said("--spec", submitted.spec(), "--mode", "review-only", qa=qa)

    assert said["verdict"] == verdict
    assert submitted.everything() == before
    assert not submitted.state.exists()


def test_80_review_only_writes_nothing_beside_a_live_plan(submitted: Submitted) -> None:
    submitted.begin(ASKED)
    submitted.human()
    before = submitted.everything()

    assert submitted.said("--spec", submitted.spec())["verdict"] == "fail"

    assert submitted.everything() == before


def test_what_it_says_to_people(shared: Submitted) -> None:
    key = shared.human()
    spec = ("--spec", shared.spec())

    failed = shared.run("review", "--gate", "strict", *spec, env=key)
    weak = shared.run("review", "--executor-qa-json", json.dumps(report("WORK")), env=key)

    assert (failed.code, weak.code) == (1, 1)
    assert "C1         red     passed" in failed.out
    assert "executorQa  missing-section  nobody tried to break it" in failed.out
    assert "Verdict: fail (contract: strong)." in failed.out
    assert "Verdict: inconclusive: weak-contract (contract: derived)." in weak.out
    assert "next: goalkeeper review --spec FILE" in weak.out


def test_help_names_every_choice(shared: Submitted) -> None:
    page = shared.run("review", "--help").out

    for word in ("--pr", "--branch", "--spec", "--mode", "review-start", "--executor-qa-json"):
        assert word in page


@for_each(
    ("words", "code", "reason"),
    [
        (("--mode", "review-all"), 2, "usage"),
        (("--pr", "7", "--branch", "work"), 2, "usage"),
        (("--pr", "0"), 2, "usage"),
        (("--pr", "seven"), 2, "usage"),
        (("--branch", ""), 2, "usage"),
        (("--spec", "nowhere.md"), 2, "input-unreadable"),
        (("--spec", ""), 2, "input-unreadable"),
        (("--executor-qa-json", "nowhere.json"), 2, "input-unreadable"),
        (("--executor-qa-json", "[]"), 2, "not-an-object"),
        (("--executor-qa-json", '{"a": NaN}'), 2, "not-an-object"),
    ],
)
def test_bad_words_are_refused_before_anything_runs(
    shared: Submitted, words: tuple[str, ...], code: int, reason: str
) -> None:
    answer: Any = shared.review(*words)

    assert (answer.code, answer.reason) == (code, reason), answer


def test_an_agent_gives_specs_from_the_repository_only(shared: Submitted) -> None:
    answer = shared.run("review", "--spec", shared.spec(), "--json")

    assert (answer.code, answer.reason) == (2, "path-outside")
