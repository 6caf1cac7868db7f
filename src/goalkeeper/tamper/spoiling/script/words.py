"""The words of assertion libraries are data, in words.toml."""

from __future__ import annotations

from functools import cache

from goalkeeper.core.shipped import read_tables
from goalkeeper.wire.pattern import late_pattern

_MATCHER = late_pattern(
    r"to(?:Be|Have|Contain|Equal|Match(?!FileSnapshot)|Throw|Strict|Satisfy|Return)\w*"
)


@cache
def _read_words(table: str, kind: str) -> frozenset[str]:
    words: str = read_tables(__package__, "words.toml")[table][kind]
    return frozenset(words.split())


def is_call_word(kind: str, word: str) -> bool:
    """Return whether this is such a word of `assert` or `t`."""
    return word in _read_words("calls", kind)


def is_chain_word(kind: str, word: str) -> bool:
    """Return whether this is such a word of a chain on `expect`."""
    return word in _read_words("chains", kind)


def is_sync_word(word: str) -> bool:
    return is_chain_word("sync", word) or bool(_MATCHER.fullmatch(word))
