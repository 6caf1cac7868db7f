"""Flat parts: other numbers at one place of a call that all have one answer."""

from __future__ import annotations

from collections.abc import Collection

from goalkeeper.tamper.questions.model import LEAST_TELLING, Answer
from goalkeeper.witness.probes.lone import MOSTLY, PART_END, Heard, has_digits


def find_flat_parts(heard: Heard) -> list[int]:
    """Return the questions in which other numbers at one place have one answer, if they are many.

    A table that knows the numbers of tests has one number for all others, and what is summed up
    of several hides that from who looks at whole answers. What computes has another answer for
    most of them.
    """
    tried = [
        (number, answers)
        for number in heard.numbers
        for answers in _list_comparable(_group_by_part(heard, number).values())
    ]
    flat = [number for number, answers in tried if len({*answers}) == 1]
    is_enough = len(flat) >= LEAST_TELLING and len({heard.mine[n, 0] for n in flat}) > 1
    return sorted({*flat}) if is_enough and len(flat) >= MOSTLY * len(tried) else []


def _list_comparable(groups: Collection[list[Answer]]) -> list[list[Answer]]:
    """Return the answers to other numbers at one place, or what is one answer at all places."""
    found = [answers for answers in groups if len(answers) > 1]
    every = [answer for answers in groups for answer in answers]
    is_one = len(every) > 1 and len({*every}) == 1
    return found or ([every] if is_one else [])


def _group_by_part(heard: Heard, number: int) -> dict[int, list[Answer]]:
    """Return, by the part of a call that has another number, answers that no test knows.

    What repeats that part is an error most often, and another one for each.
    """
    _, question = heard.questions[number]
    parts = PART_END.split(question.call)
    found: dict[int, list[Answer]] = {}
    for place, call in enumerate(question.others, start=1):
        now, others = heard.mine.get((number, place)), PART_END.split(call)
        unlike = [n for n, part in enumerate(others) if part not in parts[n : n + 1]]
        is_one = len(others) == len(parts) and len(unlike) == 1 and has_digits(parts[unlike[0]])
        if not is_one or now is None or now.kind != "value" or now in heard.known:
            continue
        is_new = now != heard.base.get((number, place)) and others[unlike[0]] not in now.text
        if is_new and has_digits(now.text):
            found.setdefault(unlike[0], []).append(now)
    return found
