"""The words and patterns that readers look for are data, in words.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from goalkeeper.core.shipped import read_tables
from goalkeeper.wire.pattern import late_pattern


@cache
def read_words(name: str) -> frozenset[str]:
    return frozenset(read_table("words")[name])


@cache
def read_pattern(name: str) -> re.Pattern[str]:
    return compile_pattern(read_table("patterns")[name])


@cache
def read_patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """Return alternatives one by one: those that begin with a word are found faster so."""
    return tuple(map(compile_pattern, read_table("patterns")[name]))


def compile_pattern(written: str | list[str]) -> re.Pattern[str]:
    """Make a pattern. A list has alternatives; `{name}` stands for the words of that name.

    It is compiled at its first use: a change of one language needs few of them.
    """
    whole = written if isinstance(written, str) else "|".join(written)
    return late_pattern(re.sub(r"\{([a-z]+(?:-[a-z]+)+)\}", _write_named, whole))


def _write_named(found: re.Match[str]) -> str:
    listed = read_table("words").get(found[1])
    inner = "|".join(map(re.escape, sorted(listed))) if listed else read_pattern(found[1]).pattern
    return f"(?:{inner})"


def read_table(name: str) -> Mapping[str, Any]:
    table: Mapping[str, Any] = read_tables(__package__, "words.toml")[name]
    return table
