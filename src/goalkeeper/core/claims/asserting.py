"""The form of an assertion: "X is Y because Z", and Z holds something that can be looked up.

A reason may begin with because, since (not of time), as shown by, confirmed by, according to,
based on, given that, due to, or per. What counts as evidence in it: a path, a span of code, an
address, a digit (a count, a line, a hash), an exit code in words. A sentence that begins with
"Observed:" or "Evidence:" reports what was seen and needs no reason, but it needs such a token.
Headings, lead-ins (":"), questions, plans, conditions and what is unknown assert nothing.
"""

from __future__ import annotations

import re

from goalkeeper.core.claims.found import Flaw
from goalkeeper.core.claims.masking import CODE, FILE, MASKS, URL
from goalkeeper.core.claims.reading import Reading, Sentence, read_text
from goalkeeper.core.claims.words import FIRST, compile_words, one_of

_TIME = one_of(
    r"""
    then yesterday last today monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december v?\d\w*+ version
    release the_(?:last|first|start|beginning|release|previous|upgrade|merge|rewrite|session)
    """
)
_SEEN = one_of(
    """
    shown seen confirmed verified proved proven demonstrated evidenced recorded reported established
    supported stated printed
    """
)
_REASONS = compile_words(
    rf"""
    \b(?:because\b|since\b(?! {_TIME}\b)|(?:as )?{_SEEN} (?:by|in|with|from)\b
    |(?:according|due) to\b|based on\b|given that\b|as per\b|on the evidence of\b
    |per\b(?:(?<=[(,]\x20per)|(?<=\(per)|(?= (?:the )?[{CODE}{FILE}{URL}])|(?<={FIRST}per))
    |(?:evidence|proof|source|reason):)
    """
)
_EVIDENCE = compile_words(
    rf"""
    [{CODE}{FILE}{URL}]|\d
    |\bexit(?:ed|s)?(?: with)?(?: code| status)? (?:zero|non-?zero|cleanly)\b
    """
)
_REPORT = compile_words(
    rf"{FIRST}(?:observed|evidence|measured|seen)(?: \([^()\n]{{1,40}}\))?\x20*+:"
)
_OWN = re.compile(r"[^\W_]")
_SOMETHING = re.compile(rf"[^\W_]|[{MASKS}]")
_NO_REASON = "no reason is given: write 'X is Y because Z', and let Z cite what was seen"
_NO_EVIDENCE = (
    "the reason cites nothing that can be looked up: name a path, `code`, a number, a commit or an "
    "exit code after 'because'"
)
_NO_REPORT = (
    "what was observed cites nothing that can be looked up: name a path, `code` or a number"
)


def find_bare_assertions(text: str) -> tuple[Flaw, ...]:
    """The assertions that lack a reason, or evidence in it."""
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
    if report := _REPORT.match(view, start, end):
        return "" if _EVIDENCE.search(view, report.end(), end) else _NO_REPORT
    for reason in _REASONS.finditer(view, start, end):
        if until := _end_of_reason(view, reason, start, end):
            return "" if _EVIDENCE.search(view, reason.end(), until) else _NO_EVIDENCE
    return _NO_REASON


def _end_of_reason(view: str, reason: re.Match[str], start: int, end: int) -> int:
    """Where it ends; 0 if nothing is said for which it is a reason."""
    if _SOMETHING.search(view, start, reason.start()):
        return end
    comma = view.find(",", reason.end(), end)  # "Because Z, X is Y"
    if comma >= 0 and _SOMETHING.search(view, comma, end):
        return comma
    return 0 if reason[0] in ("because", "since") else end  # "According to Z X is Y"
