"""What to do about a criterion, and what would prove it."""

from itertools import product

from goalkeeper.core.contract.advice import describe_proof, suggest_next_step
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.contract.document import Contract, Criterion, read_text
from tests.tables import for_each

S = CriterionStatus


def criterion(check: str, held_out: str = "") -> Criterion:
    text = f"criteria: [{{id: C1, text: it holds, check: {{{check}}}{held_out}}}]"
    contract = read_text(text)
    assert isinstance(contract, Contract), contract
    return contract.criteria[0]


PLAIN = criterion("command: [make, test]")
HELD_OUT = criterion("pytest: held_out/test_x.py, min_tests: 3", ", held_out: [~/held/test_x.py]")


@for_each(
    ("state", "words"),
    [
        (CriterionState("C1", S.PASS), "nothing"),
        (CriterionState("C1", S.PASS, error_streak=1), "could not be checked"),
        (CriterionState("C1", S.BLOCKED, 3), "leave it to a human"),
        (CriterionState("C1", S.REGRESSED), "files changed since it passed"),
        (CriterionState("C1", S.PENDING), "product code, not in the tests"),
        (CriterionState("C1", S.FAIL, 1), "product code, not in the tests"),
        (CriterionState("C1", S.FAIL, 2), "another way than before"),
        (CriterionState("C1", S.FAIL, 1, error_streak=1), "see why it could not be checked"),
        (CriterionState("C1", S.PENDING, error_streak=3), "mend the environment"),
    ],
)
def test_advice_fits_the_state(state: CriterionState, words: str) -> None:
    assert words in suggest_next_step(PLAIN, state)


def test_there_is_advice_for_every_state() -> None:
    for status, fails, errors in product(S, range(4), range(4)):
        state = CriterionState("C1", status, fails, errors)
        for each in (PLAIN, HELD_OUT):
            assert suggest_next_step(each, state)


def test_advice_on_a_held_out_criterion_gives_nothing_away() -> None:
    said = suggest_next_step(HELD_OUT, CriterionState("C1", S.FAIL, 1))

    assert "do not see" in said
    assert "test_x" not in said + describe_proof(HELD_OUT)


@for_each(
    ("check", "words"),
    [
        ("command: [make, test]", "command make test"),
        ("pytest: tests/a.py, min_tests: 3", "pytest tests/a.py (min_tests=3)"),
        ("file: a.txt, is: absent", "file a.txt (is=absent)"),
        ("manual: look at it", "manual look at it (by a human)"),
        ("question: is it so?", "question is it so? (answered with goalkeeper verify)"),
    ],
)
def test_a_proof_is_told_in_the_words_of_its_check(check: str, words: str) -> None:
    assert describe_proof(criterion(check)) == words


def test_a_held_out_proof_shows_neither_files_nor_options() -> None:
    assert describe_proof(HELD_OUT) == "pytest (held out: you do not see it)"


def test_what_failed_before_and_could_not_be_checked_now_is_shown_as_unknown() -> None:
    failed = CriterionState("C1", CriterionStatus.FAIL, fail_count=1)
    limited = failed.replace(error_streak=1, reason="it hit the limit on time")

    assert [state.shown_status for state in (failed, limited)] == ["FAIL", "UNKNOWN"]
