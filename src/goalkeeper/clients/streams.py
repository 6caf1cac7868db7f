"""Reads what clients print safely: JSON lines in whatever state they arrive."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from goalkeeper.core import moments
from goalkeeper.core.problems import cut_text
from goalkeeper.wire.pattern import late_pattern

LINE_LIMIT = 200  # so many characters of an activity or of a problem are kept
_MICRO = 1_000_000
_MOST_DOLLARS = 1_000_000_000
_MOST_COUNT = 1 << 53
_MILLISECONDS_FROM = 100_000_000_000  # as seconds this would be the year 5138
_DECODER = json.JSONDecoder(strict=False)
_JSON_BEGINS = late_pattern(r'\{\s*"|\[\s*\{')
_ESCAPES = late_pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROLS = late_pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class StreamValue:
    """A value that a client told as JSON. It may be anything, and what is missing is empty."""

    def __init__(self, raw: object) -> None:
        self.raw = raw

    def get(self, *path: str) -> StreamValue:
        found = self.raw
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return StreamValue(found)

    def text(self, *path: str) -> str:
        found = self.get(*path).raw
        # A JSON string may hold half a character, which our files could not store.
        return found.encode(errors="replace").decode() if isinstance(found, str) else ""

    def count(self, *path: str) -> int:
        """Return a number of things; 0 if it is not a number."""
        number = self._number(*path)
        return min(int(number), _MOST_COUNT) if 0 <= number < math.inf else 0

    def microdollars(self, *path: str) -> int | None:
        """Return an amount of dollars; None if it was not told."""
        number = self._number(*path)
        return round(number * _MICRO) if 0 <= number < _MOST_DOLLARS else None

    def _number(self, *path: str) -> float:
        found = self.get(*path).raw
        if isinstance(found, bool) or not isinstance(found, int | float):
            return math.nan
        return found

    def list_values(self, *path: str) -> list[StreamValue]:
        found = self.get(*path).raw
        return [StreamValue(item) for item in found] if isinstance(found, list) else []

    def moment(self, *path: str) -> datetime | None:
        """Read a point in time: ISO with a zone, or seconds or milliseconds since the epoch."""
        return read_moment(self.get(*path).raw)


def read_events(data: bytes) -> Iterator[StreamValue]:
    """Read the objects of a line, also in an array, without gaps, or behind other text.

    JSON that is quoted within JSON has its quotes escaped, so nothing is mistaken for an event.
    """
    text = data.decode(errors="replace")
    found = _JSON_BEGINS.search(text)
    while found:
        try:
            value, end = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):  # it was cut, or it is not JSON after all
            return
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                yield StreamValue(item)
        found = _JSON_BEGINS.search(text, end)


def read_moment(told: object) -> datetime | None:
    try:
        if isinstance(told, str):
            return moments.parse_moment(told)
        if isinstance(told, int | float) and not isinstance(told, bool) and told > 0:
            seconds = told / 1000 if told >= _MILLISECONDS_FROM else told
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def format_moment(instant: datetime | None) -> str:
    return moments.format_moment(instant) if instant else ""


def strip_controls(text: str, limit: int) -> str:
    """Return the first characters, without those that control a terminal."""
    return cut_text(_CONTROLS.sub("", _ESCAPES.sub("", cut_text(text, 4 * limit))).strip(), limit)


def one_line(text: str) -> str:
    return cut_text(" ".join(strip_controls(text, 4 * LINE_LIMIT).split()), LINE_LIMIT)
