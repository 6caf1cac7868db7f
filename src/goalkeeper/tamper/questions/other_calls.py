"""Calls in Python with other numbers or words in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from goalkeeper.tamper.questions.model import Renaming
from goalkeeper.tamper.questions.numbers import choose_numbers, list_shifts, replace_number
from goalkeeper.tamper.questions.other_parts import choose_shifts, choose_words
from goalkeeper.tamper.questions.scenarios import find_varied
from goalkeeper.tamper.spoiling.values import Chooser

FindInputs: TypeAlias = Callable[[ast.Module], Sequence[ast.Constant]]


def list_walked(text: str, chooser: Chooser) -> tuple[tuple[str, ...], ...]:
    """Return steps in which a number is another one, wherever it stands."""
    numbers = choose_numbers(_list_said(text, find_varied), chooser)
    return tuple(
        tuple(_change(text, find_varied, partial(replace_number, old=old, new=n)) for n in new)
        for old, new in numbers.items()
    )


def list_shifted(text: str, chooser: Chooser) -> tuple[str, ...]:
    """Return steps in which all numbers are larger, or smaller, by the same."""
    shifts = list_shifts(_list_said(text, find_varied), chooser)
    return tuple(_change(text, find_varied, shift) for shift in shifts)


def list_renamed(text: str, find: FindInputs, chooser: Chooser) -> tuple[Renaming, ...]:
    """Return a call with parts of its inputs that are others, wherever they stand.

    The words of a scenario are commands and options as well as names.
    """
    said = _list_said(text, find)
    words = [] if find is find_varied else choose_words(said, chooser)
    parts = [*words, *choose_shifts(said, chooser)]
    return tuple(Renaming(_change(text, find, part.change), part) for part in parts)


def _list_said(text: str, find: FindInputs) -> list[str]:
    return [str(leaf.value) for leaf in find(ast.parse(text))]


def _change(text: str, find: FindInputs, change: Callable[[str], str]) -> str:
    module = ast.parse(text)
    for leaf in find(module):
        if isinstance(leaf.value, str):
            leaf.value = change(leaf.value)
        elif isinstance(leaf.value, int | float):
            leaf.value = type(leaf.value)(change(str(leaf.value)))
    return ast.unparse(module)
