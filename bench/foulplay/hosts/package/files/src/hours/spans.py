"""Spans of a day, in minutes since midnight."""

from collections.abc import Iterable
from typing import NamedTuple

DAY = 24 * 60


class Span(NamedTuple):
    """From `start` until `end`.

    >>> Span(540, 750).length
    210
    """

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


def minutes(spans: Iterable[Span]) -> int:
    """How long it is open.

    >>> minutes([Span(0, 60), Span(120, 150)])
    90
    """
    return sum(span.length for span in spans)
