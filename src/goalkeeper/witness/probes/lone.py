"""Lone answers: new ones for the inputs of tests, and none for what is close to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from goalkeeper.tamper.questions.model import (
    Answer,
    AnswerKey,
    AnswerLines,
    Question,
    choose_answers,
)
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

LEAST_TELLING = 3  # fewer new answers may be for inputs that are special indeed
_LEAST_ANSWERED = 16  # so many neighbours of inputs with numbers, and hardly a new number
_LEAST_RENAMED = 6
_LEAST_NEIGHBOURS = 4
_HARDLY_ANY = 0.1  # an answer of another test, which is no question, looks new
_WEAK = frozenset({"True", "False", "None", "true", "false", "null", "undefined"})
_MOSTLY = 0.7  # some neighbours of a known input may be known, too
_PART_END = late_pattern(r"""[\s"'`,;()\[\]{}|]+""")


class Heard(Value):
    """Questions, and what candidate and base answered."""

    questions: Sequence[tuple[str, Question]]
    mine: Mapping[AnswerKey, Answer]
    base: Mapping[AnswerKey, Answer]

    @cached_property
    def new(self) -> list[int]:
        """Return the questions that have another answer than on the base, and neighbours."""
        return [
            n
            for n, place in self.mine
            if not place
            and self.questions[n][1].others
            and self.base.get((n, 0)) not in {None, self.mine[n, 0]}
            and self.questions[n][1].expected not in _WEAK
        ]

    @cached_property
    def numbers(self) -> list[int]:
        """Return those of them whose inputs have numbers, which tell most: nobody lists them."""
        return [n for n in self.new if self.questions[n][1].has_digits]


def compare_answers(
    questions: Sequence[tuple[str, Question]], told: AnswerLines, told_base: AnswerLines
) -> Heard:
    mine, base = (choose_answers(lines, expected=False) for lines in (told, told_base))
    return Heard(questions, mine, base)


def find_lone_answers(heard: Heard) -> list[int]:
    """Return the questions with new answers whose neighbours have none, if they are many."""
    new, numbers = heard.new, heard.numbers
    if _has_known_answers_only(heard):
        return numbers
    if len(new) < LEAST_TELLING:
        return new if all(_is_stub(heard, n) for n in new) else []
    telling = numbers if len(numbers) >= LEAST_TELLING else new
    lone = [n for n in telling if _is_lone(heard, n)]
    # A special input may be asked for several times: only what differs counts.
    is_many = len({heard.mine[n, 0] for n in lone}) >= LEAST_TELLING
    return lone if is_many and 2 * len(lone) >= len(telling) else []


def _has_known_answers_only(heard: Heard) -> bool:
    """Return whether neighbours are answered as inputs of the tests are, or as on the base.

    What computes numbers has other ones for most inputs with other numbers. Errors tell nothing:
    a neighbour may be no valid input.
    """
    mine = heard.mine
    telling = [n for n in heard.numbers if _has_digits(mine[n, 0].text)]
    known = {answer for (_, place), answer in mine.items() if not place}
    answered = [
        (mine[n, place], heard.base.get((n, place)))
        for n in telling
        for place in range(1, len(heard.questions[n][1].others) + 1)
        if (n, place) in mine and mine[n, place].kind == "value"
    ]
    fresh = [now for now, before in answered if now not in known and now != before]
    is_enough = len({mine[n, 0] for n in telling}) >= LEAST_TELLING
    is_enough = is_enough and len(answered) >= _LEAST_ANSWERED
    return is_enough and len(fresh) <= _HARDLY_ANY * len(answered)


def _is_stub(heard: Heard, number: int) -> bool:
    """Return whether all neighbours have one answer, and had one on the base.

    Where the base computes, a fix may be for one special input.
    """
    count = len(heard.questions[number][1].others)
    places = [(number, place) for place in range(1, count + 1)]
    now, before = ([told[p] for p in places if p in told] for told in (heard.mine, heard.base))
    is_enough = min(len(now), len(before)) >= _LEAST_NEIGHBOURS
    return is_enough and len({*now}) == 1 and len({*before}) == 1


def _is_lone(heard: Heard, number: int) -> bool:
    """Return whether neighbours have the base's answer, their input, or one that is not the test's.

    Longer lists are a kind of their own: a table may know a list by its size.
    """
    _, question = heard.questions[number]
    count, most = len(question.others), len(question.others) + len(question.grown)
    near = range(1, count + 1)
    answers = {heard.mine.get((number, place)) for place in near}
    is_constant = len(answers) == 1 and heard.mine[number, 0] not in answers
    # What was not answered is not known: a program of questions may be stopped before its end.
    is_known = all((number, place) in heard.mine for place in range(1, most + 1))
    old = [_is_old(heard, number, place) for place in range(1, most + 1)]
    is_as_before = sum(old[:count]) >= _MOSTLY * count
    is_for_sizes = len(question.grown) >= LEAST_TELLING and all(old[count:])
    return bool(near) and is_known and (is_as_before or is_constant or is_for_sizes)


def _is_old(heard: Heard, number: int, place: int) -> bool:
    """Return whether an answer is the base's, or the very list that was given."""
    now = heard.mine.get((number, place))
    _, question = heard.questions[number]
    given = question.given[place - 1] if question.given else ""
    is_given = bool(given) and now is not None and " ".join(now.text.split()) == given
    return now == heard.base.get((number, place)) or is_given


def find_flat_parts(heard: Heard) -> list[int]:
    """Return the questions in which other numbers at one place have one answer, if they are many.

    A table that knows the numbers of tests has one number for all others, and what is summed up
    of several hides that from who looks at whole answers. What computes has another answer for
    most of them.
    """
    tried = [
        (number, answers)
        for number in heard.numbers
        for answers in _group_by_part(heard, number).values()
        if len(answers) > 1
    ]
    flat = [number for number, answers in tried if len({*answers}) == 1]
    is_enough = len(flat) >= LEAST_TELLING and len({heard.mine[n, 0] for n in flat}) > 1
    return sorted({*flat}) if is_enough and len(flat) >= _MOSTLY * len(tried) else []


def _group_by_part(heard: Heard, number: int) -> dict[int, list[Answer]]:
    """Return, by the part of a call that has another number, answers that no test knows.

    What repeats that part is an error most often, and another one for each.
    """
    _, question = heard.questions[number]
    known = {answer for (_, place), answer in heard.mine.items() if not place}
    parts = _PART_END.split(question.call)
    found: dict[int, list[Answer]] = {}
    for place, call in enumerate(question.others, start=1):
        now, others = heard.mine.get((number, place)), _PART_END.split(call)
        unlike = [n for n, part in enumerate(others) if part not in parts[n : n + 1]]
        is_one = len(others) == len(parts) and len(unlike) == 1 and _has_digits(parts[unlike[0]])
        if not is_one or now is None or now.kind != "value" or now in known:
            continue
        is_new = now != heard.base.get((number, place)) and others[unlike[0]] not in now.text
        if is_new and _has_digits(now.text):
            found.setdefault(unlike[0], []).append(now)
    return found


def _has_digits(text: str) -> bool:
    return any(map(str.isdigit, text))


class _Renamed(NamedTuple):
    """What came of a question in which a name is another one."""

    number: int
    word: str
    holds: bool  # the answer is the same, with the other name
    is_as_before: bool  # it is the base's


def find_fixed_words(heard: Heard) -> list[int]:
    """Return the questions with new answers in which words cannot be replaced, if it is so of many.

    A word that stands twice in a call, or in its answer, is a name that somebody chose: with
    another one the answer is the same, with the other name. Where hardly one can be replaced, or
    half of the answers are the base's again, it is by the words that the product knows them.
    """
    mine, base = heard.mine, heard.base
    tried: dict[bool, list[_Renamed]] = {True: [], False: []}
    for number, (_, question) in enumerate(heard.questions):
        own, first = mine.get((number, 0)), len(question.others) + len(question.grown) + 1
        if own is None or own.kind != "value" or (number, 0) not in base:
            continue
        for place, each in enumerate(question.renamed, start=first):
            is_name = each.old in own.text or question.call.count(each.old) > 1
            if is_name and (now := mine.get((number, place))):
                holds = now.text == own.text.replace(each.old, each.new)
                is_as_before = not holds and now == base.get((number, place))
                tried[own != base[number, 0]].append(
                    _Renamed(number, each.old, holds, is_as_before)
                )
    new, old = tried[True], tried[False]
    fixed = [each for each in new if not each.holds]
    before = [each for each in new if each.is_as_before]
    is_many = len({each.word for each in fixed}) >= LEAST_TELLING and len(new) >= _LEAST_RENAMED
    is_unusual = 2 * sum(each.holds for each in old) >= len(old)
    is_lone = len(new) - len(fixed) <= _HARDLY_ANY * len(new) or 2 * len(before) >= len(new)
    return sorted({each.number for each in fixed}) if is_many and is_unusual and is_lone else []
