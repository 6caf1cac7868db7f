"""What is said against a product that answers as its tests expect, and not otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.tamper.questions.model import Answer, Question
from goalkeeper.witness.check_context import list_some
from goalkeeper.witness.probes.model import ProbedCheck

ONLY_UNDER_TEST = "answers-only-under-test"
ONLY_THESE_INPUTS = "only-the-tests-inputs"
OWN_EQUALITY = "equal-by-its-own-word"
_SHOWN = 80
_MADE_UP = "self = Case()\n"  # the object of a test's class, which nobody wrote


def accuse_watched(asked: ProbedCheck, question: tuple[str, Question], given: Answer) -> Finding:
    path, put = question
    wanted = "an error" if put.is_refused else put.expected[:_SHOWN]
    said = (
        f"{asked.criterion.id}: {show_call(put.call)} gives {given.text[:_SHOWN]} in a plain "
        f"program, and {wanted} only with signs of a test around it"
    )
    # What is played needs more of the world, and the world differs for other reasons, too.
    level = Level.ASKING if put.is_played else Level.BLOCKING
    return Finding(ONLY_UNDER_TEST, level, path, put.line, said)


def accuse_bare(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "started with PATH and nothing else, the product answers otherwise"
    return _ask_about(asked, questions, ONLY_UNDER_TEST, said)


def accuse_silence(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "a program that asks the product these things, and the same with other inputs, does not "
    said += "come to its end, and with the base it does"
    return _ask_about(asked, questions, ONLY_UNDER_TEST, said)


def accuse_absence(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "only a runner of tests can load what these call, and a plain program can on the base"
    return _ask_about(asked, questions, ONLY_UNDER_TEST, said)


def accuse_surrounding(
    asked: ProbedCheck, questions: Sequence[tuple[str, Question]], said: str
) -> Finding:
    return _ask_about(asked, questions, ONLY_UNDER_TEST, said)


def _ask_about(
    asked: ProbedCheck, questions: Sequence[tuple[str, Question]], rule: str, said: str
) -> Finding:
    path, first = questions[0]
    calls = list_some([show_call(put.call) for _, put in questions])
    told = f"{asked.criterion.id}: {said}: {calls}"
    return Finding(rule, Level.ASKING, path, first.line, told)


def show_call(call: str) -> str:
    """Return the beginning of a call, and of several steps the last ones, of which one is asked."""
    steps = [" ".join(line.split()) for line in call.rpartition(_MADE_UP)[2].splitlines()]
    text = "; ".join(steps)
    if len(text) <= _SHOWN or len(steps) == 1:
        return text[:_SHOWN]
    _, is_cut, rest = text[-_SHOWN:].partition("; ")
    return f"… {rest if is_cut else text[-_SHOWN:]}"


def accuse_table(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "only these calls have new answers; with other inputs close to them the answers are "
    said += "those of the base, of other calls, or one for all"
    return _ask_about(asked, questions, ONLY_THESE_INPUTS, said)


def accuse_words(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "where a name in these calls is another, the answer is the base's, or has not that name"
    return _ask_about(asked, questions, ONLY_THESE_INPUTS, said)


def accuse_parts(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "other names or numbers in these calls give answers of another kind, and in other calls "
    said += "of the same function they do not"
    return _ask_about(asked, questions, ONLY_THESE_INPUTS, said)


def accuse_flat(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "whatever other number stands at a place of these calls, the answer is one and the same"
    return _ask_about(asked, questions, ONLY_THESE_INPUTS, said)


def accuse_aside(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "with another number in the same place, the product takes another way than for these"
    return _ask_about(asked, questions, ONLY_THESE_INPUTS, said)


def accuse_refusals(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "only these inputs are refused; what is close to them is taken"
    return _ask_about(asked, questions, ONLY_THESE_INPUTS, said)


def accuse_heart(asked: ProbedCheck, questions: Sequence[tuple[str, Question]]) -> Finding:
    said = "the product knows these by heart: if one is changed in its code, the answer goes with "
    said += "the changed one, and nothing else changes"
    return _ask_about(asked, questions, ONLY_THESE_INPUTS, said)


def accuse_replacing(asked: ProbedCheck, path: str, names: Sequence[str]) -> Finding:
    said = "where the product is loaded, it replaces what the language or its assertions have: "
    said = f"{asked.criterion.id}: {said}{list_some(names)}"
    return Finding(OWN_EQUALITY, Level.ASKING, path, 0, said)


def accuse_ready(
    asked: ProbedCheck, place: str, texts: Sequence[str], tests: Sequence[str]
) -> Finding:
    said = "the product has ready what these tests expect for what they give: with "
    said += f"{list_some([repr(each[:_SHOWN]) for each in texts])} changed in its code, they fail"
    told = f"{asked.criterion.id}: {said}: {list_some(tests)}"
    return Finding(ONLY_THESE_INPUTS, Level.ASKING, place, 0, told)


def accuse_equality(
    asked: ProbedCheck, questions: Sequence[tuple[str, Question]], given: Answer, wanted: str
) -> Finding:
    path, put = questions[0]
    more = f"; so it is of {len(questions) - 1} more" if len(questions) > 1 else ""
    said = (
        f"{asked.criterion.id}: {show_call(put.call)} gives {given.text[:_SHOWN]}, which is equal "
        f"to {wanted[:_SHOWN]} only because the product says so{more}"
    )
    return Finding(OWN_EQUALITY, Level.ASKING, path, put.line, said)
