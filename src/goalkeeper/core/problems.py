"""Texts that somebody wrote: whether they say something, what is wrong, how they fit a line."""

from __future__ import annotations

from collections.abc import Iterable

from goalkeeper.wire.value import Value

_WORD_CHARACTERS = "".join(map(chr, range(ord("!"), ord("~") + 1)))
_LONG_WORD = 64
REASON_LETTERS, REASON_WORDS = 32, 5


class Problem(Value):
    """One thing wrong with something somebody wrote, and where."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def is_blank(text: str) -> bool:
    """Return whether it says nothing, because no letter and no digit is in it."""
    return not any(character.isalnum() for character in text)


def is_reasoned(text: str) -> bool:
    """Return whether a reason says something: so many letters, and words that differ."""
    words = {word.casefold() for word in text.split() if sum(map(str.isalnum, word)) > 1}
    return len(text.strip()) >= REASON_LETTERS and len(words) >= REASON_WORDS


def clip_line(text: str, most: int) -> str:
    """Return the text on one line of at most so many characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else cut_text(flat, most - 3) + "..."


def cut_text(text: str, most: int) -> str:
    """Return at most so many characters, and no half word: it may be half of a secret.

    What is left of a long word stays, because a long piece of a secret is known by its looks.
    """
    cut = text[:most]
    if len(text) <= most or text[most].isspace():
        return cut
    whole = cut.rstrip(_WORD_CHARACTERS)
    return whole.rstrip() if len(cut) - len(whole) < _LONG_WORD else cut


def find_nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant; empty when none is near."""
    from difflib import get_close_matches  # noqa: PLC0415  for mistakes only

    return next(iter(get_close_matches(name, list(known), n=1)), "")
