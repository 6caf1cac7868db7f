"""Numbers in texts: others that are close to them, and all of them larger by the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.pattern import late_pattern

# The number of an encoding is a part of its name, and an escape (%25) is a sign.
_NUMBER = late_pattern(r"(?<![\w.%])(?<!(?i:iso)-)(?<!(?i:utf)-)\d+(?:\.\d+)?(?!\d)")
_NUMBERS = 4  # of one call that are replaced, one after another
_TRIED = 3  # for each of them
_SHIFT = 3  # numbers that keep their distances move by so much at most


def choose_numbers(texts: Sequence[str], chooser: Chooser) -> dict[str, tuple[str, ...]]:
    """Return numbers of inputs, each with some that are close to it, as long, and not there yet.

    A single digit alone is special, as that of a month, or in a list that somebody counted.
    """
    telling = [text for text in texts if len(text) > 1]
    numbers = Counter(number for text in telling for number in _NUMBER.findall(text))
    found: dict[str, tuple[str, ...]] = {}
    for number, _ in numbers.most_common():
        near = sorted(_list_close(number) - {*numbers}, key=lambda e: chooser.draw(1 << 30, e))
        if len(near) >= _TRIED and len(found) < _NUMBERS:
            found[number] = tuple(near[:_TRIED])
    return found


def _list_close(number: str) -> set[str]:
    """Return numbers of which one digit is one or two more or less."""
    found = set()
    for at, sign in enumerate(number):
        steps = (-2, -1, 1, 2) if len(number) == 1 else (-1, 1)
        digits = [str(int(sign) + step) for step in steps if sign.isdigit()]
        found |= {number[:at] + each + number[at + 1 :] for each in digits if each in "0123456789"}
    return {each for each in found if each[0] != "0" or number[0] == "0"}


def replace_number(text: str, old: str, new: str) -> str:
    return _NUMBER.sub(lambda found: new if found[0] == old else found[0], text)


def list_shifts(texts: Sequence[str], chooser: Chooser) -> list[Callable[[str], str]]:
    """Return what makes all whole numbers of inputs larger, or smaller, by the same.

    How they lie to each other, one after another or apart, may decide about the way; a table has
    other numbers no more than any.
    """
    numbers = {number for text in texts for number in _NUMBER.findall(text)}
    step = 1 + chooser.draw(_SHIFT, "shift")
    return [partial(shift_numbers, by=by) for by in (step, -step)] if len(numbers) > 1 else []


def list_numbers(text: str) -> list[str]:
    """Return the whole numbers of a text."""
    return [each for each in _NUMBER.findall(text) if each.isdigit()]


def shift_numbers(text: str, by: int, *, least: int = 0) -> str:
    """Return a text in which all whole numbers that are not less are larger by so much."""

    def move(found: re.Match[str]) -> str:
        is_moved = found[0].isdigit() and int(found[0]) >= least
        moved = int(found[0]) + by if is_moved else -1
        width = len(found[0]) if found[0][0] == "0" else 0  # a number in code begins with none
        return str(moved).zfill(width) if moved >= 0 else found[0]

    return _NUMBER.sub(move, text)
