"""The unknown, questions, plans and conditions can be said without being asserted.

A sentence is read clause by clause. A plan or a condition covers its own clause and those that
follow, until the author turns to something else (`;`, a dash, "but", ", and"): what stands after
that is asserted again, so an "if" does not cover a whole paragraph.
"""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.claims.word_lists import read_pattern
from goalkeeper.wire.value import Value


class Modality(StrEnum):
    UNKNOWN = "unknown"  # the text says "Unknown: …"
    QUESTION = "question"
    PLANNED = "planned"  # it says what will, shall or must be
    CONDITIONAL = "conditional"  # it says what would be, if


class Stretch(Value):
    """A part of a text, between two positions, in which nothing is asserted."""

    modality: Modality
    start: int
    end: int


def find_stretches(view: str, start: int, end: int) -> list[Stretch]:
    """Return in order what one sentence says without asserting it."""
    if view[start:end].rstrip(" )]").endswith("?"):
        return [Stretch(Modality.QUESTION, start, end)]
    clauses = _Clauses(start)
    for event in read_pattern("sentences", "EVENTS").finditer(view, start, end):
        clauses.take_event(str(event.lastgroup), event.start())
    clauses.take_event("turn", end)
    return clauses.found


class _Clauses:
    """Reads a sentence from left to right."""

    def __init__(self, start: int) -> None:
        self.found: list[Stretch] = []
        self._turned = start  # here the author last turned to something else
        self._start = start  # here this clause begins
        self._whole: Modality | None = None  # this holds for this clause and those that follow
        self._onward = -1  # here a clause begins of which only the rest is not asserted
        self._is_listing = False  # the sentence reads "I will check that a, b, and c"

    def take_event(self, event: str, at: int) -> None:
        match event:
            case "turn" | "but":
                self._end_stretch(at, turns=True)
            case "also":
                self._end_stretch(at, turns=not self._is_listing)
            case "pause" | "clause":
                self._end_stretch(at, turns=False)
            case "hope":
                pass
            case "listing":
                self._is_listing = self._whole is not None
            case "onward":
                self._onward = at if self._onward < 0 else self._onward
            case "unknown":
                self._whole = Modality.UNKNOWN if at <= self._turned + 1 else self._whole
            case _:
                self._whole = self._whole or Modality(event)

    def _end_stretch(self, at: int, *, turns: bool) -> None:
        if self._whole is not None:
            self.found.append(Stretch(self._whole, self._start, at))
        elif self._onward >= 0:
            self.found.append(Stretch(Modality.CONDITIONAL, self._onward, at))
        self._start, self._onward = at, -1
        if turns:
            self._whole, self._turned, self._is_listing = None, at + 1, False
