"""Code, quotations and addresses are masked, because the author did not write them himself.

The masked text is as long as the original, so a span in the one is a span in the other. It is in
lower case, its apostrophes are straight, and each kind of mask has a character of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import pairwise

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

CODE, QUOTE, URL, FILE = "\ue000", "\ue001", "\ue002", "\ue003"
MASKS = "\ue000-\ue003"  # patterns use it in a class of characters
_LONGEST_SINGLE_QUOTE = 300  # beyond that, two apostrophes do not belong together

_ODD_SPACES = "\t\v\f\r\x1c\x1d\x1e\x1f\xa0\u1680\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200C))
)
_PLAIN = str.maketrans(
    {
        **{upper: upper.lower() for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
        **dict.fromkeys("’ʼ´′＇‛", "'"),
        **dict.fromkeys("‐‑−", "-"),
        **dict.fromkeys(_ODD_SPACES + CODE + QUOTE + URL + FILE, " "),
        **dict.fromkeys("\x85\u2028\u2029", "\n"),
    }
)
_LINE = late_pattern(r"[^\n]*\n|[^\n]+")
_FENCE = late_pattern(r"[ ]*(`{3,}|~{3,})([^\n]*)")
_BLOCK_QUOTE = late_pattern(r"[ ]{0,3}>")
_HEADING = late_pattern(r"[ ]{0,3}#{1,6}(?=[ \n])")
_RULE = late_pattern(r"[ ]{0,3}(?:=+|-{2,}|\*{3,}|_{3,})[ ]*$")
_ITEM = late_pattern(r"[ ]*(?:[-*+•◦▪‣]|\d{1,9}[.)]|\(?[a-z]\))[ ]+(?:\[[ x]\][ ]+)?")
_ROW = late_pattern(r"[ ]*\|")
_MARK = late_pattern(
    r"`+|[\"'“”‘„«»]"
    r"|(?<!\w)(?=[hfsgw])(?:(?:https?|ftps?|file|ssh|git|wss?|s3|gs)://|www\.)[^\s<>\"'`]++"
)
_ENDING = ".!?…"


class Part(Enum):
    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"


class TextBlock(Value):
    part: Part
    start: int
    end: int


class Span(Value):
    mask: str
    start: int
    end: int


def flatten_signs(text: str) -> str:
    """Return a text of the same length, with one way to write each sign."""
    return text.translate(_PLAIN)


def split_blocks(flat: str) -> Iterator[TextBlock]:
    """Yield paragraphs, list items and headings; fences and block quotes are others' words."""
    lines = [(match.start(), match.end()) for match in _LINE.finditer(flat)]
    fenced = _find_fenced_lines(flat, lines)
    part, start, end = Part.PROSE, 0, 0  # the block being gathered is empty when start == end
    for number, (begin, stop) in enumerate(lines):
        opens = _open_part(flat, begin, stop) if number not in fenced else None
        if opens is None or opens[0] is not Part.PROSE or opens[1] != begin:
            if start < end:
                yield TextBlock(part, start, end)
            start = end = 0
        if opens is None:
            continue
        if start == end:
            part, start = opens
        end = stop
        if part is Part.HEADING:
            yield TextBlock(part, start, end)
            start = end = 0
    if start < end:
        yield TextBlock(part, start, end)


def _open_part(flat: str, begin: int, stop: int) -> tuple[Part, int] | None:
    """Return what a line is part of, and where its words begin; None if it has none."""
    line = flat[begin:stop]
    if not line.strip() or _BLOCK_QUOTE.match(line) or _RULE.match(line):
        return None
    if heading := _HEADING.match(line):
        return Part.HEADING, begin + heading.end()
    if item := _ITEM.match(line) or _ROW.match(line):
        return Part.ITEM, begin + item.end()
    return Part.PROSE, begin


def _find_fenced_lines(flat: str, lines: list[tuple[int, int]]) -> frozenset[int]:
    """Return the lines of code fences; a fence that is never closed hides nothing."""
    fences = {n: match for n, line in enumerate(lines) if (match := _FENCE.match(flat, *line))}
    longest: dict[int, dict[str, int]] = {}  # what could still close a fence, from each line on
    ahead: dict[str, int] = {}
    for number in reversed(fences):
        longest[number] = ahead
        run, rest = fences[number].groups()
        if not rest.strip():
            ahead = {**ahead, run[0]: max(len(run), ahead.get(run[0], 0))}
    inside: set[int] = set()
    opened, opener = -1, ""
    for number, match in fences.items():
        run, rest = match.groups()
        if not opener:
            if longest[number].get(run[0], 0) >= len(run) and "`" not in rest:
                opened, opener = number, run
        elif run.startswith(opener) and not rest.strip():
            inside.update(range(opened, number + 1))
            opener = ""
    return frozenset(inside)


def find_spans(text: str, flat: str, block: TextBlock) -> Iterator[Span]:
    """Yield code, quotations and addresses within one block."""
    marks = list(_MARK.finditer(flat, block.start, block.end))
    closers = _match_closers(flat, marks)
    number = 0
    while number < len(marks):
        closer = closers[number]
        if closer is None:
            number += 1
            continue
        mark, start, end = marks[number][0], marks[number].start(), marks[closer].end()
        if closer == number:
            yield Span(URL, start, start + len(mark.rstrip(".,;:!?)]*_")))
        elif mark[0] == "`":
            if flat[start:end].strip("` \n"):
                yield Span(CODE, start, end)
        else:
            yield Span(QUOTE, start, _before_full_stop(text, flat, block, end))
        number = closer + 1


def _match_closers(flat: str, marks: list[re.Match[str]]) -> list[int | None]:
    """Return for each mark the number of the mark that closes it. Work from the end."""
    closers: list[int | None] = [None] * len(marks)
    ahead: dict[str, int] = {}
    for number in range(len(marks) - 1, -1, -1):
        mark = marks[number]
        sign = mark[0]
        before, after = flat[mark.start() - 1 : mark.start()], flat[mark.end() : mark.end() + 1]
        opens = not (before.isalnum() or before == "_") and bool(after.strip())
        closes = bool(before.strip()) and not (after.isalnum() or after == "_")
        if sign[0] == "`":
            closers[number] = ahead.get(sign)
            ahead[sign] = number
        elif sign == '"' or (sign in "'‘"):
            end = ahead.get("'" if sign == "‘" else sign)
            if opens and end is not None:
                is_near = marks[end].end() - mark.start() <= _LONGEST_SINGLE_QUOTE
                closers[number] = end if sign == '"' or is_near else None
            if closes and sign != "‘":
                ahead[sign] = number
        elif sign in "“«":
            closers[number] = ahead.get("»" if sign == "«" else "”")
            ahead[sign] = number
        elif sign == "„":
            ends = [ahead[closing] for closing in "“”" if closing in ahead]
            closers[number] = min(ends, default=None)
        elif sign in "”»":
            ahead[sign] = number
        else:
            closers[number] = number
    return closers


def _before_full_stop(text: str, flat: str, block: TextBlock, end: int) -> int:
    """Return where the mask ends. The mark that ends a sentence stays visible in a quotation."""
    follows = flat[end : min(end + 40, block.end)].lstrip()
    first = text[end : min(end + 40, block.end)].lstrip()[:1]
    is_last = not follows or (flat[end] in " \n" and (first.isupper() or first.isdigit()))
    return end - 2 if is_last and flat[end - 2] in _ENDING else end


def mask_spans(flat: str, spans: list[Span]) -> str:
    """Fill each span with its mask; spans do not overlap and come in order."""
    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(flat)]
    pieces = [flat[start:end] for start, end in pairwise(edges)]
    pieces[1::2] = [span.mask * (span.end - span.start) for span in spans]
    return "".join(pieces)
