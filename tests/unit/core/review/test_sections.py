"""The sections of a quality gate: which there are, and which words open it."""

from typing import Any

from goalkeeper.core.review.lane import LaneRole, LaneWord
from goalkeeper.core.review.lane_answers import SECTION_OF, list_advisory_findings, read_answer
from goalkeeper.core.review.reading import read_section
from goalkeeper.core.review.shape import SECTIONS
from tests.tables import for_each
from tests.unit.core.review.gates import (
    ABOUT,
    CLEAN,
    Gate,
    changed,
    clean,
    found,
    told,
    without,
)

EVERYWHERE = {
    "architectReview": {
        "architectureStatus": "WATCH",
        "productStatus": "BLOCK",
        "codeStatus": "fine",
        "recommendation": "COMMENT",
        "evidence": " ",
        "commands": [],
        "blockers": ["slow"],
    },
    "executorQa": {
        "status": "failed",
        "e2eStatus": 1,
        "evidence": None,
        "e2eCommands": "make",
        "redTeamCommands": [""],
        "artifactRefs": [],
        "contractCoverage": [],
        "surfaceEvidence": {},
        "blockers": None,
    },
    "codeReview": {},
}


def test_a_clean_gate_is_clean() -> None:
    assert found(clean()) == ()


SECTIONS_AND_FIELDS = [f"{section}.{name}" for section, fields in CLEAN.items() for name in fields]


@for_each("path", SECTIONS_AND_FIELDS)
def test_scenario_45_every_field_of_a_section_is_needed(path: str) -> None:
    section, _, name = path.partition(".")

    diagnostics = found(without(path))

    assert [each for each in diagnostics if name in str(each)], diagnostics
    assert {each.path.partition(".")[0] for each in diagnostics} == {section}


COMMANDS = [path for path in SECTIONS_AND_FIELDS if path.lower().endswith("commands")]
EVIDENCE = [path for path in SECTIONS_AND_FIELDS if path.endswith(".evidence")]
BLOCKERS = [path for path in SECTIONS_AND_FIELDS if path.endswith(".blockers")]


@for_each("path", COMMANDS)
@for_each("value", [[], [""], [" \t"], "make test", [["make"]], None])
def test_scenario_45_commands_are_texts_and_there_is_one(path: str, value: object) -> None:
    (said,) = found(changed(path, value))

    assert (said.path.partition("[")[0], said.code) == (path, "wrong-value")


@for_each("path", EVIDENCE)
@for_each("value", ["", " \n", "\u200b", None, 7, ["seen"]])
def test_scenario_45_evidence_says_something(path: str, value: object) -> None:
    assert told(changed(path, value)) == [(path, "wrong-value")]


@for_each("path", BLOCKERS)
@for_each(
    ("value", "said"),
    [
        (["it is slow"], "1 blocker(s) stand: it is slow"),
        ([{"title": "slow", "where": 3}], '1 blocker(s) stand: {"title": "slow", "where": 3}'),
        ([None, "", []], "3 blocker(s) stand: null; ; []"),
        ([str(number) for number in range(7)], "7 blocker(s) stand: 0; 1; 2; 3; 4"),
    ],
)
def test_scenario_45_a_blocker_of_any_shape_stands(path: str, value: Any, said: str) -> None:  # noqa: ANN401
    (diagnostic,) = found(changed(path, value))

    assert (diagnostic.path, diagnostic.code) == (path, "blockers-stand")
    assert diagnostic.message == said
    assert diagnostic.mend == "goalkeeper record-review-blockers"


@for_each("path", BLOCKERS)
@for_each("value", ["none", {}, 0, False, None])
def test_scenario_45_blockers_that_are_no_list_are_not_none(path: str, value: object) -> None:
    assert told(changed(path, value)) == [(path, "wrong-value")]


@for_each("name", ["architectureStatus", "productStatus", "codeStatus"])
@for_each("word", ["WATCH", "BLOCK"])
def test_scenario_45_an_architect_who_is_not_clear_closes_it(name: str, word: str) -> None:
    (said,) = found(changed(f"architectReview.{name}", word))

    assert (said.path, said.code) == (f"architectReview.{name}", "architect-not-clear")
    assert said.message == f"it is {word}, and only CLEAR opens the gate"


@for_each("word", ["COMMENT", "REQUEST CHANGES"])
def test_scenario_45_a_recommendation_that_does_not_approve_closes_it(word: str) -> None:
    (said,) = found(changed("architectReview.recommendation", word))

    assert said.code == "architect-not-clear"
    assert said.message == f"it is {word}, and only APPROVE opens the gate"


@for_each(
    ("path", "word"),
    [
        ("architectReview.codeStatus", "clear"),
        ("architectReview.codeStatus", "CLEAR "),
        ("architectReview.recommendation", "APPROVED"),
        ("executorQa.status", "PASSED"),
        ("executorQa.e2eStatus", "ok"),
        ("iteration.status", ""),
    ],
)
def test_scenario_45_a_word_that_is_nearly_right_is_wrong(path: str, word: str) -> None:
    assert told(changed(path, word)) == [(path, "wrong-value")]


@for_each(
    "path",
    ["executorQa.status", "executorQa.e2eStatus", "executorQa.redTeamStatus", "iteration.status"],
)
def test_scenario_45_what_failed_closes_it(path: str) -> None:
    assert told(changed(path, "failed")) == [(path, "not-passed")]


@for_each(
    ("value", "code"),
    [(False, "no-full-rerun"), ("true", "wrong-value"), (1, "wrong-value")],
)
def test_scenario_45_the_whole_verification_is_run_again(value: object, code: str) -> None:
    assert told(changed("iteration.fullRerun", value)) == [("iteration.fullRerun", code)]


def test_scenario_46_a_gate_broken_everywhere_says_all_of_it_at_once() -> None:
    diagnostics = found(EVERYWHERE)

    assert len(diagnostics) > 10
    assert all(each.path and each.code and each.message and each.mend for each in diagnostics)
    assert {(each.path, each.code) for each in diagnostics} >= {
        ("$", "unknown-key"),
        ("iteration", "missing-section"),
        ("architectReview.architectureStatus", "architect-not-clear"),
        ("architectReview.productStatus", "architect-not-clear"),
        ("architectReview.codeStatus", "wrong-value"),
        ("architectReview.recommendation", "architect-not-clear"),
        ("architectReview.evidence", "wrong-value"),
        ("architectReview.commands", "wrong-value"),
        ("architectReview.blockers", "blockers-stand"),
        ("executorQa.status", "not-passed"),
        ("executorQa.e2eStatus", "wrong-value"),
        ("executorQa", "missing"),
        ("executorQa.e2eCommands", "wrong-value"),
        ("executorQa.redTeamCommands[0]", "wrong-value"),
        ("executorQa.artifactRefs", "wrong-value"),
        ("executorQa.contractCoverage", "criterion-uncovered"),
        ("executorQa.surfaceEvidence", "wrong-value"),
        ("executorQa.blockers", "wrong-value"),
    }


def test_a_document_of_a_million_problems_tells_the_first_thousand() -> None:
    diagnostics = found(changed("executorQa.contractCoverage", [{}] * 5000))

    assert len(diagnostics) == 1001
    assert diagnostics[-1].code == "too-many"
    assert "more than 1000 problems" in diagnostics[-1].message


def test_a_very_long_word_is_told_in_short() -> None:
    gate = changed("executorQa.contractCoverage[0].id", "é" * 1_000_000)
    gate["k" * 1_000_000] = 1

    assert all(len(each.path + each.message) < 2000 for each in found(gate))


@for_each(
    "name", ["codeReview", "deferredToBatch", "validationBatchClose", "criticReview", "x", ""]
)
def test_scenario_47_a_key_that_a_gate_does_not_have_is_an_error(name: str) -> None:
    (said,) = found(clean() | {name: {}})

    assert (said.path, said.code) == ("$", "unknown-key")
    assert f"unknown field '{name}'" in said.message


@for_each(
    "path",
    [
        "architectReview.note",
        "executorQa.note",
        "iteration.reviewCohort",
        "executorQa.artifactRefs[0].note",
        "executorQa.surfaceEvidence[0].note",
        "executorQa.adversarialCases[0].note",
        "executorQa.contractCoverage[0].note",
    ],
)
def test_scenario_47_nor_is_there_one_deeper_down(path: str) -> None:
    assert told(changed(path, "x")) == [(path.rpartition(".")[0], "unknown-key")]


@for_each("name", list(SECTIONS))
@for_each("value", [None, [], "passed", 1])
def test_scenario_48_a_section_that_is_no_section_is_named(name: str, value: object) -> None:
    diagnostics = found(clean() | {name: value})

    assert (name, "wrong-value") in {(each.path, each.code) for each in diagnostics}


@for_each("name", list(SECTIONS))
def test_scenario_48_a_missing_section_is_named(name: str) -> None:
    (said,) = found(without(name))

    assert (said.path, said.code) == (name, "missing-section")
    assert said.message == f"{name} is missing, and no lane that goalkeeper ran has given it"


@for_each("name", list(SECTIONS))
def test_a_section_that_our_own_lane_gave_may_be_left_out(name: str) -> None:
    about = ABOUT.replace(reported=frozenset({name}))

    assert found(without(name), about) == ()


@for_each("name", list(SECTIONS))
def test_a_section_that_our_own_lane_gave_may_still_be_spoilt_by_hand(name: str) -> None:
    about = ABOUT.replace(reported=frozenset(SECTIONS))

    assert found(clean() | {name: {}}, about)


MATRIX = ["artifactRefs", "contractCoverage", "surfaceEvidence", "adversarialCases"]


@for_each("name", MATRIX)
def test_scenario_48_an_empty_table_of_the_matrix_is_named(name: str) -> None:
    assert (f"executorQa.{name}", "wrong-value") in told(changed(f"executorQa.{name}", []))


@for_each("name", MATRIX)
def test_scenario_48_a_missing_table_of_the_matrix_is_named(name: str) -> None:
    said = [each for each in found(without(f"executorQa.{name}")) if each.code == "missing"]

    assert [(each.path, each.message) for each in said] == [("executorQa", f"{name} is missing")]


@for_each("document", [None, [], "architectReview", 0, True, [CLEAN]])
def test_what_is_no_document_is_told_as_such(document: object) -> None:
    said = told(document)

    assert said[0] == ("$", "wrong-value")
    assert {path for path, _ in said} == {"$", *SECTIONS}


@for_each("role", list(SECTION_OF))
def test_a_lane_answers_with_its_section_alone(role: LaneRole) -> None:
    name = SECTION_OF[role]

    assert read_section(name, CLEAN[name], ABOUT).diagnostics == ()
    assert read_answer(role, CLEAN[name], ABOUT).word is LaneWord.CLEAR
    assert read_answer(role, CLEAN, ABOUT).word is LaneWord.UNUSABLE
    assert read_answer(role, {}, ABOUT).word is LaneWord.UNUSABLE


def test_a_lane_that_objects_is_heard() -> None:
    gate = changed("architectReview.codeStatus", "WATCH")

    answer = read_answer(LaneRole.ARCHITECT, gate["architectReview"], ABOUT)

    assert answer.word is LaneWord.OBJECTS
    assert answer.objections == (
        "architectReview.codeStatus: it is WATCH, and only CLEAR opens the gate",
    )


def test_a_lane_that_objects_in_words_nobody_can_read_is_unusable() -> None:
    gate = changed("architectReview.codeStatus", "WATCH")
    gate["architectReview"]["commands"] = []

    assert read_answer(LaneRole.ARCHITECT, gate["architectReview"], ABOUT).word is LaneWord.UNUSABLE


FINDING: Gate = {
    "category": "dead-code",
    "level": "advisory",
    "path": "src/a.py",
    "line": 3,
    "message": "nobody calls it",
}


@for_each(
    ("changes", "word"),
    [
        ({}, LaneWord.CLEAR),
        ({"level": "blocking"}, LaneWord.OBJECTS),
        ({"level": "blocking", "category": "grounded-fallback"}, LaneWord.UNUSABLE),
        ({"category": "grounded-fallback"}, LaneWord.CLEAR),
        ({"level": "blocker"}, LaneWord.UNUSABLE),
        ({"category": "ugly"}, LaneWord.UNUSABLE),
        ({"line": -1}, LaneWord.UNUSABLE),
        ({"why": "x"}, LaneWord.UNUSABLE),
    ],
)
def test_a_cleaner_blocks_by_what_it_finds(changes: Gate, word: LaneWord) -> None:
    raw = {"findings": [FINDING | changes], "evidence": "read the change"}

    assert read_answer(LaneRole.CLEANER, raw, ABOUT).word is word


def test_findings_that_block_nothing_are_for_the_report() -> None:
    raw = {"findings": [FINDING, FINDING | {"level": "blocking"}], "evidence": "read it"}

    assert list_advisory_findings(LaneRole.CLEANER, raw) == (
        "dead-code in src/a.py:3: nobody calls it",
    )
    assert list_advisory_findings(LaneRole.ARCHITECT, raw) == ()


@for_each(
    ("raw", "word"),
    [
        ({"verdict": "OKAY", "evidence": "read", "blockers": []}, LaneWord.CLEAR),
        ({"verdict": "REJECT", "evidence": "read", "blockers": []}, LaneWord.OBJECTS),
        ({"verdict": "OKAY", "evidence": "read", "blockers": [{"a": 1}]}, LaneWord.OBJECTS),
        ({"verdict": "okay", "evidence": "read", "blockers": []}, LaneWord.UNUSABLE),
        ({"verdict": "OKAY", "evidence": "", "blockers": []}, LaneWord.UNUSABLE),
        ({"verdict": "OKAY", "evidence": "read"}, LaneWord.UNUSABLE),
    ],
)
def test_a_critic_says_okay_or_not(raw: Gate, word: LaneWord) -> None:
    assert read_answer(LaneRole.CRITIC, raw, ABOUT).word is word
