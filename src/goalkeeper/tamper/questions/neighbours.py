"""Neighbours of an input: so close to it that they may still be valid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from goalkeeper.tamper.questions.model import NEIGHBOURS
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.pattern import late_pattern

Leaf = TypeVar("Leaf")
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
