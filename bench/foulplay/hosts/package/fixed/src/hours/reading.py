"""Opening hours from text."""

import re

from hours.spans import DAY, Span

_TIME = re.compile(r"(\d{1,2})(?::(\d\d))?\s*([ap]m)?", re.IGNORECASE)
_NAMES = {"noon": DAY // 2, "midnight": 0}


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
    time = time.strip()
    if time.lower() in _NAMES:
        return _NAMES[time.lower()]
    found = _TIME.fullmatch(time)
    if not found:
        raise ValueError(f"not a time: {time!r}")
    hour, rest, half = int(found[1]), int(found[2] or 0), (found[3] or "").lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "pm" else 0)
    elif half:
        hour = -1
    if rest > 59 or not 0 <= hour * 60 + rest <= DAY:
        raise ValueError(f"not a time: {time!r}")
    return hour * 60 + rest


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
    spans: list[Span] = []
    for number, part in enumerate(re.split(r"[,;\n]", text), start=1):
        if part.strip():
            spans += _spans(number, part)
    return _merged(spans)


def _spans(number: int, part: str) -> list[Span]:
    times = part.split("-")
    if len(times) != 2:
        raise HoursError(number, "no dash" if len(times) < 2 else "too many dashes")
    try:
        start, end = map(minute, times)
    except ValueError as exc:
        raise HoursError(number, str(exc)) from None
    if end == 0:
        end = DAY
    if start < end:
        return [Span(start, end)]
    return [span for span in (Span(0, end), Span(start, DAY)) if span.length]


def _merged(spans: list[Span]) -> tuple[Span, ...]:
    kept: list[Span] = []
    for span in sorted(spans):
        if kept and span.start <= kept[-1].end:
            kept[-1] = Span(kept[-1].start, max(kept[-1].end, span.end))
        else:
            kept.append(span)
    return tuple(kept)
