"""What a program of questions told, and what it did not."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.core.contract.test_cases import TestCase
from goalkeeper.tamper.questions.model import Answer, AnswerLines, Question, choose_answers

NO_ANSWER = Answer("error", "no answer")


def list_absent(told: AnswerLines) -> set[int]:
    """Return the questions about what could not be loaded."""
    answers = choose_answers(told, expected=False)
    return {n for (n, place), answer in answers.items() if not place and answer.kind == "absent"}


def count_untried(questions: Sequence[Question], told: AnswerLines) -> int:
    lasts = [(n, len(question.others)) for n, question in enumerate(questions)]
    return sum((n, 0) in told and (n, last) not in told for n, last in lasts)


def count_silent(questions: Sequence[Question], cases: Sequence[TestCase]) -> int:
    """Return how many test functions ask nothing; 0 where functions of tests have no names."""
    asking = {question.test for question in questions}
    names = {case.id.rpartition("::")[2].partition("[")[0] for case in cases}
    return len(names - asking) if any(asking) else 0


def list_unlike(told: AnswerLines) -> list[int]:
    """Return the questions whose answer is not the expected one."""
    answers = choose_answers(told, expected=False)
    fine = list_fine(told)
    asked = [number for number, place in choose_answers(told, expected=True) if not place]
    return [
        number
        for number in (*asked, *sorted(list_refused(told)))
        if answers and number not in fine and answers.get((number, 0), NO_ANSWER).kind != "absent"
    ]


def list_fine(told: AnswerLines) -> set[int]:
    """Return the questions whose answer is the expected one."""
    expected = choose_answers(told, expected=True)
    answers = choose_answers(told, expected=False)
    fine = {
        number
        for (number, place), wanted in expected.items()
        if not place and answers.get((number, 0)) == Answer("value", wanted.text)
    }
    refused = list_refused(told)
    return fine | {n for n in refused if answers.get((n, 0), NO_ANSWER).kind == "error"}


def list_replaced(told: AnswerLines) -> set[str]:
    """Return the functions of the language that are others once the product was asked."""
    return {answer.text for answer in told.get((0, 0), ()) if answer.kind == "replaced"}


def list_refused(told: AnswerLines) -> set[int]:
    """Return the questions that must be refused."""
    return {n for (n, _), answers in told.items() if any(e.kind == "refused" for e in answers)}
