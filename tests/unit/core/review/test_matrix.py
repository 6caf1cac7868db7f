"""The matrix of a quality gate: rows that refer to each other and to the contract."""

from tests.tables import for_each
from tests.unit.core.review.gates import (
    CASE,
    QA,
    ROW,
    WEB,
    Gate,
    at,
    changed,
    clean,
    found,
    patched,
    told,
)  # fmt: skip

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


@for_each("reason", [None, "", "  "])
@for_each("table", ["contractCoverage", "surfaceEvidence"])
def test_scenario_50_a_row_that_does_not_apply_says_why(table: str, reason: str | None) -> None:
    row = {**ELSEWHERE, "reason": reason}
    if table == "surfaceEvidence":
        row = {**row, "surface": "gui"}
        del row["obligation"]
    number = len(clean()[QA][table])

    diagnostics = found(with_row(table, row))

    assert {each.path for each in diagnostics} == {f"{QA}.{table}[{number}].reason"}


@for_each("table", ["contractCoverage", "surfaceEvidence"])
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


@for_each("fields", [{}, {"reason": "nobody would do that"}])
def test_scenario_50_an_adversarial_case_cannot_be_left_out(fields: Gate) -> None:
    gate = patched(CASE, status="not_applicable", **fields)

    assert (f"{CASE}.status", "adversarial-left-out") in told(gate)


@for_each("name", ["verdict", "result"])
def test_scenario_50_nor_by_another_word(name: str) -> None:
    assert (f"{CASE}.{name}", "row-not-passed") in told(patched(CASE, **{name: "not_applicable"}))


@for_each("table", ["artifactRefs", "contractCoverage", "surfaceEvidence", "adversarialCases"])
def test_scenario_51_an_id_that_is_taken(table: str) -> None:
    gate = clean()
    gate[QA][table].append(dict(gate[QA][table][0]))
    number = len(gate[QA][table]) - 1

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{QA}.{table}[{number}].id", "duplicate-id")
    assert said.message == f"'{gate[QA][table][0]['id']}' is taken by another row"


@for_each("name", ["", " a", "a b", "-a", "a/b", "é", "a" * 101, None, 7])
def test_an_id_is_a_word(name: object) -> None:
    assert (f"{ROW}.id", "wrong-value") in told(changed(f"{ROW}.id", name))


@for_each(
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


@for_each("path", [ROW, WEB, CASE])
@for_each("name", ["C9", "c1", "G002", "the plan"])
def test_scenario_51_a_contract_that_is_not_this_one(path: str, name: str) -> None:
    said = [e for e in found(changed(f"{path}.contractRef", name)) if e.path.startswith(path)]

    assert (said[0].path, said[0].code) == (f"{path}.contractRef", "unknown-contract-ref")
    assert said[0].message == f"'{name}' is no part of this contract: C1, C2, C3, G001"


@for_each("path", [WEB, CASE])
@for_each("good", ["covered", "passed", "verified"])
@for_each("bad", ["failed", "todo", "not_applicable"])
def test_scenario_52_one_bad_word_outweighs_a_good_one(path: str, good: str, bad: str) -> None:
    gate = patched(path, status=good, verdict=bad, result=good)

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{path}.verdict", "row-not-passed")
    assert said.message == f"verdict is {bad}, and only covered, passed, verified count"


@for_each("name", ["verdict", "result"])
@for_each("word", ["failed", "passed"])
def test_scenario_52_what_does_not_apply_has_no_verdict(name: str, word: str) -> None:
    row = {"id": "gui", "contractRef": "C1", "surface": "gui", "status": "not_applicable",
           "reason": "there is no window", name: word}  # fmt: skip

    (said,) = found(with_row("surfaceEvidence", row))

    assert (said.path, said.code) == (f"{QA}.surfaceEvidence[2].{name}", "row-not-passed")
    assert said.message == f"it does not apply, and yet its {name} is {word}"


@for_each("path", [WEB, CASE])
@for_each("name", ["status", "result"])
def test_any_of_the_words_for_an_outcome_will_do(path: str, name: str) -> None:
    gate = patched(path, **{name: "verified"})
    del at(gate, path)["verdict"]

    assert found(gate) == ()


@for_each("word", ["failed", "todo"])
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
