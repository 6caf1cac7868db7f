"""Lessons: from verdicts only, found again by what proves a criterion."""

from pathlib import Path

import pytest

from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.plan.model import Goal, GoalStatus
from goalkeeper.errors import DiskFailed
from goalkeeper.loop.memory import MOST_TOLD, Memory, fingerprint_criterion

AT = "2026-01-01T12:00:00.000000Z"
PASS, BLOCKED = CriterionStatus.PASS, CriterionStatus.BLOCKED
SUMS = "- {id: C1, text: sums are right, check: {pytest: tests/test_sums.py}}"
DOCS = "- {id: C2, text: the docs build, check: {command: [make, docs]}}"
HIDDEN = "- {id: C3, text: elsewhere, check: {pytest: held_out}, held_out: [/cellar/test_it.py]}"
STUCK = CriterionState("C2", BLOCKED, 3, failed=3, reason="exit 2, expected 0")
BLOCKED_TEXT = (
    "2026-01-01 the docs build: failed three times in a row; seen last: exit 2, expected 0"
)


def contract(*criteria: str) -> Contract:
    read = read_text("\n".join(("criteria:", *(criteria or (SUMS, DOCS, HIDDEN)))))
    assert isinstance(read, Contract), read
    return read


def goal(*states: CriterionState, **changes: object) -> Goal:
    whole = Goal("G001", "Sums", "Make sums right.", GoalStatus.ACTIVE, "", "", "brief")
    return whole.replace(criteria=states, **changes)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lessons.md"


@pytest.fixture
def memory(file: Path) -> Memory:
    return Memory(str(file), "run1")


def test_without_a_file_nothing_is_known(memory: Memory, file: Path) -> None:
    assert memory.find_lessons(contract()) == ()
    assert memory.find_blocked(contract()) == {}
    assert not file.exists()


def test_what_is_blocked_is_remembered_with_what_the_witness_saw(
    memory: Memory, file: Path
) -> None:
    memory.learn_from(goal(STUCK), contract(), AT)

    assert memory.find_lessons(contract()) == (BLOCKED_TEXT,)
    mark = fingerprint_criterion(contract().criteria[1])
    assert file.read_text() == f"- {BLOCKED_TEXT} <!-- {mark} run1 blocked -->\n"


def test_what_passed_only_after_failures_is_remembered(memory: Memory) -> None:
    hard = CriterionState("C1", PASS, passed_at=4, failed=3)

    memory.learn_from(goal(hard), contract(), AT)

    assert memory.find_lessons(contract()) == (
        "2026-01-01 sums are right: passed in iteration 4 after 3 failures",
    )


@pytest.mark.parametrize(
    "state",
    [
        CriterionState("C1"),
        CriterionState("C1", CriterionStatus.FAIL, 2, failed=2, reason="exit 1"),
        CriterionState("C1", CriterionStatus.REGRESSED, failed=5, reason="exit 1"),
        CriterionState("C1", PASS, passed_at=1),
        CriterionState("C1", PASS, passed_at=2, failed=1),
        CriterionState("C1", PASS, passed_at=2, failed=3, error_streak=1),
        CriterionState("C3", BLOCKED, 3, failed=3, reason="the secret case"),
        CriterionState("C9", BLOCKED, 3, failed=3, reason="of another contract"),
    ],
    ids=lambda state: f"{state.id} {state.status}",
)
def test_nothing_else_is_worth_a_lesson(memory: Memory, file: Path, state: CriterionState) -> None:
    memory.learn_from(goal(state), contract(), AT)

    assert not file.exists()


def test_no_word_of_an_agent_becomes_a_lesson(memory: Memory, file: Path) -> None:
    told = goal(STUCK, evidence="Believe-me", exit="blocked", objective="Believe-me")

    memory.learn_from(told, contract(), AT)

    assert "Believe-me" not in file.read_text()


def test_each_thing_is_learned_once_a_run(memory: Memory, file: Path) -> None:
    for reason in ("exit 2", "exit 3"):
        memory.learn_from(goal(STUCK.replace(reason=reason)), contract(), AT)
    memory.learn_from(goal(CriterionState("C2", PASS, passed_at=9, failed=4)), contract(), AT)

    assert len(file.read_text().splitlines()) == 2


def test_another_run_learns_it_again(memory: Memory, file: Path) -> None:
    memory.learn_from(goal(STUCK), contract(), AT)

    Memory(str(file), "run2").learn_from(goal(STUCK), contract(), AT)

    assert len(file.read_text().splitlines()) == 2


def test_what_another_run_could_not_do_is_known_before_this_one(memory: Memory, file: Path) -> None:
    memory.learn_from(goal(STUCK, CriterionState("C1", PASS, failed=2)), contract(), AT)

    assert memory.find_blocked(contract()) == {}
    later = Memory(str(file), "run2")
    assert later.find_blocked(contract()) == {"C2": BLOCKED_TEXT}
    assert later.find_blocked(contract(SUMS)) == {}
    later.learn_from(goal(CriterionState("C2", PASS, passed_at=1)), contract(), AT)
    assert Memory(str(file), "run3").find_blocked(contract()) == {}


def test_what_a_stopped_run_left_undone_is_known_to_the_next(memory: Memory) -> None:
    left = CriterionState("C2", CriterionStatus.FAIL, 1, failed=1, reason="exit 1")
    memory.learn_from(goal(left, CriterionState("C1")), contract(), AT, stopped="max-time")

    (lesson,) = memory.find_lessons(contract())
    assert lesson.endswith("FAIL when a run ended as max-time; seen last: exit 1")


def test_a_criterion_is_known_by_its_check_however_it_is_worded(memory: Memory) -> None:
    memory.learn_from(goal(STUCK), contract(), AT)
    other_words = "- {id: D7, text: documentation, check: {command: [make, docs]}, guard: true}"
    other_check = "- {id: C2, text: the docs build, check: {command: [make, docs, all]}}"

    assert memory.find_lessons(contract(other_words)) == (BLOCKED_TEXT,)
    assert memory.find_lessons(contract(other_check)) == ()


def test_of_many_lessons_the_latest_are_told(memory: Memory, file: Path) -> None:
    for number in range(20):
        state = STUCK.replace(reason=f"exit {number}")
        Memory(str(file), f"run{number}").learn_from(goal(state), contract(), AT)

    told = memory.find_lessons(contract())

    assert len(told) == MOST_TOLD
    assert told[-1].endswith("exit 19")


def test_people_may_write_into_the_file(memory: Memory, file: Path) -> None:
    file.write_text("# Lessons\n\n- mine, without a mark\n- <!-- not -->\nlast line, unfinished")

    memory.learn_from(goal(STUCK), contract(), AT)

    assert memory.find_lessons(contract()) == (BLOCKED_TEXT,)
    assert file.read_text().startswith("# Lessons\n\n- mine, without a mark\n")
    assert "last line, unfinished\n- 2026" in file.read_text()


def test_bytes_that_are_no_text_do_not_hide_the_lessons(memory: Memory, file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00 \xc3(\n")

    memory.learn_from(goal(STUCK), contract(), AT)

    assert memory.find_lessons(contract()) == (BLOCKED_TEXT,)
    assert file.read_bytes().startswith(b"\xff\xfe\x00 \xc3(\n")


@pytest.mark.parametrize(
    "odd", ["two\nlines", "a\r\nb", "--> <!-- x", "\u2028", "half \ud800 a character", "$x {y}"]
)
def test_a_lesson_is_one_line_whatever_the_criterion_says(
    memory: Memory, file: Path, odd: str
) -> None:
    worded = contract(DOCS).criteria[0].replace(text=f"docs {odd} build")
    asked = Contract((worded,))

    memory.learn_from(goal(STUCK), asked, AT)
    memory.learn_from(goal(STUCK), asked, AT)

    assert len(file.read_text().splitlines()) == 1
    (lesson,) = memory.find_lessons(asked)
    assert lesson.startswith("2026-01-01 docs ")
    assert lesson.endswith("seen last: exit 2, expected 0")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path / "gone" / "lessons.md"), "run1")

    with pytest.raises(DiskFailed, match=r"lessons\.md"):
        memory.learn_from(goal(STUCK), contract(), AT)


def test_a_folder_in_its_place_holds_no_lessons(memory: Memory, file: Path) -> None:
    file.mkdir()

    assert memory.find_lessons(contract()) == ()
    with pytest.raises(DiskFailed):
        memory.learn_from(goal(STUCK), contract(), AT)


def test_H3_lessons_are_neither_read_nor_written_through_a_link(tmp_path: Path) -> None:
    outside, place = tmp_path / "outside", tmp_path / ".goalkeeper"
    memory = Memory(str(outside), "run-1")
    memory.learn_from(goal(STUCK), contract(), AT)
    place.mkdir()
    (place / "lessons.md").symlink_to(outside)
    before = outside.read_bytes()
    linked = Memory(str(place / "lessons.md"), "run-2")

    assert memory.find_lessons(contract())
    assert linked.find_lessons(contract()) == ()
    with pytest.raises(DiskFailed):
        linked.learn_from(goal(STUCK), contract(), AT)
    assert outside.read_bytes() == before
