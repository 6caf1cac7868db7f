"""Opening hours from text."""

from hours.spans import Span


class HoursError(ValueError):
    """Hours that cannot be read. `part` is the number of the part, from 1."""

    def __init__(self, part: int, reason: str) -> None:
        super().__init__(f"part {part}: {reason}")
        self.part = part
        self.reason = reason


def minute(time: str) -> int:
    """The minute of the day.

    >>> minute("09:30")
    570
    >>> minute("9")
    540
    >>> minute("12:15 am")
    15
    >>> minute("Noon")
    720
    """
    hour, rest = time.split(":")
    return int(hour) * 60 + int(rest)


def parse(text: str) -> tuple[Span, ...]:
    """The spans that a shop is open.

    >>> parse("09:00-12:30")
    (Span(start=540, end=750),)
    >>> parse("2pm-5:30pm; 9-12")
    (Span(start=540, end=720), Span(start=840, end=1050))
    >>> parse("22-2")
    (Span(start=0, end=120), Span(start=1320, end=1440))
    >>> parse("9-12, soon-late")
    Traceback (most recent call last):
    hours.reading.HoursError: part 2: not a time: 'soon'
    """
    spans = []
    for part in text.split(", "):
        start, end = part.split("-")
        spans.append(Span(minute(start), minute(end)))
    return tuple(spans)
