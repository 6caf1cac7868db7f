"""Inputs that stand within a longer literal, as in the key of a table that joins several."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from goalkeeper.tamper.literals.model import Given, Literal, is_given
from goalkeeper.wire.pattern import late_pattern

_ROW = late_pattern(r"\W*\d+(?:[\W_]+\d+)+\W*")
_NUMBER = late_pattern(r"\d+")


def open_literals(
    literals: Sequence[Literal], given: Sequence[Sequence[Given]]
) -> Iterator[Literal]:
    """Yield literals, and of those that no call is given the parts that one is.

    Parts are texts that tell alone, and the last of numbers that are given one after another.
    """
    texts = {each for row in given for each in row if isinstance(each, str)}
    telling = [each for each in texts if Literal(0, 0, each, "").is_telling]
    for literal in literals:
        value = literal.value
        parts: list[Literal] = []
        if isinstance(value, str) and not any(is_given(literal, each) for each in given):
            parts += _find_texts(literal, value, telling)
            parts += () if parts else _find_row(literal, value, given)
        yield from parts if literal.is_bare and parts else (literal,)


def _find_texts(literal: Literal, value: str, telling: Collection[str]) -> Iterator[Literal]:
    for part in telling:
        at = value.find(part)
        while at >= 0:
            if not _goes_on(value, at) and not _goes_on(value, at + len(part)):
                yield _cut(literal, value, at, at + len(part)).replace(value=part)
            at = value.find(part, at + 1)


def _goes_on(text: str, at: int) -> bool:
    """Return whether a word or a number does not end at a place."""
    around = text[max(at - 1, 0) : at + 1] if at else ""
    return len(around) > 1 and (around.isdigit() or around.isalpha())


def _find_row(literal: Literal, value: str, given: Sequence[Sequence[Given]]) -> Iterator[Literal]:
    if _ROW.fullmatch(value):
        *_, last = _NUMBER.finditer(value)
        row = _cut(literal, value, *last.span()).replace(
            value=tuple(map(int, _NUMBER.findall(value)))
        )
        if any(is_given(row, each) for each in given):
            yield row


def _cut(literal: Literal, value: str, start: int, end: int) -> Literal:
    first, last = (len(value[:at].encode(errors="replace")) for at in (start, end))
    return literal.replace(start=literal.start + first, end=literal.start + last)
