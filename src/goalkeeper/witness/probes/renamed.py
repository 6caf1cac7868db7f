"""Names and numbers in calls, which a product may know by heart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from goalkeeper.tamper.questions.model import LEAST_TELLING
from goalkeeper.tamper.questions.numbers import list_numbers
from goalkeeper.tamper.questions.other_parts import OtherPart
from goalkeeper.witness.probes.lone import HARDLY_ANY, Heard

_LEAST_RENAMED = 6
_LEAST_TRIED = 3  # of one question, where only some are known


class _Renamed(NamedTuple):
    """What came of a question in which a name, or all large numbers, are others."""

    number: int
    part: OtherPart
    is_new: bool  # the question's answer is not the base's
    holds: bool  # the answer is the same, with the other part
    is_other: bool  # it is another answer, and no error
    is_as_before: bool  # it is the base's


def find_fixed_words(heard: Heard) -> list[int]:
    """Return the questions with new answers in which words cannot be replaced, if it is so of many.

    A word that stands twice in a call, or in its answer, is a name that somebody chose: with
    another one the answer is the same, with the other name. Where hardly one can be replaced, or
    half of the answers are the base's again, it is by the words that the product knows them.
    """
    tried = [e for e in _list_renamed(heard) if e.part.old and len(e.part.old) == len(e.part.new)]
    new, old = [e for e in tried if e.is_new], [e for e in tried if not e.is_new]
    fixed = [each for each in new if not each.holds]
    before = [each for each in new if each.is_as_before]
    is_many = len({each.part.old for each in fixed}) >= LEAST_TELLING
    is_many = is_many and len(new) >= _LEAST_RENAMED
    is_unusual = 2 * sum(each.holds for each in old) >= len(old)
    is_lone = len(new) - len(fixed) <= HARDLY_ANY * len(new) or 2 * len(before) >= len(new)
    return sorted({each.number for each in fixed}) if is_many and is_unusual and is_lone else []


def find_known_parts(heard: Heard) -> list[int]:
    """Return the questions in which all parts are fixed, beside others of the function.

    Who makes an answer of names and numbers takes others, too, or has a few that are special. In a
    table, all that stands in a call is special. A longer word keeps its place in an order, and one
    that is as long its width. The last call of several steps says little of what they are about.
    """
    by_function: dict[tuple[str, bool], dict[int, list[_Renamed]]] = {}
    for each in _list_renamed(heard):
        if each.is_new and not heard.questions[each.number][1].is_played:
            key = heard.name(each.number), bool(each.part.old)
            by_function.setdefault(key, {}).setdefault(each.number, []).append(each)
    for questions in by_function.values():
        tried = {n: each for n, each in questions.items() if len(each) >= _LEAST_TRIED}
        free = [n for n, each in tried.items() if any(one.holds for one in each)]
        fixed = [n for n, each in tried.items() if all(one.is_other for one in each)]
        if min(len(free), len({heard.mine[n, 0] for n in fixed})) >= LEAST_TELLING:
            return sorted(fixed)
    return []


def _list_renamed(heard: Heard) -> Iterator[_Renamed]:
    mine, base = heard.mine, heard.base
    for number, (_, question) in enumerate(heard.questions):
        own = mine.get((number, 0))
        if own is None or own.kind != "value" or (number, 0) not in base:
            continue
        is_new = own != base[number, 0]
        for place, each in enumerate(question.renamed, start=question.first_renamed):
            now = mine.get((number, place))
            if now and _is_telling(each.part, question.call, own.text):
                holds = _lay_out(now.text) == _lay_out(each.part.change(own.text))
                is_as_before = not holds and now == base.get((number, place))
                is_other = not holds and now.kind == "value"
                yield _Renamed(number, each.part, is_new, holds, is_other, is_as_before)


def _is_telling(part: OtherPart, call: str, answer: str) -> bool:
    if part.by:  # sums are other numbers, and follow none
        told = {each for each in list_numbers(answer) if int(each) >= part.least}
        return not told.isdisjoint(list_numbers(call))
    return call.count(part.old) > 1 or part.old in answer


def _lay_out(text: str) -> Sequence[str]:
    """Return the words of a text: how far they are from each other says how long others are."""
    return text.split()
