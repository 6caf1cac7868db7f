"""What a lane answers comes to one word: clear, objects, or unusable."""

from goalkeeper.core.review.lane import LaneRole, LaneWord
from goalkeeper.core.review.lane_answers import (
    ANSWERS,
    TAXONOMY,
    json_schema,
    list_advisory_findings,
    read_answer,
)
from goalkeeper.core.review.words import About
from tests.tables import for_each
from tests.unit.core.lane_answers import (
    ARCHITECT,
    CLEANER,
    CRITIC,
    Answer,
    finding,
    qa,
    replay,
    spoiled,
)
from tests.unit.core.schemas import fits

ABOUT = About("G001", ("C1",))
QA = qa(replay("sh", "show.sh", prints="fixed\n"), replay("sh", "show.sh", "x", prints="fixed\n"))
CLEAN = {
    LaneRole.CLEANER: CLEANER,
    LaneRole.ARCHITECT: ARCHITECT,
    LaneRole.QA: QA,
    LaneRole.CRITIC: CRITIC,
}


def word(role: LaneRole, answer: Answer) -> LaneWord:
    return read_answer(role, answer, ABOUT).word


def codes(role: LaneRole, answer: Answer) -> set[str]:
    return {found.code for found in read_answer(role, answer, ABOUT).diagnostics}


@for_each("role", LaneRole)
def test_an_answer_without_a_word_against_the_work_is_clear(role: LaneRole) -> None:
    read = read_answer(role, CLEAN[role], ABOUT)

    assert (read.word, read.objections) == (LaneWord.CLEAR, ())
    assert [each.id for each in read.artifacts] == (
        ["shown", "tried"] if role is LaneRole.QA else []
    )


@for_each(
    ("role", "path", "value"),
    [
        (LaneRole.CLEANER, "findings", [finding("blocking")]),
        (LaneRole.CLEANER, "findings", [finding("advisory"), finding("blocking", "duplication")]),
        (LaneRole.ARCHITECT, "architectureStatus", "WATCH"),
        (LaneRole.ARCHITECT, "productStatus", "BLOCK"),
        (LaneRole.ARCHITECT, "codeStatus", "WATCH"),
        (LaneRole.ARCHITECT, "recommendation", "COMMENT"),
        (LaneRole.ARCHITECT, "recommendation", "REQUEST CHANGES"),
        (LaneRole.ARCHITECT, "blockers", ["a.py:3 is never called"]),
        (LaneRole.ARCHITECT, "blockers", [{"file": "a.py", "line": 3}]),
        (LaneRole.QA, "status", "failed"),
        (LaneRole.QA, "e2eStatus", "failed"),
        (LaneRole.QA, "redTeamStatus", "failed"),
        (LaneRole.QA, "blockers", ["it crashes on empty input"]),
        (LaneRole.QA, "adversarialCases.0.verdict", "failed"),
        (LaneRole.QA, "surfaceEvidence.0.verdict", "failed"),
        (LaneRole.QA, "contractCoverage.0.status", "failed"),
        (LaneRole.CRITIC, "verdict", "REJECT"),
        (LaneRole.CRITIC, "blockers", [{"what": "half of it"}]),
    ],
)
def test_what_speaks_against_the_work_is_an_objection(
    role: LaneRole, path: str, value: object
) -> None:
    read = read_answer(role, spoiled(CLEAN[role], path, value), ABOUT)

    assert read.word is LaneWord.OBJECTS
    assert read.objections


@for_each("role", LaneRole)
def test_every_field_of_an_answer_is_needed_and_no_other_is_known(role: LaneRole) -> None:
    for name, field in ANSWERS[role].fields.items():
        if field.required:
            assert word(role, spoiled(CLEAN[role], name, None)) is LaneWord.UNUSABLE, name
    assert codes(role, {**CLEAN[role], "approved": True}) == {"unknown-key"}
    assert word(role, {}) is LaneWord.UNUSABLE


@for_each(
    ("role", "path", "value", "code"),
    [
        (LaneRole.CLEANER, "findings", [finding("fatal")], "wrong-value"),
        (LaneRole.CLEANER, "findings", [finding("blocking", "ugly")], "wrong-value"),
        (LaneRole.CLEANER, "findings", [finding("blocking", line=-1)], "wrong-value"),
        (LaneRole.CLEANER, "findings", "none", "wrong-value"),
        (LaneRole.CLEANER, "evidence", " ", "wrong-value"),
        (LaneRole.ARCHITECT, "codeStatus", "clear", "wrong-value"),
        (LaneRole.ARCHITECT, "recommendation", "LGTM", "wrong-value"),
        (LaneRole.ARCHITECT, "commands", [], "wrong-value"),
        (LaneRole.ARCHITECT, "blockers", "none", "wrong-value"),
        (LaneRole.CRITIC, "verdict", "okay", "wrong-value"),
        (LaneRole.QA, "status", "ok", "wrong-value"),
        (LaneRole.QA, "surfaceEvidence.0.surface", "backend", "wrong-value"),
        (LaneRole.QA, "artifactRefs.0.kind", "story", "wrong-value"),
        (LaneRole.QA, "artifactRefs.0.path", "/etc/passwd", "wrong-value"),
        (LaneRole.QA, "artifactRefs.0.path", "../secret", "wrong-value"),
        (LaneRole.QA, "artifactRefs.1.id", "shown", "duplicate-id"),
        (LaneRole.QA, "contractCoverage.0.contractRef", "the spec", "unknown-contract-ref"),
        (LaneRole.QA, "contractCoverage.0.adversarialCaseRefs", ["nobody"], "unknown-ref"),
        (LaneRole.QA, "adversarialCases.0.verdict", None, "missing"),
    ],
)
def test_an_answer_that_cannot_be_read_is_unusable(
    role: LaneRole, path: str, value: object, code: str
) -> None:
    answer = spoiled(CLEAN[role], path, value)

    assert word(role, answer) is LaneWord.UNUSABLE
    assert code in codes(role, answer)


def test_an_answer_that_objects_and_cannot_be_read_is_unusable() -> None:
    assert (
        word(LaneRole.CRITIC, {**CRITIC, "verdict": "REJECT", "mood": "bad"}) is LaneWord.UNUSABLE
    )


def test_every_criterion_is_covered_or_the_answer_is_of_no_use() -> None:
    two = ABOUT.replace(criteria=("C1", "C2"))

    read = read_answer(LaneRole.QA, QA, two)

    assert (read.word, [each.code for each in read.diagnostics]) == (
        LaneWord.UNUSABLE,
        ["criterion-uncovered"],
    )
    whole = qa(QA["artifactRefs"][0]["replay"], QA["artifactRefs"][1]["replay"], "G001")
    assert read_answer(LaneRole.QA, whole, two).word is LaneWord.CLEAR


# The cleaner's words


@for_each("category", [each for each in TAXONOMY if each != "grounded-fallback"])
def test_every_category_can_block(category: str) -> None:
    assert word(LaneRole.CLEANER, {**CLEANER, "findings": [finding("blocking", category)]}) is (
        LaneWord.OBJECTS
    )


def test_a_grounded_fallback_cannot_block() -> None:
    blocks = {**CLEANER, "findings": [finding("blocking", "grounded-fallback")]}
    advises = {**CLEANER, "findings": [finding("advisory", "grounded-fallback")]}

    assert word(LaneRole.CLEANER, blocks) is LaneWord.UNUSABLE
    assert word(LaneRole.CLEANER, advises) is LaneWord.CLEAR


def test_what_blocks_nothing_is_told_all_the_same() -> None:
    answer = {**CLEANER, "findings": [finding("advisory"), finding("blocking")]}

    assert list_advisory_findings(LaneRole.CLEANER, answer) == (
        "dead-code in product.txt:1: nobody needs it",
    )
    assert list_advisory_findings(LaneRole.ARCHITECT, ARCHITECT) == ()


def test_an_objection_names_the_place_and_the_reason() -> None:
    answer = {**CLEANER, "findings": [finding("blocking")]}

    assert read_answer(LaneRole.CLEANER, answer, ABOUT).objections == (
        "cleaner.findings[0]: dead-code in product.txt:1: nobody needs it",
    )


def test_objections_are_bounded() -> None:
    many = [finding("blocking", message="x" * 5000) for _ in range(100)]

    objections = read_answer(LaneRole.CLEANER, {**CLEANER, "findings": many}, ABOUT).objections

    assert len(objections) == 20
    assert max(map(len, objections)) == 400


@for_each("role", LaneRole)
def test_the_published_schema_takes_what_is_clear_and_nothing_unknown(role: LaneRole) -> None:
    assert fits(CLEAN[role], json_schema(role))
    assert not fits({**CLEAN[role], "approved": True}, json_schema(role))
    assert not fits({}, json_schema(role))
