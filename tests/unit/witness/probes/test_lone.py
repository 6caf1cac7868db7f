"""Tables of answers, found by the answers to inputs that no test has."""

from collections.abc import Callable, Sequence

import pytest

from goalkeeper.tamper.questions.model import Answer, AnswerLines, Question
from goalkeeper.witness.probes.flat import find_flat_parts
from goalkeeper.witness.probes.lone import compare_answers, find_lone_answers
from goalkeeper.witness.probes.walked import find_stepped_aside

ASKED = range(20, 60)
Questions = Sequence[tuple[str, Question]]


def make_questions(steps: Sequence[int]) -> Questions:
    return [
        (
            "tests/test_twice.py",
            Question(f"{n}", f"{2 * n}", tuple(f"{n + s}" for s in steps), 1, True),
        )
        for n in ASKED
    ]


def answer(questions: Questions, product: Callable[[int], int]) -> AnswerLines:
    """Answer all questions, and of three the neighbours: then the time is over."""
    return {
        (number, place): [Answer("value", str(product(int(call))))]
        for number, (_, question) in enumerate(questions)
        for place, call in enumerate((question.call, *question.others))
        if not place or number in {10, 11, 12}
    }


@pytest.mark.parametrize(
    ("steps", "product", "is_found"),
    [
        ((-3, -1, 1, 3, 10), lambda n: 2 * n, False),  # the inputs of other tests
        ((41, 43, 45, 47, 50), lambda n: 2 * n, False),
        ((41, 43, 45, 47, 50), lambda n: 2 * n if n in ASKED else n + 2, True),
    ],
)
def test_only_inputs_that_no_test_has_tell_a_table(
    steps: Sequence[int], product: Callable[[int], int], is_found: bool
) -> None:
    questions = make_questions(steps)

    heard = compare_answers(
        questions, answer(questions, product), answer(questions, lambda n: n + 2)
    )

    assert bool(find_lone_answers(heard)) is is_found


@pytest.mark.parametrize(
    ("shown", "is_telling"),
    [
        ("generator <generator object twice at a place>", False),
        ("Box <Box of 4 at a place> 4", True),
    ],
)
def test_an_object_that_shows_nothing_is_no_answer(shown: str, is_telling: bool) -> None:
    questions = make_questions((41, 43, 45, 47, 50))
    told: AnswerLines = {
        (number, place): [Answer("value", shown)] for number in range(40) for place in range(6)
    }

    heard = compare_answers(questions, told, answer(questions, lambda n: n + 2))

    assert bool(heard.new) is is_telling


CODES = range(40_000_010, 40_000_410, 50)


def read_code(code: int) -> str:
    if code % 10:
        raise ValueError(code)
    return f"article {code // 10}"


def know_code(code: int) -> str:
    return read_code(code) if code in CODES else "none"


def know_or_guess(code: int) -> str:
    return read_code(code) if code in CODES else f"article {code // 9}"


def ask_about(code: int, product: Callable[[int], str]) -> Answer:
    try:
        return Answer("value", product(code))
    except ValueError:
        return Answer("error", "ValueError")


@pytest.mark.parametrize(
    ("product", "is_found"), [(read_code, False), (know_code, True), (know_or_guess, True)]
)
def test_a_check_digit_is_no_table(product: Callable[[int], str], is_found: bool) -> None:
    questions = [
        ("test.py", Question(f"{code}", "'…'", tuple(f"{code + s}" for s in range(1, 21)), 1, True))
        for code in CODES
    ]
    told: AnswerLines = {
        (number, place): [ask_about(int(call), product)]
        for number, (_, question) in enumerate(questions)
        for place, call in enumerate((question.call, *question.others))
    }
    for number in range(len(questions)):
        told[number, 0] += [Answer("through", "read.py: read"), Answer("aside", "read.py: read 12")]
    base: AnswerLines = {key: [Answer("error", "ValueError")] for key in told}

    heard = compare_answers(questions, told, base)

    assert bool(find_lone_answers(heard) or find_stepped_aside(heard)) is is_found


SPANS = ("08:00-08:45", "10:10-11:00", "22:00-23:30")


def count_minutes(span: str) -> int:
    (h1, m1), (h2, m2) = (each.split(":") for each in span.split("-"))
    return (int(h2) - int(h1)) * 60 + int(m2) - int(m1)


def know_spans(span: str) -> int:
    return count_minutes(span) if span in SPANS else 61


@pytest.mark.parametrize(("product", "is_found"), [(count_minutes, False), (know_spans, True)])
def test_one_answer_whichever_of_two_numbers_is_another_is_flat(
    product: Callable[[str], int], is_found: bool
) -> None:
    """Each of the two was tried once, so that neither tells anything by itself."""
    questions = [
        ("test.py", Question(span, "…", (f"07{span[2:]}", f"{span[:-2]}59"), 1, True))
        for span in SPANS
    ]
    told: AnswerLines = {
        (number, place): [Answer("value", f"{product(call)} minutes")]
        for number, (_, question) in enumerate(questions)
        for place, call in enumerate((question.call, *question.others))
    }
    base: AnswerLines = {key: [Answer("value", "0 minutes")] for key in told}

    assert bool(find_flat_parts(compare_answers(questions, told, base))) is is_found
