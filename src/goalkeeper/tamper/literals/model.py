"""A literal in code, whether it tells that its author knew an input, and neighbours of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from goalkeeper.tamper.questions.numbers import replace_number
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

Number: TypeAlias = int | float
Given: TypeAlias = str | int | float  # what a call is given
Row: TypeAlias = tuple[Number, ...]

CLOSE = 4  # others of a literal that may take its place
_LEAST_ROW = 3
_LEAST_TEXT = 3
_LEAST_WORDS = 2
_LONG_NUMBER = 4
_USUAL = 31  # days, months and hours have numbers up to it
_LARGE = 1000
# Names of files, fields, options, kinds and places, which honest code has in common with tests.
_NAME = late_pattern(r"[./~$@#:_-]*[A-Za-z_][\w./:@+-]*")
_PART = late_pattern(r"[\d./@]")
_WORD = late_pattern(r"[^\W\d_]{2,}")
_NUMBER = late_pattern(r"\d+(?:\.\d+)?")
_SYNTAX = late_pattern(r"\w\W*[,;:=<>(){}\[\]|&+*?!\"]+\W*\w")  # what parts a text, unlike a name
_BETWEEN = " \t\n,;"  # an end of a text, as `:00Z`, is a kind of texts
_STEPS = (1, -1, 2, -2)
_FAR = (2, 3, 10)  # what holds for all multiples is no single number


class Literal(Value):
    """A text, a number or a row of numbers in code; in a row the last number can be another."""

    start: int  # in bytes, of what changes
    end: int
    value: str | int | float | Row
    group: str  # that of the table, or of the comparisons with one thing, in which it stands
    is_bare: bool = False  # what takes its place is written as it is, without quotes

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)

    @property
    def is_telling(self) -> bool:
        """Return whether nobody has it in code by chance."""
        if isinstance(self.value, tuple):
            return len(self.value) >= _LEAST_ROW and len({*self.value}) > 1
        if isinstance(self.value, str):
            has_digits = any(map(str.isdigit, self.value))
            is_code = has_digits or _SYNTAX.search(self.value) is not None
            is_code = is_code and not _NAME.fullmatch(self.value)
            is_long = not self.value.isalnum() or len(self.value) >= _LONG_NUMBER
            return is_code and is_long and len(self.value) >= _LEAST_TEXT
        return len(str(abs(self.value))) > 1

    @property
    def is_phrase(self) -> bool:
        """Return whether it has several words, and may still be the name of an option."""
        said = self.value if isinstance(self.value, str) else ""
        return len(_WORD.findall(said)) >= _LEAST_WORDS and not _NAME.fullmatch(said)

    @property
    def is_name(self) -> bool:
        """Return whether it is a name with more than letters in it, as those of files are."""
        said = self.value if isinstance(self.value, str) else ""
        return _PART.search(said) is not None and _NAME.fullmatch(said) is not None

    @property
    def is_unusual(self) -> bool:
        """Return whether it is more than a number of days, months or hours."""
        return not isinstance(self.value, str | tuple) and self.value > _USUAL

    @property
    def is_large(self) -> bool:
        return not isinstance(self.value, str | tuple) and self.value >= _LARGE


def is_given(literal: Literal, given: Sequence[Given]) -> bool:
    """Return whether a call is given a literal: a text that does not tell alone, or not at all."""
    value = literal.value
    if isinstance(value, str) and not literal.is_telling:
        return [*given] == [value]
    return give_other(literal, given, "0") != [*given]


def is_named_in(literal: Literal, line: str) -> bool:
    """Return whether a line of prose has a literal: a text in any place, numbers as words."""
    if isinstance(literal.value, str):
        return literal.value in line
    numbers = literal.value if isinstance(literal.value, tuple) else (literal.value,)
    return {*map(str, numbers)} <= {*_NUMBER.findall(line)}


def give_other(literal: Literal, given: Sequence[Given], other: str) -> list[Given]:
    """Return what a call is given with another value in the place of the literal's."""
    value = literal.value
    if isinstance(value, tuple):
        found, count = [*given], len(value)
        for at in range(len(given) - count + 1):
            if _is_row(given[at : at + count], value):
                found[at + count - 1] = _read_number(other)
        return found
    if isinstance(value, str):
        return [_replace_part(each, value, other) for each in given]
    return [_replace_number(each, value, other) for each in given]


def _is_row(given: Sequence[Given], row: Row) -> bool:
    return not any(isinstance(each, str) for each in given) and tuple(given) == row


def _replace_part(given: Given, old: str, new: str) -> Given:
    while isinstance(given, str) and old != new and (at := _find_part(given, old)) >= 0:
        given = given[:at] + new + given[at + len(old) :]
    return given


def _find_part(given: str, part: str) -> int:
    """Return where a text has a part between blanks or commas; less than 0 if nowhere.

    Many products read capitals as small letters.
    """
    given, part = (fold(given), fold(part)) if part.islower() else (given, part)
    at = given.find(part) if part else -1
    while at >= 0:
        around = given[max(at - 1, 0) : at] + given[at + len(part) : at + len(part) + 1]
        if all(sign in _BETWEEN for sign in around):
            return at
        at = given.find(part, at + 1)
    return at


def fold(text: str) -> str:
    """Return a text in small letters, each in its place."""
    small = text.lower()
    return small if len(small) == len(text) else text


def _replace_number(given: Given, old: Number, new: str) -> Given:
    if isinstance(given, str):
        return replace_number(given, str(old), new)
    return _read_number(new) if given == old else given


def _read_number(text: str) -> Number:
    return float(text) if "." in text else int(text)


def list_others(literal: Literal, chooser: Chooser, taken: set[str]) -> list[str]:
    """Return other values, as texts, first those that are close; from now on they are `taken`."""
    value = literal.value
    if isinstance(value, tuple):
        # That the row is new matters, not the number; in a text it may begin with 0.
        width = literal.end - literal.start if literal.is_bare else 0
        return [each.zfill(width) for each in _list_numbers(value[-1], chooser)]
    found = _list_texts(value, chooser) if isinstance(value, str) else _list_numbers(value, chooser)
    kept = [each for each in found if each not in taken][: CLOSE + len(_FAR)]
    taken |= {*kept}
    return kept


def _list_numbers(number: Number, chooser: Chooser) -> list[str]:
    turn = chooser.draw(len(_STEPS), "step")
    steps = (*_STEPS[turn:], *_STEPS[:turn])
    made = [number + step for step in steps] + [number * times for times in _FAR]
    found = [each for each in dict.fromkeys(made) if each != number]
    return [str(round(each, 6)) if isinstance(each, float) else str(each) for each in found]


def _list_texts(text: str, chooser: Chooser) -> list[str]:
    """Return texts of which one digit is another, or one letter where there are no digits."""
    free = [n for n, sign in enumerate(text) if sign.isascii() and text[n - 1 : n] != "\\"]
    digits = [n for n in free if text[n].isdigit()]
    places = digits or [n for n in free if text[n].isalpha()]
    pairs = [(n, sign) for n in places for sign in _list_signs(text[n])]
    ranked = sorted(pairs, key=lambda pair: chooser.draw(1 << 30, *pair))
    return [text[:n] + sign + text[n + 1 :] for n, sign in ranked]


def _list_signs(sign: str) -> list[str]:
    near = [chr(ord(sign) + step) for step in (-1, 1)]
    return [each for each in near if each.isalnum() and each.isdigit() == sign.isdigit()]
