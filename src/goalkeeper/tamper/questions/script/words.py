"""Words of JavaScript are data, in words.toml."""

from __future__ import annotations

from functools import cache

from goalkeeper.core.shipped import read_tables


@cache
def list_words(kind: str) -> frozenset[str]:
    words: str = read_tables(__package__, "words.toml")["words"][kind]
    return frozenset(words.split())
