"""The lists in `words/*.toml` become patterns.

A list in `[words]` is a text of words with blanks between them; in a word `_` stands for a blank.
All other patterns are regular expressions for the masked text. Everywhere `{NAME}` stands for the
list or pattern of that name, of the same file or of shared.toml. Every repetition is bounded or
possessive, so that a text is read in linear time whatever it says.

Nothing is read or compiled before its first use: a command that reads no claims does not pay.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from goalkeeper.core.claims.masking import CODE, FILE, MASKS, QUOTE, URL
from goalkeeper.core.shipped import read_tables
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_SHARED = "shared"
_NAMES_OF_MASKS = {"CODE": CODE, "QUOTE": QUOTE, "URL": URL, "FILE": FILE, "MASKS": MASKS}
_REFERENCE = late_pattern(r"\{([A-Z][A-Z_]*)\}")  # it does not match a count such as {0,4}


class Sign(Value):
    """A pattern by which something is known, unless another pattern is found right before it."""

    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None


@cache
def read_words(file: str, name: str) -> frozenset[str]:
    return frozenset(_read_tables(file)["words"][name].split())


@cache
def read_pattern(file: str, name: str) -> re.Pattern[str]:
    return _compile(file, f"{{{name}}}")


@cache
def read_signs(file: str, table: str = "sign") -> tuple[Sign, ...]:
    return tuple(
        Sign(
            _compile(file, entry["pattern"]),
            _compile(file, entry["unless"]) if "unless" in entry else None,
        )
        for entry in _read_tables(file)[table]
    )


def _read_tables(file: str) -> dict[str, Any]:
    return read_tables(__package__, "words", f"{file}.toml")


@cache
def _read_named(file: str) -> dict[str, str]:
    """Return everything that `{NAME}` can stand for in this file."""
    tables = _read_tables(file)
    known = _NAMES_OF_MASKS if file == _SHARED else _read_named(_SHARED)
    lists = {
        name: "(?:" + "|".join(text.split()).replace("_", " ") + ")"
        for name, text in tables["words"].items()
    }
    return {**known, **lists, **tables.get("patterns", {})}


def _compile(file: str, text: str) -> re.Pattern[str]:
    r"""A blank stands for any number of blanks, and `\x20` for a single one."""
    return re.compile(_fill_in(file, text).replace(" ", r"\x20++"))


def _fill_in(file: str, text: str) -> str:
    """Lines are joined, and names are replaced; `[ ]` is a blank at the edge of a line."""
    joined = "".join(line.strip() for line in text.splitlines()).replace("[ ]", " ")
    return _REFERENCE.sub(lambda found: _fill_in(file, _read_named(file)[found[1]]), joined)
