"""Names in calls, which a product may know by heart."""

from __future__ import annotations

from typing import NamedTuple

from goalkeeper.tamper.questions.model import LEAST_TELLING
from goalkeeper.witness.probes.lone import HARDLY_ANY, Heard

_LEAST_RENAMED = 6


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
    is_lone = len(new) - len(fixed) <= HARDLY_ANY * len(new) or 2 * len(before) >= len(new)
    return sorted({each.number for each in fixed}) if is_many and is_unusual and is_lone else []
