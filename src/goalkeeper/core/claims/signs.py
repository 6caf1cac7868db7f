"""Looking for the words by which a claim is known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalkeeper.core.claims.found import Claim, ClaimClass
from goalkeeper.core.claims.reading import Reading
from goalkeeper.core.claims.words import WordPattern
from goalkeeper.wire.value import Value

_WINDOW = 60  # characters before a sign that may show that it means something else


class Sign(Value):
    words: WordPattern
    unless: WordPattern | None = None  # in what stands right before


def signs_in(reading: Reading, signs: Sequence[Sign]) -> list[tuple[int, int]]:
    """Where they are asserted; of two that overlap, the first and longest."""
    spans = [
        found.span()
        for sign in signs
        for found in sign.words.finditer(reading.view)
        if reading.is_asserted(*found.span()) and not _is_other(reading.view, found, sign)
    ]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _is_other(view: str, found: re.Match[str], sign: Sign) -> bool:
    before = view[max(found.start() - _WINDOW, 0) : found.start()]
    return sign.unless is not None and bool(sign.unless.search(before))


def make_claim(kind: ClaimClass, reading: Reading, start: int, end: int) -> Claim:
    sentence = reading.sentence_at(start).text
    return Claim(kind, sentence, reading.text[start:end], start, end)
