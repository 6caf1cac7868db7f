"""Text that was written to be slow to read."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from goalkeeper.core import claims as package
from goalkeeper.core.claims import find_bare_assertions, find_claims, find_hedges
from goalkeeper.core.claims.signs import Sign
from goalkeeper.core.claims.words import WordPattern
from tests.tables import for_each

MEGABYTE = 2**20
parser: Any = import_module("re._parser")
NAMES = ("absence", "asserting", "file_state", "hedging", "modality", "outage", "zero_count")


def patterns(value: object) -> list[WordPattern]:
    if isinstance(value, WordPattern):
        return [value]
    if isinstance(value, Sign):
        return patterns((value.words, value.unless))
    return [each for item in value for each in patterns(item)] if isinstance(value, tuple) else []


def all_patterns(module: ModuleType) -> list[WordPattern]:
    return [found for value in vars(module).values() for found in patterns(value)]


def runaways(parsed: list[Any]) -> list[str]:
    """Repetitions without end that may give back what they took, or that take whole words."""
    found: list[str] = []
    for name, argument in parsed:
        if str(name) in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            _, most, inner = argument
            endless = most == parser.MAXREPEAT
            if endless and (str(name) != "POSSESSIVE_REPEAT" or inner.getwidth()[1] > 1):
                found.append(str(inner))
        found += [each for part in parts(argument) for each in runaways(part)]
    return found


def parts(argument: object) -> list[list[Any]]:
    if isinstance(argument, tuple | list):
        return [part for each in argument for part in parts(each)]
    return [cast("list[Any]", argument)] if isinstance(argument, parser.SubPattern) else []


@for_each("name", NAMES)
def test_no_pattern_can_run_away(name: str) -> None:
    found = all_patterns(sys.modules[f"{package.__name__}.{name}"])

    assert found
    assert [runaways(parser.parse(each._text)) for each in found] == [[]] * len(found)


@for_each("unit", ["a", "status "])
def test_a_megabyte_of_the_same_is_read(unit: str) -> None:
    assert find_claims(unit * (MEGABYTE // len(unit))) == ()


def test_a_sentence_as_long_as_a_book_is_read() -> None:
    text = "it is probably so, and " * 5_000 + "a.md was deleted"

    assert len(find_hedges(text)) == 5_000
    assert len(find_claims(text)) == 1
    assert len(find_bare_assertions(text)) == 1


@for_each(
    "unit",
    ["'a ", '"a" ', "```a\n", "a.md, ", "> a\n", "if ", "(", "_", "all ", "98% of ", "no ", "“"],
)
def test_many_of_the_same_are_read(unit: str) -> None:
    text = unit * 3_000

    assert all(text[found.start : found.end] == found.matched for found in find_claims(text))
    assert all(text[found.start : found.end] == found.matched for found in find_hedges(text))
