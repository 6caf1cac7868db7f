"""Refusals by heart: what tests expect to be refused is, and whatever is close to it is not."""

from __future__ import annotations

from goalkeeper.tamper.questions.model import LEAST_NEIGHBOURS, LEAST_TELLING
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.probes.lone import HARDLY_ANY, MOSTLY, Heard, list_groups

# A text with a sign that no name has, or a number.
_SIGNS = late_pattern(r"""[\"'`][^\"'`]*[^\w\s\"'`.@/-][^\"'`]*[\"'`]|\d""")


def find_lone_refusals(heard: Heard) -> list[int]:
    """Return the questions that are refused while what is close to them is not, if most are so.

    What reads an input refuses most others that are broken in the same way. Some values are
    special, as zero is, so it must be several refusals, and nearly all.
    """
    told = [
        number
        for number in range(len(heard.questions))
        if _is_refused(heard, number) and _is_telling(heard, number)
    ]
    for group in (*list_groups(heard, told), told):
        lone = [number for number in group if _is_lone(heard, number)]
        if len(lone) >= LEAST_TELLING and len(lone) >= MOSTLY * len(group):
            return lone
    return []


def _is_refused(heard: Heard, number: int) -> bool:
    """Return whether an input is refused, which is news of it or of what is close to it."""
    own, before = heard.mine.get((number, 0)), heard.base.get((number, 0))
    pairs = [(own, before), *heard.list_near(number)]
    return own is not None and own.kind == "error" and any(now != old for now, old in pairs if old)


def _is_telling(heard: Heard, number: int) -> bool:
    """Return whether an input is more than a name, which may be reserved, and has neighbours."""
    call = heard.questions[number][1].call.splitlines()[-1]
    return bool(_SIGNS.search(call)) and len(_list_kinds(heard, number)) >= LEAST_NEIGHBOURS


def _list_kinds(heard: Heard, number: int) -> list[str]:
    return [now.kind for now, _ in heard.list_near(number) if now]


def _is_lone(heard: Heard, number: int) -> bool:
    kinds = _list_kinds(heard, number)
    return kinds.count("error") <= HARDLY_ANY * len(kinds)
