"""Neighbours of an input: so close to it that they may still be valid."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from goalkeeper.tamper.questions.model import NEIGHBOURS
from goalkeeper.tamper.spoiling.values import Chooser, change_text
from goalkeeper.wire.pattern import late_pattern

Leaf = TypeVar("Leaf")
_RENAMED = 2  # words of one call that are replaced, one after another
_WORD = late_pattern(r"[A-Za-z]{4,}")
# The number of an encoding is a part of its name, and an escape (%25) is a sign.
_NUMBER = late_pattern(r"(?<![\w.%])(?<!(?i:iso)-)(?<!(?i:utf)-)\d+(?:\.\d+)?(?!\d)")
_NUMBERS = 4  # of one call that are replaced, one after another
_TRIED = 3  # for each of them
_SHIFT = 3  # numbers that keep their distances move by so much at most
RESIZED = 3  # ways in which inputs have other sizes
_CODE = 8  # of so many digits, the last may be a check digit
_MOMENT = late_pattern(r"\d{4}-\d\d|\d:\d\d|\d/\d\d?/\d")  # most other digits make none
_LONGER_TURN = 5  # one of so many texts becomes longer: some know inputs by their length


def choose_leaves(
    leaves: Sequence[Leaf], numbers: Sequence[Leaf], turn: int, chooser: Chooser
) -> Sequence[Leaf]:
    """Return the inputs that change in this turn: all numbers, or by turns only one input.

    Where all numbers change, an answer that is put together of known answers would be new. Where
    one input changes, options and special signs stay as the test has them.
    """
    if numbers and turn % 2 == 0:
        return numbers
    return [leaves[chooser.draw(len(leaves), "leaf")]]


def count_neighbours(texts: Sequence[str]) -> int:
    """Return how many neighbours a call has: of codes with a check digit, few are valid."""
    return 4 * NEIGHBOURS if any(map(_may_be_code, texts)) else NEIGHBOURS


def _may_be_code(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= _CODE and not _MOMENT.search(text)


def change_a_little(value: object, chooser: Chooser) -> str | bytes | int | float:
    """Return a neighbour: a digit or a letter of it is the next one, or a number is close to it."""
    if isinstance(value, int | float):
        return _change_number(value, chooser)
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    made = change_text_a_little(text, chooser)
    return made.encode("latin-1") if isinstance(value, bytes) else made


def _change_number(value: float, chooser: Chooser) -> int | float:
    # What is special about a number is often in its last digits: others change, too.
    if isinstance(value, int) and value >= 10 and chooser.draw(2, "digit"):  # noqa: PLR2004
        return int(change_text_a_little(str(value), chooser))
    step = 1 + chooser.draw(3, "step")
    return value + step if chooser.draw(2, "side") or value < step else value - step


def resize_rows(rows: Sequence[Leaf], turn: int) -> list[Leaf]:
    """Return twice as many, half as many, or each of them twice, by turns."""
    if turn == 0:
        return [*rows, *rows]
    return [*rows[: len(rows) // 2]] if turn == 1 else [row for row in rows for _ in range(2)]


def resize_text(text: str, turn: int) -> str:
    return "".join(resize_rows(text, turn))


def resize_number(value: float, turn: int) -> float:
    return (value * 3 + 10, value // 3, -value - 1)[turn]


def change_text_a_little(text: str, chooser: Chooser) -> str:
    """Return a text of which a digit or a letter is the next one, or at times stands twice."""
    places = [n for n, sign in enumerate(text) if sign.isascii() and sign.isalnum()]
    digits = [n for n in places if text[n].isdigit()]
    if not places:
        return text + chooser.choose_letters(1)
    if _may_be_code(text) and chooser.draw(3, "code"):
        return _change_code(text, digits, chooser)
    chosen = digits if digits and chooser.draw(4, "kind") else places
    at = chosen[chooser.draw(len(chosen), "place")]
    # A date or a time with one digit more is none.
    if not chooser.draw(_LONGER_TURN, "longer") and not _MOMENT.search(text):
        return text[:at] + text[at] + text[at:]
    return text[:at] + _next_sign(text[at], back=bool(chooser.draw(2, "back"))) + text[at + 1 :]


def _change_code(text: str, digits: Sequence[int], chooser: Chooser) -> str:
    """Return a code with two other digits, not the first: where one is another, none is valid."""
    signs, half = list(text), digits[len(digits) // 2 :]
    for turn in range(2):
        signs[half[chooser.draw(len(half), "at", turn)]] = str(chooser.draw(10, "digit", turn))
    return "".join(signs)


def _next_sign(sign: str, *, back: bool) -> str:
    first, last = ("0", "9") if sign.isdigit() else ("a", "z") if sign.islower() else ("A", "Z")
    if (sign == first and back) or (sign == last and not back):
        back = not back
    return chr(ord(sign) + (-1 if back else 1))


def choose_words(texts: Sequence[str], chooser: Chooser) -> dict[str, str]:
    """Return words of inputs with others to put in their place; the most frequent ones."""
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    found = {word: change_text(word, chooser.at(word)) for word, _ in counts.most_common(_RENAMED)}
    return {old: new for old, new in found.items() if not any(new in text for text in texts)}


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
    return [partial(_shift, by=by) for by in (step, -step)] if len(numbers) > 1 else []


def _shift(text: str, by: int) -> str:
    def move(found: re.Match[str]) -> str:
        moved = int(found[0]) + by if found[0].isdigit() else -1
        width = len(found[0]) if found[0][0] == "0" else 0  # a number in code begins with none
        return str(moved).zfill(width) if moved >= 0 else found[0]

    return _NUMBER.sub(move, text)
