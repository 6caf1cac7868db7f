"""The matrix of a quality gate: rows that refer to each other, and what proves a surface."""

from typing import Any

import pytest

from goalkeeper.core.quality.reading import read_gate
from goalkeeper.core.quality.words import KINDS, PROVED_BY, REASON_CODES, SURFACES, Artifact
from tests.unit.core.quality.gates import ABOUT, Gate, at, changed, clean, found, told

QA = "executorQa"
ROW = f"{QA}.contractCoverage[0]"
WEB, CLI = f"{QA}.surfaceEvidence[0]", f"{QA}.surfaceEvidence[1]"
CASE = f"{QA}.adversarialCases[0]"
SHOT, REPLAY = f"{QA}.artifactRefs[1]", f"{QA}.artifactRefs[2]"
ELSEWHERE: Gate = {
    "id": "left-out",
    "contractRef": "the old importer",
    "obligation": "it reads XML",
    "status": "not_applicable",
    "reason": "this goal does not touch it",
}


def with_row(table: str, row: Gate) -> Gate:
    gate = clean()
    gate[QA][table].append(row)
    return gate


def patched(path: str, **fields: object) -> Gate:
    gate = clean()
    at(gate, path).update(fields)
    return gate


def with_kinds(surface: str, *kinds: str) -> Gate:
    """The first surface is another one, and is shown by artifacts of these kinds."""
    gate = patched(WEB, surface=surface, artifactRefs=[f"a{n}" for n in range(len(kinds))])
    ways: dict[str, Gate] = {
        "typed-receipt": {"receipt": {"type": "criterion", "id": "C1", "status": "passed"}}
    }
    gate[QA]["artifactRefs"] += [
        {"id": f"a{n}", "kind": kind, "description": "x", **ways.get(kind, {"path": "out/x"})}
        for n, kind in enumerate(kinds)
    ]
    return gate


def test_scenario_49_a_description_is_no_obligation() -> None:
    gate = patched(ROW, description="the page saves")
    del at(gate, ROW)["obligation"]

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{ROW}.obligation", "missing")
    assert said.message == "obligation is missing (description is not read in its place)"


def test_scenario_49_without_either_there_is_no_hint() -> None:
    gate = clean()
    del at(gate, ROW)["obligation"]

    assert found(gate)[0].message == "obligation is missing"


def test_rows_that_do_not_apply_may_stand_beside_others() -> None:
    gate = with_row("contractCoverage", ELSEWHERE)
    gate[QA]["surfaceEvidence"].append(
        {"id": "no-gui", "contractRef": "C1", "surface": "gui", "status": "not_applicable",
         "reason": "there is no window"}
    )  # fmt: skip

    assert found(gate) == ()


@pytest.mark.parametrize("reason", [None, "", "  "])
@pytest.mark.parametrize("table", ["contractCoverage", "surfaceEvidence"])
def test_scenario_50_a_row_that_does_not_apply_says_why(table: str, reason: str | None) -> None:
    row = {**ELSEWHERE, "reason": reason}
    if table == "surfaceEvidence":
        row = {**row, "surface": "gui"}
        del row["obligation"]
    number = len(clean()[QA][table])

    diagnostics = found(with_row(table, row))

    assert {each.path for each in diagnostics} == {f"{QA}.{table}[{number}].reason"}


@pytest.mark.parametrize("table", ["contractCoverage", "surfaceEvidence"])
def test_scenario_50_a_missing_reason_is_told_as_such(table: str) -> None:
    row: Gate = {name: ELSEWHERE[name] for name in ("id", "contractRef", "status")}
    row |= {"surface": "gui"} if table == "surfaceEvidence" else {}
    number = len(clean()[QA][table])

    assert told(with_row(table, row)) == [(f"{QA}.{table}[{number}].reason", "no-reason")]


def test_scenario_50_a_contract_that_is_left_out_whole_covers_nothing() -> None:
    gate = changed(f"{QA}.contractCoverage", [ELSEWHERE])

    assert told(gate) == [
        (f"{QA}.contractCoverage", "nothing-covered"),
        (f"{QA}.contractCoverage", "criterion-uncovered"),
    ]


def test_scenario_50_no_criterion_is_left_out_whatever_the_reason() -> None:
    gate = patched(ROW, status="not_applicable", reason="it is too hard to show")

    assert told(gate) == [
        (ROW, "criterion-left-out"),
        (f"{QA}.contractCoverage", "criterion-uncovered"),
    ]


def test_scenario_50_surfaces_that_are_left_out_whole_show_nothing() -> None:
    gate = clean()
    for row in gate[QA]["surfaceEvidence"]:
        row |= {"status": "not_applicable", "reason": "nobody looks at it"}
        del row["verdict"]

    assert (f"{QA}.surfaceEvidence", "nothing-covered") in told(gate)


@pytest.mark.parametrize("fields", [{}, {"reason": "nobody would do that"}])
def test_scenario_50_an_adversarial_case_cannot_be_left_out(fields: Gate) -> None:
    gate = patched(CASE, status="not_applicable", **fields)

    assert (f"{CASE}.status", "adversarial-left-out") in told(gate)


@pytest.mark.parametrize("name", ["verdict", "result"])
def test_scenario_50_nor_by_another_word(name: str) -> None:
    assert (f"{CASE}.{name}", "row-not-passed") in told(patched(CASE, **{name: "not_applicable"}))


@pytest.mark.parametrize(
    "table", ["artifactRefs", "contractCoverage", "surfaceEvidence", "adversarialCases"]
)
def test_scenario_51_an_id_that_is_taken(table: str) -> None:
    gate = clean()
    gate[QA][table].append(dict(gate[QA][table][0]))
    number = len(gate[QA][table]) - 1

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{QA}.{table}[{number}].id", "duplicate-id")
    assert said.message == f"'{gate[QA][table][0]['id']}' is taken by another row"


@pytest.mark.parametrize("name", ["", " a", "a b", "-a", "a/b", "é", "a" * 101, None, 7])
def test_an_id_is_a_word(name: object) -> None:
    assert (f"{ROW}.id", "wrong-value") in told(changed(f"{ROW}.id", name))


@pytest.mark.parametrize(
    ("path", "table"),
    [
        (f"{ROW}.surfaceEvidenceRefs", "surfaceEvidence"),
        (f"{ROW}.adversarialCaseRefs", "adversarialCases"),
        (f"{ROW}.artifactRefs", "artifactRefs"),
        (f"{WEB}.artifactRefs", "artifactRefs"),
        (f"{CASE}.artifactRefs", "artifactRefs"),
    ],
)
def test_scenario_51_a_reference_to_nothing(path: str, table: str) -> None:
    gate = clean()
    row, _, field = path.rpartition(".")
    refs = at(gate, row).setdefault(field, [])
    refs.append("nowhere")

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{path}[{len(refs) - 1}]", "unknown-ref")
    assert said.message == f"there is no row 'nowhere' in {table}"


def test_scenario_51_a_row_about_something_else_shows_nothing() -> None:
    gate = changed(f"{ROW}.surfaceEvidenceRefs", ["on-cli"])

    (differs, uncovered) = found(gate)

    assert (differs.path, differs.code) == (f"{ROW}.surfaceEvidenceRefs", "contract-ref-differs")
    assert differs.message == "on-cli is about C2, not C1"
    assert (uncovered.path, uncovered.code) == (ROW, "not-covered")


def test_a_row_about_the_whole_goal_shows_each_of_its_criteria() -> None:
    assert found(changed(f"{WEB}.contractRef", "G001")) == ()


@pytest.mark.parametrize("path", [ROW, WEB, CASE])
@pytest.mark.parametrize("name", ["C9", "c1", "G002", "the plan"])
def test_scenario_51_a_contract_that_is_not_this_one(path: str, name: str) -> None:
    said = [e for e in found(changed(f"{path}.contractRef", name)) if e.path.startswith(path)]

    assert (said[0].path, said[0].code) == (f"{path}.contractRef", "unknown-contract-ref")
    assert said[0].message == f"'{name}' is no part of this contract: C1, C2, C3, G001"


@pytest.mark.parametrize("path", [WEB, CASE])
@pytest.mark.parametrize("good", ["covered", "passed", "verified"])
@pytest.mark.parametrize("bad", ["failed", "todo", "not_applicable"])
def test_scenario_52_one_bad_word_outweighs_a_good_one(path: str, good: str, bad: str) -> None:
    gate = patched(path, status=good, verdict=bad, result=good)

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{path}.verdict", "row-not-passed")
    assert said.message == f"verdict is {bad}, and only covered, passed, verified count"


@pytest.mark.parametrize("name", ["verdict", "result"])
@pytest.mark.parametrize("word", ["failed", "passed"])
def test_scenario_52_what_does_not_apply_has_no_verdict(name: str, word: str) -> None:
    row = {"id": "gui", "contractRef": "C1", "surface": "gui", "status": "not_applicable",
           "reason": "there is no window", name: word}  # fmt: skip

    (said,) = found(with_row("surfaceEvidence", row))

    assert (said.path, said.code) == (f"{QA}.surfaceEvidence[2].{name}", "row-not-passed")
    assert said.message == f"it does not apply, and yet its {name} is {word}"


@pytest.mark.parametrize("path", [WEB, CASE])
@pytest.mark.parametrize("name", ["status", "result"])
def test_any_of_the_words_for_an_outcome_will_do(path: str, name: str) -> None:
    gate = patched(path, **{name: "verified"})
    del at(gate, path)["verdict"]

    assert found(gate) == ()


@pytest.mark.parametrize("word", ["failed", "todo"])
def test_scenario_52_an_obligation_that_is_not_met(word: str) -> None:
    assert told(changed(f"{ROW}.status", word)) == [(f"{ROW}.status", "row-not-passed")]


def test_scenario_52_a_surface_that_does_not_apply_covers_nothing() -> None:
    gate = patched(WEB, status="not_applicable", reason="there is no page")
    del at(gate, WEB)["verdict"]

    assert told(gate) == [(ROW, "not-covered")]


def test_a_row_that_refers_to_nothing_covers_nothing() -> None:
    gate = clean()
    del at(gate, ROW)["surfaceEvidenceRefs"]

    assert told(gate) == [(ROW, "not-covered")]


def test_an_artifact_alone_covers_a_row() -> None:
    gate = patched(ROW, artifactRefs=["shot"])
    del at(gate, ROW)["surfaceEvidenceRefs"]

    assert found(gate) == ()


def test_every_criterion_is_covered() -> None:
    gate = clean()
    del gate[QA]["contractCoverage"][1:]

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{QA}.contractCoverage", "criterion-uncovered")
    assert said.message == "nothing covers C2, C3"


def test_a_row_about_the_goal_covers_all_criteria() -> None:
    gate = clean()
    del gate[QA]["contractCoverage"][1:]
    at(gate, ROW)["contractRef"] = at(gate, WEB)["contractRef"] = "G001"

    assert found(gate) == ()


@pytest.mark.parametrize("surface", ["gui", "web"])
@pytest.mark.parametrize(
    ("kinds", "lacking"),
    [
        (["typed-receipt"], ["browser-automation", "screenshot"]),
        (["file", "test-report"], ["browser-automation", "screenshot"]),
        (["screenshot"], ["browser-automation"]),
        (["browser-automation"], ["screenshot"]),
        (["app-automation", "screenshot"], ["browser-automation"]),
    ],
)
def test_scenario_53_a_page_takes_a_drive_and_a_picture(
    surface: str, kinds: list[str], lacking: list[str]
) -> None:
    diagnostics = found(with_kinds(surface, *kinds))

    given = ", ".join(f"a{n}={kind}" for n, kind in enumerate(kinds))
    assert [each.message for each in diagnostics] == [
        f"{surface} is proved by {kind}; given: {given}; "
        "text and receipts do not prove live surfaces"
        for kind in lacking
    ]
    assert {(each.path, each.code) for each in diagnostics} == {
        (f"{WEB}.artifactRefs", "surface-not-proved")
    }


@pytest.mark.parametrize("kind", ["browser-automation", "screenshot", "command-replay", "file"])
def test_scenario_53_text_in_the_gate_itself_is_no_artifact(kind: str) -> None:
    gate = clean()
    gate[QA]["artifactRefs"].append(
        {"id": "said", "kind": kind, "description": "x", "inlineEvidence": "it worked for me"}
    )

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{QA}.artifactRefs[4]", "inline-only")
    assert said.message.endswith("; here: nothing")


@pytest.mark.parametrize(
    ("surface", "kind"),
    [(surface, kind) for surface in SURFACES for kind in KINDS if surface not in {"gui", "web"}],
)
def test_scenario_57_what_proves_a_surface_and_what_does_not(surface: str, kind: str) -> None:
    (wanted,) = PROVED_BY[surface]

    diagnostics = found(with_kinds(surface, kind))

    if kind in wanted:
        assert diagnostics == ()
        return
    (said,) = diagnostics
    assert (said.path, said.code) == (f"{WEB}.artifactRefs", "surface-not-proved")
    assert said.message.startswith(
        f"{surface} is proved by {' or '.join(wanted)}; given: a0={kind}"
    )


@pytest.mark.parametrize("surface", SURFACES)
def test_scenario_57_no_surface_is_proved_by_nothing(surface: str) -> None:
    codes = {code for _, code in told(with_kinds(surface))}

    assert codes == {"missing", "surface-not-proved"}


@pytest.mark.parametrize("surface", ["", "build pipeline", "Web", "database", "terminal ui"])
def test_scenario_57_a_surface_is_one_of_ten_words(surface: str) -> None:
    assert told(changed(f"{WEB}.surface", surface)) == [(f"{WEB}.surface", "wrong-value")]


@pytest.mark.parametrize("kind", ["empty", "image", "Screenshot", "log", "cli"])
def test_scenario_57_a_kind_is_a_word_of_the_list(kind: str) -> None:
    assert (f"{SHOT}.kind", "wrong-value") in told(changed(f"{SHOT}.kind", kind))


@pytest.mark.parametrize("kind", ["file", "test-report", "screenshot"])
def test_an_artifact_is_given_by_a_path(kind: str) -> None:
    gate = clean()
    receipt = {"type": "criterion", "id": "C1", "status": "passed"}
    gate[QA]["artifactRefs"].append(
        {"id": "x", "kind": kind, "description": "x", "receipt": receipt}
    )

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{QA}.artifactRefs[4]", "artifact-ways")
    assert said.message == f"{kind} is given by path; here: receipt"


def test_an_artifact_is_given_in_one_way() -> None:
    (said,) = found(patched(REPLAY, replay={"kind": "cli-replay"}))

    assert (said.path, said.code) == (REPLAY, "artifact-ways")
    assert said.message == (
        "command-replay is given by path or replay or replayExempt; here: path, replay"
    )


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/passwd", "a/../../x", "~/x", "C:/x", ".git/config", "a/.GIT/x", "", "a\0b"],
)
def test_a_path_stays_in_the_repository(path: str) -> None:
    read = read_gate(changed(f"{SHOT}.path", path), ABOUT)

    assert (f"{SHOT}.path", "wrong-value") in [(d.path, d.code) for d in read.diagnostics]
    assert read.artifacts[1].path == ""  # so that nobody looks there


DIGEST = "d" * 64


@pytest.mark.parametrize(
    ("receipt", "code"),
    [
        ({"type": "criterion", "id": "C1", "status": "passed"}, ""),
        ({"type": "receipt", "id": DIGEST, "status": "verified"}, ""),
        ({"type": "criterion", "id": "C9", "status": "passed"}, "unknown-receipt"),
        ({"type": "criterion", "id": DIGEST, "status": "passed"}, "unknown-receipt"),
        ({"type": "receipt", "id": "C1", "status": "passed"}, "unknown-receipt"),
        ({"type": "receipt", "id": "e" * 64, "status": "passed"}, "unknown-receipt"),
        ({"type": "criterion", "id": "C1", "status": "failed"}, "wrong-value"),
        ({"type": "ci-run", "id": "C1", "status": "passed"}, "wrong-value"),
        ({"id": "C1", "status": "passed"}, "missing"),
    ],
)
def test_a_receipt_is_one_that_goalkeeper_gave(receipt: Gate, code: str) -> None:
    gate = clean()
    gate[QA]["artifactRefs"].append(
        {"id": "r", "kind": "typed-receipt", "description": "x", "receipt": receipt}
    )
    about = ABOUT.replace(receipts=(DIGEST,))

    assert {each for _, each in told(gate, about)} >= ({code} if code else set())
    assert bool(found(gate, about)) is bool(code)


REASON = "it would send letters to all real customers"


def exempt(**fields: object) -> Gate:
    """A gate whose run cannot be repeated, with a capture of a terminal in its place."""
    gate = clean()
    replay = at(gate, REPLAY)
    del replay["path"]
    replay["replayExempt"] = {
        "reasonCode": "unsafe_side_effect",
        "reason": REASON,
        "approvedBy": "the QA lane",
        "fallbackArtifactRefs": ["shot"],
        **fields,
    }
    return gate


WHERE = f"{REPLAY}.replayExempt"


@pytest.mark.parametrize("code", REASON_CODES)
def test_scenario_62_a_run_that_cannot_be_repeated_is_exempt(code: str) -> None:
    assert found(exempt(reasonCode=code)) == ()


@pytest.mark.parametrize("code", ["", "flaky", "UNSAFE_SIDE_EFFECT", None, ["destructive"]])
def test_scenario_62_for_one_of_seven_reasons(code: object) -> None:
    assert told(exempt(reasonCode=code)) == [(f"{WHERE}.reasonCode", "wrong-value")]


@pytest.mark.parametrize(
    "reason",
    ["it is unsafe", "a b c d e", "w" * 60, "four words are toofewfor this" + " " * 40],
)
def test_scenario_62_and_it_takes_some_words_to_say_why(reason: str) -> None:
    assert told(exempt(reason=reason)) == [(f"{WHERE}.reason", "exempt-unreasoned")]


@pytest.mark.parametrize("name", ["reasonCode", "reason", "approvedBy", "fallbackArtifactRefs"])
def test_scenario_62_nothing_of_it_may_be_left_out(name: str) -> None:
    gate = exempt()
    del at(gate, WHERE)[name]

    assert (WHERE, "missing") in told(gate)


@pytest.mark.parametrize("who", ["", " ", None, 1])
def test_scenario_62_somebody_has_verified_it(who: object) -> None:
    assert told(exempt(approvedBy=who)) == [(f"{WHERE}.approvedBy", "wrong-value")]


def test_scenario_62_there_is_something_in_its_place() -> None:
    assert told(exempt(fallbackArtifactRefs=[])) == [
        (f"{WHERE}.fallbackArtifactRefs", "wrong-value")
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("again", ""), ("nowhere", ""), ("x", "file"), ("x", "test-report"),
     ("x", "failure-mode-test"), ("x", "command-replay")],
)  # fmt: skip
def test_scenario_62_which_shows_it_live(name: str, kind: str) -> None:
    gate = exempt(fallbackArtifactRefs=["shot", name])
    if kind:
        gate[QA]["artifactRefs"].append(
            {"id": "x", "kind": kind, "description": "x", "path": "out/x"}
        )

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{WHERE}.fallbackArtifactRefs[1]", "exempt-fallback")
    assert said.message == (
        f"'{name}' is none of screenshot, browser-automation, app-automation, pty-capture"
    )


def test_artifacts_are_named_with_their_place_and_the_surface_they_prove() -> None:
    artifacts = read_gate(clean(), ABOUT).artifacts

    assert [(each.id, each.kind, each.path, each.surface) for each in artifacts] == [
        ("drive", "browser-automation", "out/d.json", "web"),
        ("shot", "screenshot", "out/page.png", "web"),
        ("again", "command-replay", "out/run.json", "cli"),
        ("tries", "failure-mode-test", "out/tries.txt", ""),
    ]
    assert artifacts[0].at == f"{QA}.artifactRefs[0]"


def test_a_record_written_in_place_is_handed_on_as_it_is() -> None:
    record: dict[str, Any] = {"command": ["tool"], "deep": [{"a": [1, None]}]}
    gate = patched(REPLAY, replay=record)
    del at(gate, REPLAY)["path"]

    assert read_gate(gate, ABOUT).artifacts[2] == Artifact(
        REPLAY, "again", "command-replay", replay=record, surface="cli"
    )
