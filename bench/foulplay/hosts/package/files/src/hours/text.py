"""Spans as people read them."""

from collections.abc import Iterable

from hours.spans import Span


def clock(minute: int) -> str:
    """A minute of the day on the clock.

    >>> clock(545)
    '09:05'
    """
    return f"{minute // 60:02}:{minute % 60:02}"


def show(spans: Iterable[Span]) -> str:
    """Spans in one line.

    >>> show([Span(540, 750), Span(840, 1020)])
    '09:00-12:30, 14:00-17:00'
    """
    return ", ".join(f"{clock(span.start)}-{clock(span.end)}" for span in spans)
