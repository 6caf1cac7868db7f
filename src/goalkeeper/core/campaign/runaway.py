"""Regular expressions that may take for ever: a repeat within a repeat can be split in many ways.

`(a+)+` matches aaaa in eight ways, and tries all of them before it says no. A repeat is safe if
each of its rounds can end at one place only. What is not known to be safe counts as dangerous.
Repeats in a row can share a text in many ways, too: `.*.*.*.*=` takes minutes for 300 letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from re import _parser  # type: ignore[attr-defined]  # the only reader that reads as re does
from typing import Any

_Item = tuple[Any, Any]  # an operation and its arguments, as re's own parser has them
_MOST_FREE = 3  # so many repeats of a pattern may end at several places each
_OPEN = 50  # a repeat with so many lengths to choose from may as well be without an end
_USUAL = "a0_ -"  # letters that classes such as \w are tried with, beside those of the pattern
_Letters = frozenset[str]


def may_run_away(pattern: str) -> bool:
    """Return whether the time to search for it may grow beyond all bounds."""
    parsed = _parse(pattern)
    if any(map(_is_dangerous, _walk(parsed))):
        return True
    count, _ = _count_free(parsed, frozenset(), frozenset({*_USUAL, *pattern}))
    return count > _MOST_FREE


def _parse(pattern: str) -> Iterable[_Item]:
    found: Iterable[_Item] = _parser.parse(pattern)
    return found


def _walk(items: Iterable[_Item]) -> Iterator[_Item]:
    for item in items:
        yield item
        for inner in _list_inner(item):
            yield from _walk(inner)


def _list_inner(item: _Item) -> list[Iterable[_Item]]:
    """Return the patterns that an item of a pattern has in it."""
    arguments = item[1][1] if str(item[0]) == "BRANCH" else item[1]
    listed = arguments if isinstance(arguments, tuple | list) else [arguments]
    return [each for each in listed if isinstance(each, _parser.SubPattern)]


def _is_repeat(item: _Item) -> bool:
    return str(item[0]).endswith("_REPEAT")


def _is_dangerous(item: _Item) -> bool:
    """Return whether an item repeats something whose rounds may end at several places."""
    if not _is_repeat(item) or int(item[1][1]) <= 1:
        return False
    items = list(_flatten(item[1][2]))
    variable = [each for each in items if _is_repeat(each) and each[1][0] != each[1][1]]
    if not all(_is_letter(each) or _repeats_letter(each) for each in items):
        return True  # alternatives, references or groups that repeat
    if not variable:
        return False
    ends = [at for at in (0, len(items) - 1) if _is_separator(items, at)]
    return len(variable) > 1 or not ends


def _flatten(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield items one after another, without the groups that they stand in."""
    for item in items:
        if str(item[0]) == "SUBPATTERN":
            yield from _flatten(item[1][3])
        else:
            yield item


def _is_letter(item: _Item) -> bool:
    return str(item[0]) in {"LITERAL", "NOT_LITERAL", "IN", "ANY"}


def _repeats_letter(item: _Item) -> bool:
    return _is_repeat(item) and len(item[1][2]) == 1 and _is_letter(item[1][2][0])


def _is_separator(items: list[_Item], at: int) -> bool:
    """Return whether a letter stands here that no other item can match: a round has one of it."""
    if str(items[at][0]) != "LITERAL":
        return False
    letter = chr(items[at][1])
    others = [item for number, item in enumerate(items) if number != at]
    return not any(_can_match(item, letter) for item in others)


def _can_match(item: _Item, letter: str) -> bool:
    operation, argument = str(item[0]), item[1]
    cases = {letter, letter.lower(), letter.upper()}  # somebody may ask for either
    if _is_repeat(item):
        return _takes(argument[2], letter)
    if operation == "LITERAL":
        return chr(argument) in cases
    if operation == "NOT_LITERAL":
        return chr(argument) != letter
    if operation == "IN":
        return _is_in_class(argument, cases)
    return True


def _is_in_class(members: list[_Item], cases: set[str]) -> bool:
    """Return whether a class may have one of these letters; one that excludes some may."""
    for operation, argument in members:
        match str(operation):
            case "LITERAL":
                found = chr(argument) in cases
            case "RANGE":
                found = any(argument[0] <= ord(each) <= argument[1] for each in cases)
            case "CATEGORY":
                word = {"CATEGORY_WORD": r"\w", "CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s"}
                known = word.get(str(argument), ".")
                found = any(re.match(known, each, re.DOTALL) for each in cases)
            case _:
                found = True
        if found:
            return True
    return False


def _count_free(
    items: Iterable[_Item], following: _Letters, tried: _Letters
) -> tuple[int, _Letters]:
    """Count the repeats that may end at several places, because what follows takes their letters.

    Each of them multiplies the time. Return also the letters with which the items may begin.
    """
    count = most = 0
    for item in reversed([*_flatten(items)]):
        inner = [_count_free(each, following, tried) for each in _list_inner(item)]
        within = max((number for number, _ in inner), default=0)
        match str(item[0]):
            case "AT":
                is_end = str(item[1]).startswith("AT_END")
                following = frozenset() if is_end else following
            case "ASSERT" | "ASSERT_NOT" | "ATOMIC_GROUP":  # nobody goes back into one
                most = max(most, within)
                following = tried if str(item[0]) == "ATOMIC_GROUP" else following
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                taken = frozenset(each for each in tried if _takes(item[1][2], each))
                is_open = int(item[1][1]) - int(item[1][0]) >= _OPEN
                gives_back = str(item[0]) != "POSSESSIVE_REPEAT"
                is_free = is_open and gives_back and not taken.isdisjoint(following)
                count += max(within, int(is_free))
                following = taken if item[1][0] else taken | following
            case "BRANCH" | "GROUPREF" | "GROUPREF_EXISTS":
                count += within
                following = frozenset().union(*(begin for _, begin in inner)) if inner else tried
            case _:
                following = frozenset(each for each in tried if _can_match(item, each))
    return max(count, most), following


def _takes(items: Iterable[_Item], letter: str) -> bool:
    return any(_can_match(each, letter) for each in _flatten(items))
