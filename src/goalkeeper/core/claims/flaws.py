"""A text has a flaw where it hedges on an outcome, or asserts something without evidence.

What was seen is told as it was seen, or named unknown. An assertion has the form "X is Y because
Z", and Z holds something that can be looked up: a path, a span of code, an address, a digit (a
count, a line, a hash), an exit code in words. A reason may begin with because, since (not of
time), as shown by, confirmed by, according to, based on, given that, due to, or per. A sentence
that begins with "Observed:" or "Evidence:" reports what was seen and needs no reason, but it needs
such a token. Headings, lead-ins (":"), questions, plans, conditions and what is unknown assert
nothing.
"""

from __future__ import annotations

import re
from functools import partial

from goalkeeper.core.claims.masking import MASKS
from goalkeeper.core.claims.reading import Reading, Sentence, read_text
from goalkeeper.core.claims.word_lists import read_pattern
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_hedge_pattern = partial(read_pattern, "hedge")
_form_pattern = partial(read_pattern, "form")
_WINDOW = 24  # so many characters before a hedge may show that it is none
_OWN = late_pattern(r"[^\W_]")
_SOMETHING = late_pattern(rf"[^\W_]|[{MASKS}]")
_HEDGED = (
    "'{}' hedges on an outcome: state what was observed, and what is unknown in a sentence of its "
    "own that begins with 'Unknown:'"
)
_NO_REASON = "no reason is given: write 'X is Y because Z', and let Z cite what was seen"
_NO_EVIDENCE = (
    "the reason cites nothing that can be looked up: name a path, `code`, a number, a commit or an "
    "exit code after 'because'"
)
_NO_REPORT = (
    "what was observed cites nothing that can be looked up: name a path, `code` or a number"
)


class Flaw(Value):
    kind: str  # it is "hedge" or "form"
    sentence: str
    matched: str
    start: int
    end: int
    message: str


def find_hedges(text: str) -> tuple[Flaw, ...]:
    """Return every hedge on something that the author asserts."""
    reading = read_text(text)
    found = []
    for hedge in _hedge_pattern("HEDGES").finditer(reading.view):
        start, end = hedge.span()
        if reading.is_asserted(start, end) and not _is_name(reading, hedge):
            sentence, matched = reading.sentence_at(start).text, text[start:end]
            found.append(Flaw("hedge", sentence, matched, start, end, _HEDGED.format(matched)))
    return tuple(found)


def _is_name(reading: Reading, hedge: re.Match[str]) -> bool:
    start, end = hedge.span()
    before, word = reading.view[max(start - _WINDOW, 0) : start], reading.text[start:end]
    if reading.view[end : end + 1] == "(" or _hedge_pattern("SPOKEN_OF").search(before):
        return True
    if hedge[0].startswith(("may ", "might ")) and _hedge_pattern("NO_MODAL").search(before):
        return True
    is_first = start == reading.sentence_at(start).start or before.rstrip(" ").endswith(":")
    is_capital = word[:1].isupper() and word[1:].islower() and not is_first
    is_kind = _hedge_pattern("KIND_OF_THING").match(reading.view, end)
    return is_capital and bool(is_kind or word.startswith("May"))


def find_bare_assertions(text: str) -> tuple[Flaw, ...]:
    """Return the assertions that lack a reason, or evidence in it."""
    reading = read_text(text)
    return tuple(
        Flaw("form", sentence.text, sentence.text, sentence.start, sentence.end, said)
        for sentence in reading.sentences
        if _is_assertion(reading, sentence) and (said := _find_fault(reading.view, sentence))
    )


def _is_assertion(reading: Reading, sentence: Sentence) -> bool:
    if sentence.is_heading or sentence.prose.endswith(":"):
        return False
    # A quotation alone is not the author's word.
    return any(_OWN.search(reading.view, *span) for span in reading.asserted_parts(sentence))


def _find_fault(view: str, sentence: Sentence) -> str:
    start, end = sentence.start, sentence.end
    evidence = _form_pattern("EVIDENCE")
    if report := _form_pattern("REPORT").match(view, start, end):
        return "" if evidence.search(view, report.end(), end) else _NO_REPORT
    for reason in _form_pattern("REASONS").finditer(view, start, end):
        if until := _end_of_reason(view, reason, start, end):
            return "" if evidence.search(view, reason.end(), until) else _NO_EVIDENCE
    return _NO_REASON


def _end_of_reason(view: str, reason: re.Match[str], start: int, end: int) -> int:
    """Return where the reason ends, or 0 if the sentence says nothing that it is a reason for."""
    if _SOMETHING.search(view, start, reason.start()):
        return end
    comma = view.find(",", reason.end(), end)  # the sentence reads "Because Z, X is Y"
    if comma >= 0 and _SOMETHING.search(view, comma, end):
        return comma
    return 0 if reason[0] in ("because", "since") else end  # as in "According to Z X is Y"
