"""The engine itself finds all claims of a text; their author need not name them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from goalkeeper.core.claims.file_state import find_file_states
from goalkeeper.core.claims.reading import Claim, ClaimClass, Reading, read_text
from goalkeeper.core.claims.word_lists import Sign, read_signs

_WINDOW = 60  # so many characters before a sign may show that it means something else
_AROUND = 100  # a zero's field may be named so many characters before or after it
_LONGEST = 400


def find_claims(text: str) -> tuple[Claim, ...]:
    """Return every claim in the order of the text; one sentence may make several."""
    reading = read_text(text)
    zeros = [_add_field(reading, zero) for zero in _find_by_signs(reading, ClaimClass.ZERO_COUNT)]
    gaps = _find_by_signs(reading, ClaimClass.ABSENCE)
    found = [
        *find_file_states(reading),
        *(gap for gap in gaps if not _is_counted(gap, zeros)),
        *_find_by_signs(reading, ClaimClass.INFRASTRUCTURE),
        *zeros,
    ]
    return tuple(sorted(found, key=lambda claim: (claim.start, claim.end, claim.kind)))


def _find_by_signs(reading: Reading, kind: ClaimClass) -> Iterator[Claim]:
    """Yield what a sign of the class asserts; where two overlap, take the first and longest."""
    spans = [
        found.span()
        for sign in read_signs(kind)
        for found in sign.pattern.finditer(reading.view)
        if reading.is_asserted(*found.span()) and not _is_other(reading.view, found.start(), sign)
    ]
    last = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= last:
            yield reading.make_claim(kind, start, end)
            last = end


def _is_other(view: str, start: int, sign: Sign) -> bool:
    return bool(sign.unless and sign.unless.search(view[max(start - _WINDOW, 0) : start]))


def _is_counted(gap: Claim, zeros: list[Claim]) -> bool:
    """Return whether it is counted: "all entries are missing x" is a count, not an absence."""
    number = bisect_left(zeros, gap.start, key=lambda zero: zero.start) - 1
    return number >= 0 and gap.end <= zeros[number].end


def _add_field(reading: Reading, zero: Claim) -> Claim:
    """Add the field and its files, because a zero is often only a field that is misspelt."""
    sentence = reading.sentence_at(zero.start)
    first = max(sentence.start, zero.start - _AROUND)
    last = min(sentence.end, zero.end + _AROUND)
    files = tuple(mention.path for mention in reading.mentions_between(first, last))
    onward = reading.text[zero.start : min(last, zero.start + _LONGEST)]
    before = reading.text[first : zero.start]
    field = _find_field(onward, files) or _find_field(before + onward, files)
    return zero.replace(files=files, field=field)


def _find_field(said: str, files: tuple[str, ...]) -> str:
    """Return the first name of a field, by the surest way of writing one."""
    ways = read_signs(ClaimClass.ZERO_COUNT, "field")
    names = (found[1].strip(".-") for way in ways for found in way.pattern.finditer(said))
    return next((name for name in names if name and name not in files), "")
