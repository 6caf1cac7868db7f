"""A text is read once: for the author's own prose, its sentences, and what they assert."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from enum import StrEnum

from goalkeeper.core.claims.masking import (
    FILE,
    QUOTE,
    Part,
    Span,
    TextBlock,
    find_spans,
    flatten_signs,
    mask_spans,
    split_blocks,
)
from goalkeeper.core.claims.modality import Modality, Stretch, find_stretches
from goalkeeper.core.claims.paths import Mention, find_mentions
from goalkeeper.core.claims.word_lists import read_words
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_STOP = late_pattern(rf"(?<![.!?…])[.!?…]++[\"'”)\]*_»{QUOTE}]*+(?=[\s]|$)")
_EDGES = late_pattern(r"(?<!\w)_++|(?<!_)_++(?!\w)|[*~]")
_LAST_WORD = late_pattern(r"[\w.]++$")


class ClaimClass(StrEnum):
    FILE_STATE = "file-state"  # as in "config.yaml contains Y", "handoff.md was updated"
    ABSENCE = "absence"  # as in "isn't built", "doesn't exist", "not pushed"
    INFRASTRUCTURE = "infrastructure"  # as in "the server is down", "connection refused"
    ZERO_COUNT = "zero-count"  # as in "98% of records have x=0", "missing field"


class Claim(Value):
    """An assertion of the author that needs evidence of its own kind."""

    kind: ClaimClass
    sentence: str  # the whole sentence as it was written
    matched: str  # the words that make it a claim
    start: int  # where the match begins in the submitted text
    end: int
    files: tuple[str, ...] = ()  # FILE_STATE names paths; ZERO_COUNT may name a file
    field: str = ""  # ZERO_COUNT names a field, with dots
    contents: tuple[str, ...] = ()  # FILE_STATE may say what the files contain, word for word


class Sentence(Value):
    """A sentence of the author; list items and headings are sentences of their own."""

    text: str
    start: int
    end: int
    prose: str  # as long as the text, in lower case; masks cover what is not the author's own
    modality: frozenset[Modality]
    is_heading: bool = False


class Reading(Value):
    """A text that was read. All spans are of `text`; `view` is as long, with sentences as lines."""

    text: str
    view: str
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]
    stretches: tuple[Stretch, ...]

    def sentence_at(self, position: int) -> Sentence:
        number = bisect_right(self.sentences, position, key=lambda sentence: sentence.start)
        return self.sentences[number - 1]

    def is_asserted(self, start: int, end: int) -> bool:
        """Return whether nothing between the two is unknown, asked, planned or conditional."""
        number = bisect_right(self.stretches, start, key=lambda stretch: stretch.start) - 1
        here = self.stretches[max(number, 0) : number + 2]
        return not any(stretch.start < end and start < stretch.end for stretch in here)

    def asserted_parts(self, sentence: Sentence) -> Iterator[tuple[int, int]]:
        """Yield what is left of the sentence without its stretches."""
        start = sentence.start
        number = bisect_left(self.stretches, start, key=lambda stretch: stretch.start)
        while number < len(self.stretches) and self.stretches[number].start < sentence.end:
            yield start, self.stretches[number].start
            start = self.stretches[number].end
            number += 1
        yield start, sentence.end

    def mentions_between(self, start: int, end: int) -> tuple[Mention, ...]:
        first = bisect_left(self.mentions, start, key=lambda mention: mention.start)
        return self.mentions[first : bisect_left(self.mentions, end, key=lambda m: m.start)]

    def make_claim(self, kind: ClaimClass, start: int, end: int) -> Claim:
        sentence = self.sentence_at(start).text
        return Claim(kind, sentence, self.text[start:end], start, end)


def read_text(text: str) -> Reading:
    flat = flatten_signs(text)
    parts = list(split_blocks(flat))
    quoted = [span for block in parts for span in find_spans(text, flat, block)]
    # A fence belongs to no block, and names no files.
    seen = _lay_lines(mask_spans(flat, quoted), [(block.start, block.end) for block in parts])
    named = find_mentions(text, flat, quoted, seen)
    files = {mention.start for mention in named}
    spans = [span for span in quoted if span.start not in files]
    spans += [Span(FILE, mention.start, mention.end) for mention in named]
    spans.sort(key=lambda span: span.start)
    view = _EDGES.sub(lambda edge: " " * len(edge[0]), mask_spans(flat, spans))
    bounds = [(*bound, block.part) for block in parts for bound in _split_block(text, view, block)]
    view = _lay_lines(view, [(start, end) for start, end, _ in bounds])
    found = _with_modality(view, bounds)
    return Reading(
        text,
        view,
        tuple(
            Sentence(
                text[start:end], start, end, view[start:end],
                frozenset(stretch.modality for stretch in unasserted), part is Part.HEADING,
            )
            for (start, end, part), unasserted in zip(bounds, found, strict=True)
        ),
        tuple(named),
        tuple(stretch for unasserted in found for stretch in unasserted),
    )  # fmt: skip


def _lay_lines(view: str, bounds: list[tuple[int, int]]) -> str:
    """Put each of them on a line of its own, and leave everything else blank."""
    pieces, last = [], 0
    for start, end in bounds:
        pieces += ["\n" * (start - last), view[start:end].replace("\n", " ")]
        last = end
    return "".join([*pieces, "\n" * (len(view) - last)])


def _split_block(text: str, view: str, block: TextBlock) -> Iterator[tuple[int, int]]:
    start = block.start
    for stop in _STOP.finditer(view, block.start, block.end):
        if _is_sentence_end(text, view, start, stop):
            yield from _trim_span(view, start, stop.end())
            start = stop.end()
    yield from _trim_span(view, start, block.end)


def _is_sentence_end(text: str, view: str, start: int, stop: re.Match[str]) -> bool:
    at = stop.start()
    if view[at] != "." or len(stop[0]) > 1:
        return True
    word = _LAST_WORD.search(view, max(start, at - 12), at)
    if word is None:
        return at > start and not view[at - 1].isspace()
    following = text[stop.end() : stop.end() + 40].lstrip()[:1]
    if word[0] in read_words("sentences", "NEVER_ENDS"):
        return not following
    seldom = word[0] in read_words("sentences", "SELDOM_ENDS")
    return not seldom or not following or following.isupper()


def _trim_span(view: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = view[start:end]
    if piece.strip():
        first = start + len(piece) - len(piece.lstrip())
        yield first, start + len(piece.rstrip())


def _with_modality(view: str, bounds: list[tuple[int, int, Part]]) -> list[list[Stretch]]:
    """What a heading or "Unknown:" says about itself holds for the list below it."""
    found: list[list[Stretch]] = []
    above: Modality | None = None
    for start, end, part in bounds:
        own = find_stretches(view, start, end)
        if part is Part.ITEM and above is not None and not own:
            own = [Stretch(above, start, end)]
        if part is not Part.ITEM:
            is_lead = part is Part.HEADING or view[end - 1] == ":"
            above = own[0].modality if is_lead and own else None
            above = above or (_modality_of_title(view[start:end]) if is_lead else None)
        found.append(own)
    return found


def _modality_of_title(title: str) -> Modality | None:
    """Return the modality of what stands under such a title."""
    name = title.strip(" :#")
    if name in ("unknown", "unknowns", "not verified", "open questions", "open question"):
        return Modality.UNKNOWN
    planned = ("next", "next steps", "plan", "todo", "to do", "remaining work", "follow-up")
    return Modality.PLANNED if name in planned else None
