"""Spoils tests in languages that nobody here parses: literals in calls, rows and comparisons.

Inputs change, too, where they stand beside what is expected: a comparison of two values that were
both chosen at random does not hold. Which tests must fail is not known, only that not all can pass,
and that only if it is so on the base.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from goalkeeper.tamper.spoiling.model import SpoiltFile
from goalkeeper.tamper.spoiling.values import Chooser, change_decimal, change_text
from goalkeeper.wire.pattern import late_pattern

_CALL = late_pattern(
    r"^[ \t]+(?:[\w.:]+\.)?(?P<name>\w+)!?\((?P<given>.*,.*)\);?[ \t]*$", re.MULTILINE
)
_ROW = late_pattern(r"^[ \t]*\{(?P<given>.*,.*)\},?;?[ \t]*$", re.MULTILINE)
_COMPARED = late_pattern(
    r"(?<!argc )(?:==|!=)[ \t]*(?P<given>\"(?:[^\"\\\n]|\\.)*\"|\b\d+(?:\.\d+)?\b)"
)
_LITERAL = late_pattern(r'"(?:[^"\\\n]|\\.)*"|(?<![\w.])\d+(?:\.\d+)?(?![\w.])')
_WRITTEN = r'(?:"(?:[^"\\\n]|\\.)*"|-?\d[\w.]*|NULL|true|false)'
# Lines that call one helper of the test with nothing but literals, one below the other.
_ALIKE = late_pattern(
    rf"(?:^(?P<call>[ \t]+\w+)\({_WRITTEN}(?:, *{_WRITTEN})+\);\n)"
    rf"(?:(?P=call)\({_WRITTEN}(?:, *{_WRITTEN})+\);\n)+",
    re.MULTILINE,
)
_ESCAPE = late_pattern(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)|%[-+ #0]*[\d.*]*[a-zA-Z]{1,2}"
)
_PRINTING = late_pattern(
    r"\w*(?:print|log|error|fatal|skip|format|include|puts|run)\w*", re.IGNORECASE
)


ChangeLiteral: TypeAlias = Callable[[str, Chooser], str]


def spoil_other(text: str, seed: str, *, path: str) -> SpoiltFile | None:
    """Return the file with other literals; None if there is nothing to change."""
    made = change_literals(text, Chooser(seed, path), _change, lengthens=True)
    return SpoiltFile(made, ("",)) if made != text else None


def change_literals(
    text: str,
    chooser: Chooser,
    change: ChangeLiteral,
    *,
    one_each: bool = False,
    lengthens: bool = False,
) -> str:
    """Return a file with changed literals wherever tests have inputs and expectations.

    With `one_each` one literal of each call changes, which is given or expected. With `lengthens`
    the last of a call is a longer number: of short ones, 5 - 2 is 3 by chance.
    """
    edits: dict[int, tuple[int, str]] = {}
    for pattern in (_CALL, _ROW, _COMPARED):
        for found in pattern.finditer(text):
            is_printing = pattern is _CALL and _PRINTING.fullmatch(found["name"])
            if not is_printing:
                literals = _find_literals(found, keeps_last=pattern is _CALL)
                at = found.start("given")
                if one_each and literals:
                    literals = [literals[chooser.at(at).draw(len(literals))]]
                for each in literals:
                    start, end = at + each.start(), at + each.end()
                    new = change(each[0], chooser.at(start))
                    if lengthens and each is literals[-1] and new[-1].isdigit():
                        # In front, because a number that begins with 0 is read by its eights.
                        new = str(10 + chooser.at(start).draw(90, "longer")) + new
                    edits[start] = end, new
    made, done = [], 0
    for start, (end, new) in sorted(edits.items()):
        if start >= done:
            made += [text[done:start], new]
            done = end
    return "".join([*made, text[done:]])


def turn_calls(text: str, chooser: Chooser) -> str:
    """Return a file in which calls of the same helper come in another order."""

    def turn(found: re.Match[str]) -> str:
        lines = found[0].splitlines(keepends=True)
        first = 1 + chooser.at(found.start()).draw(len(lines) - 1)
        return "".join([*lines[first:], *lines[:first]])

    return _ALIKE.sub(turn, text)


def _find_literals(found: re.Match[str], *, keeps_last: bool) -> list[re.Match[str]]:
    """Return the literals; the last text of several values is most often the name of the test."""
    literals = [*_LITERAL.finditer(found["given"])]
    if keeps_last and len(literals) > 1 and literals[-1][0].startswith('"'):
        del literals[-1]
    return literals


def _change(literal: str, chooser: Chooser) -> str:
    if not literal.startswith('"'):
        is_octal = len(literal) > 1 and literal[0] == "0" and literal.isdigit()
        return (None if is_octal else change_decimal(literal, chooser)) or literal
    done, parts = 0, []
    for kept in _ESCAPE.finditer(literal):
        parts += [change_text(literal[done : kept.start()], chooser.at(done)), kept[0]]
        done = kept.end()
    return "".join([*parts, change_text(literal[done:], chooser.at(done))])
