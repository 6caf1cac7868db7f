"""Calls in Python with other numbers in them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from goalkeeper.tamper.questions.neighbours import choose_numbers, list_shifts, replace_number
from goalkeeper.tamper.questions.scenarios import find_varied
from goalkeeper.tamper.spoiling.values import Chooser


def list_walked(text: str, chooser: Chooser) -> tuple[tuple[str, ...], ...]:
    """Return steps in which a number is another one, wherever it stands; then all of them are."""
    said = [str(leaf.value) for leaf in find_varied(ast.parse(text))]
    numbers = choose_numbers(said, chooser)
    shifted = [_change_numbers(text, shift) for shift in list_shifts(said, chooser)]
    return tuple(
        (*(_change_numbers(text, partial(replace_number, old=old, new=n)) for n in new), *shifted)
        for old, new in numbers.items()
    )


def _change_numbers(text: str, change: Callable[[str], str]) -> str:
    module = ast.parse(text)
    for leaf in find_varied(module):
        if isinstance(leaf.value, str):
            leaf.value = change(leaf.value)
        elif isinstance(leaf.value, int | float):
            leaf.value = type(leaf.value)(change(str(leaf.value)))
    return ast.unparse(module)
