"""What a lane answers comes to one word: clear, objects, or unusable."""

from goalkeeper.core.drive.lane import Role, Word
from goalkeeper.core.review.lane_answers import ANSWERS, TAXONOMY, advisory, read_answer, schema
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
CLEAN = {Role.CLEANER: CLEANER, Role.ARCHITECT: ARCHITECT, Role.QA: QA, Role.CRITIC: CRITIC}


def word(role: Role, answer: Answer) -> Word:
    return read_answer(role, answer, ABOUT).word


def codes(role: Role, answer: Answer) -> set[str]:
    return {found.code for found in read_answer(role, answer, ABOUT).diagnostics}


@for_each("role", Role)
def test_an_answer_without_a_word_against_the_work_is_clear(role: Role) -> None:
    read = read_answer(role, CLEAN[role], ABOUT)

    assert (read.word, read.objections) == (Word.CLEAR, ())
    assert [each.id for each in read.artifacts] == (["shown", "tried"] if role is Role.QA else [])


@for_each(
    ("role", "path", "value"),
    [
        (Role.CLEANER, "findings", [finding("blocking")]),
        (Role.CLEANER, "findings", [finding("advisory"), finding("blocking", "duplication")]),
        (Role.ARCHITECT, "architectureStatus", "WATCH"),
        (Role.ARCHITECT, "productStatus", "BLOCK"),
        (Role.ARCHITECT, "codeStatus", "WATCH"),
        (Role.ARCHITECT, "recommendation", "COMMENT"),
        (Role.ARCHITECT, "recommendation", "REQUEST CHANGES"),
        (Role.ARCHITECT, "blockers", ["a.py:3 is never called"]),
        (Role.ARCHITECT, "blockers", [{"file": "a.py", "line": 3}]),
        (Role.QA, "status", "failed"),
        (Role.QA, "e2eStatus", "failed"),
        (Role.QA, "redTeamStatus", "failed"),
        (Role.QA, "blockers", ["it crashes on empty input"]),
        (Role.QA, "adversarialCases.0.verdict", "failed"),
        (Role.QA, "surfaceEvidence.0.verdict", "failed"),
        (Role.QA, "contractCoverage.0.status", "failed"),
        (Role.CRITIC, "verdict", "REJECT"),
        (Role.CRITIC, "blockers", [{"what": "half of it"}]),
    ],
)
def test_what_speaks_against_the_work_is_an_objection(role: Role, path: str, value: object) -> None:
    read = read_answer(role, spoiled(CLEAN[role], path, value), ABOUT)

    assert read.word is Word.OBJECTS
    assert read.objections


@for_each("role", Role)
def test_every_field_of_an_answer_is_needed_and_no_other_is_known(role: Role) -> None:
    for name, field in ANSWERS[role].fields.items():
        if field.required:
            assert word(role, spoiled(CLEAN[role], name, None)) is Word.UNUSABLE, name
    assert codes(role, {**CLEAN[role], "approved": True}) == {"unknown-key"}
    assert word(role, {}) is Word.UNUSABLE


@for_each(
    ("role", "path", "value", "code"),
    [
        (Role.CLEANER, "findings", [finding("fatal")], "wrong-value"),
        (Role.CLEANER, "findings", [finding("blocking", "ugly")], "wrong-value"),
        (Role.CLEANER, "findings", [finding("blocking", line=-1)], "wrong-value"),
        (Role.CLEANER, "findings", "none", "wrong-value"),
        (Role.CLEANER, "evidence", " ", "wrong-value"),
        (Role.ARCHITECT, "codeStatus", "clear", "wrong-value"),
        (Role.ARCHITECT, "recommendation", "LGTM", "wrong-value"),
        (Role.ARCHITECT, "commands", [], "wrong-value"),
        (Role.ARCHITECT, "blockers", "none", "wrong-value"),
        (Role.CRITIC, "verdict", "okay", "wrong-value"),
        (Role.QA, "status", "ok", "wrong-value"),
        (Role.QA, "surfaceEvidence.0.surface", "backend", "wrong-value"),
        (Role.QA, "artifactRefs.0.kind", "story", "wrong-value"),
        (Role.QA, "artifactRefs.0.path", "/etc/passwd", "wrong-value"),
        (Role.QA, "artifactRefs.0.path", "../secret", "wrong-value"),
        (Role.QA, "artifactRefs.1.id", "shown", "duplicate-id"),
        (Role.QA, "contractCoverage.0.contractRef", "the spec", "unknown-contract-ref"),
        (Role.QA, "contractCoverage.0.adversarialCaseRefs", ["nobody"], "unknown-ref"),
        (Role.QA, "adversarialCases.0.verdict", None, "missing"),
    ],
)
def test_an_answer_that_cannot_be_read_is_unusable(
    role: Role, path: str, value: object, code: str
) -> None:
    answer = spoiled(CLEAN[role], path, value)

    assert word(role, answer) is Word.UNUSABLE
    assert code in codes(role, answer)


def test_an_answer_that_objects_and_cannot_be_read_is_unusable() -> None:
    assert word(Role.CRITIC, {**CRITIC, "verdict": "REJECT", "mood": "bad"}) is Word.UNUSABLE


def test_every_criterion_is_covered_or_the_answer_is_of_no_use() -> None:
    two = ABOUT.replace(criteria=("C1", "C2"))

    read = read_answer(Role.QA, QA, two)

    assert (read.word, [each.code for each in read.diagnostics]) == (
        Word.UNUSABLE,
        ["criterion-uncovered"],
    )
    whole = qa(QA["artifactRefs"][0]["replay"], QA["artifactRefs"][1]["replay"], "G001")
    assert read_answer(Role.QA, whole, two).word is Word.CLEAR


# The cleaner's words


@for_each("category", [each for each in TAXONOMY if each != "grounded-fallback"])
def test_every_category_can_block(category: str) -> None:
    assert word(Role.CLEANER, {**CLEANER, "findings": [finding("blocking", category)]}) is (
        Word.OBJECTS
    )


def test_a_grounded_fallback_cannot_block() -> None:
    blocks = {**CLEANER, "findings": [finding("blocking", "grounded-fallback")]}
    advises = {**CLEANER, "findings": [finding("advisory", "grounded-fallback")]}

    assert word(Role.CLEANER, blocks) is Word.UNUSABLE
    assert word(Role.CLEANER, advises) is Word.CLEAR


def test_what_blocks_nothing_is_told_all_the_same() -> None:
    answer = {**CLEANER, "findings": [finding("advisory"), finding("blocking")]}

    assert advisory(Role.CLEANER, answer) == ("dead-code in product.txt:1: nobody needs it",)
    assert advisory(Role.ARCHITECT, ARCHITECT) == ()


def test_an_objection_names_the_place_and_the_reason() -> None:
    answer = {**CLEANER, "findings": [finding("blocking")]}

    assert read_answer(Role.CLEANER, answer, ABOUT).objections == (
        "cleaner.findings[0]: dead-code in product.txt:1: nobody needs it",
    )


def test_objections_are_bounded() -> None:
    many = [finding("blocking", message="x" * 5000) for _ in range(100)]

    objections = read_answer(Role.CLEANER, {**CLEANER, "findings": many}, ABOUT).objections

    assert len(objections) == 20
    assert max(map(len, objections)) == 400


@for_each("role", Role)
def test_the_published_schema_takes_what_is_clear_and_nothing_unknown(role: Role) -> None:
    assert fits(CLEAN[role], schema(role))
    assert not fits({**CLEAN[role], "approved": True}, schema(role))
    assert not fits({}, schema(role))
