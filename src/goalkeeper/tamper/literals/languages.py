"""The languages whose literals can be read and replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from goalkeeper.tamper.literals.data import (
    give_json,
    is_json,
    list_json_given,
    read_json_literals,
)
from goalkeeper.tamper.literals.model import Given, Literal
from goalkeeper.tamper.literals.python import (
    give_python,
    list_python_given,
    read_python_literals,
)
from goalkeeper.tamper.literals.script import (
    give_script,
    list_script_given,
    read_script_literals,
)
from goalkeeper.tamper.source import is_python, is_script
from goalkeeper.wire.value import Value


class LiteralLanguage(Value):
    is_written_in: Callable[[str], bool]
    read: Callable[[str, str], list[Literal]]  # those of a file
    list_given: Callable[[str, str], list[Given]]  # what the call of a question is given
    give: Callable[[str, Sequence[Given], str], str]  # the call with other values


_LANGUAGES = (
    LiteralLanguage(is_python, read_python_literals, list_python_given, give_python),
    LiteralLanguage(is_script, read_script_literals, list_script_given, give_script),
    LiteralLanguage(is_json, read_json_literals, list_json_given, give_json),
)


def find_language(path: str) -> LiteralLanguage | None:
    return next((each for each in _LANGUAGES if each.is_written_in(path)), None)
