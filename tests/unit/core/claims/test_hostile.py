"""Text that was written to be slow to read."""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, cast

import pytest

from goalkeeper.core.claims.flaws import find_bare_assertions, find_hedges
from goalkeeper.core.claims.scan import find_claims
from goalkeeper.core.claims.word_lists import read_pattern, read_signs
from tests.tables import for_each
from tests.unit.core.claims.test_examples import FILES

MEGABYTE = 2**20
parser: Any = import_module("re._parser")


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


def all_patterns() -> Iterator[re.Pattern[str]]:
    for file, tables in FILES.items():
        yield from (read_pattern(file, name) for name in (*tables["words"], *tables["patterns"]))
        for table in tables.keys() & {"sign", "field"}:
            for sign in read_signs(file, table):
                yield from (sign.pattern, sign.unless) if sign.unless else (sign.pattern,)


def test_no_pattern_can_run_away() -> None:
    found = [each for each in all_patterns() if runaways(parser.parse(each.pattern))]

    assert found == []


@pytest.mark.thorough
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
