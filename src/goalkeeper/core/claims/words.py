"""How patterns over the masked text are written, and the words that several of them share.

Every repetition in them is bounded or possessive, so that a text is read in linear time whatever
it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from goalkeeper.core.claims.masking import MASKS

_END = 2**62  # of any text


def join_lines(text: str) -> str:
    """A part of a pattern, broken into lines; `[ ]` is a blank at the edge of one."""
    return "".join(line.strip() for line in text.splitlines()).replace("[ ]", " ")


class WordPattern:
    """Compiled at its first use: a command that reads no claims does not pay for it."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text)

    def finditer(self, text: str, start: int = 0, end: int = _END) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text, start, end)

    def search(self, text: str, start: int = 0, end: int = _END) -> re.Match[str] | None:
        return self._compiled.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = _END) -> re.Match[str] | None:
        return self._compiled.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = _END) -> re.Match[str] | None:
        return self._compiled.fullmatch(text, start, end)


def compile_words(text: str) -> WordPattern:
    r"""A blank stands for any number of blanks, and `\x20` for a single one."""
    return WordPattern(join_lines(text).replace(" ", r"\x20++"))


def one_of(text: str) -> str:
    """A pattern for one of the words; in a word `_` stands for a blank."""
    return "(?:" + "|".join(text.split()).replace("_", " ") + ")"


def split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIRST = r"(?<![^\n])"  # the first word of a sentence
LAST = r"(?=\x20*+(?:[.,;:!)—–\n]|$))"  # the last word of a clause
WORD = rf"(?:[\w{MASKS}'/-]|\.(?=\w)){{1,99}}"
NUMBER = r"\d[\d,.]{0,15}+"
BE = one_of("is are was were 's 're has_been have_been had_been remains remain stays")
NOT_BE = r"(?:(?:is|are|was|were|'s|'re)(?: still)? not|(?:is|are|was|were)n't)"
CANNOT = one_of(
    """
    can't cannot can_not could_not couldn't unable_to failed_to fails_to failing_to not_able_to
    impossible_to didn't did_not
    """
)

# What a run brought about or did not: an outcome, told by whoever ran it, not a gap in the world.
_KIND = one_of(
    """
    more other new open further remaining known visible real such test type lint merge build
    critical blocking reported unexpected relevant apparent obvious
    """
)
_NOUN = one_of(
    r"""
    tests?_fail\w*+ failing failed failures? errors? warnings? regressions? problems? issues?
    conflicts? diffs? differences? findings? violations? defects? bugs? leaks? crash(?:es)?
    flak\w++ exceptions? timeouts? skips? skipped mismatch(?:es)? misses complaints? exit
    vulnerabilit(?:y|ies) downtime retries surprises? side_effects? effects? impact bearing
    influence changes? need doubt reasons? harm rush point hurry output questions? longer risks?
    costs? overhead downsides? objections? idea trouble matter use
    """
)
OUTCOME = rf"(?:{_KIND} ){{0,4}}{_NOUN}\b"
