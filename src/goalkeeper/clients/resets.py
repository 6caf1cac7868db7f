"""Finds out when a limit ends, from the words that clients use for it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from goalkeeper.clients.streams import read_moment

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = (
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)"
)
_ONE_SPAN = re.compile(rf"{_SPAN}(?![a-z])", re.IGNORECASE)
_IN = re.compile(
    rf"(?:again|retry|resets?) (?:in|after) ((?:{_SPAN}(?![a-z])[,\s]*(?:and )?)+)", re.IGNORECASE
)
_EPOCH = re.compile(r"limit reached\|(\d{10,13})\b", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_AT = re.compile(
    r"""(?:resets?|again)\s(?:at\s|on\s)?
    (?:(?P<month>[a-z]{3})[a-z]*\s(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s
       (?:(?P<year>\d{4}),?\s)?(?:at\s)?)?
    (?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s?(?P<half>[ap]m)?\b
    (?:\s\((?P<zone>[^)]+)\)|\s(?P<short>(?-i:[A-Z]{2,5}(?:[+-]\d{1,2})?))\b)?""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT_ZONE = re.compile(r"(?:UTC|GMT)(?P<hours>[+-]\d{1,2})?")
_NOON = 12


def find_reset(message: str, told_at: datetime) -> datetime | None:
    """Find the end of a limit that a message names. None: it names none that we understand."""
    text = " ".join(message.split())
    try:
        if found := _EPOCH.search(text):
            return read_moment(int(found[1]))
        if found := _IN.search(text):
            return told_at + _sum_spans(found[1])
        if found := _AT.search(text):
            return _find_next(found, told_at)
    except (ValueError, OverflowError):  # no such day or hour, or beyond the calendar
        pass
    return None


def _sum_spans(text: str) -> timedelta:
    parts = _ONE_SPAN.findall(text)
    return timedelta(
        seconds=sum(float(amount) * _get_seconds(unit.lower()) for amount, unit in parts)
    )


def _get_seconds(unit: str) -> float:
    return _SECONDS["ms" if unit.startswith(("ms", "milli")) else unit[0]]


def _find_next(found: re.Match[str], told_at: datetime) -> datetime | None:
    """Find when clocks next show this time. The limit may last to the end of that minute."""
    here = _move_to_zone(found["zone"] or found["short"] or "", told_at)
    if here is None or not (found["half"] or found["minute"]):
        return None
    day = _find_day(found, here)
    end = day.replace(hour=_find_hour(found), minute=int(found["minute"] or 0)) + timedelta(
        minutes=1
    )
    if end > here or found["year"]:
        return end
    return end.replace(year=end.year + 1) if found["month"] else end + timedelta(days=1)


def _find_day(found: re.Match[str], here: datetime) -> datetime:
    day = here.replace(second=0, microsecond=0)
    if not found["month"]:
        return day
    month = _MONTHS.index(found["month"].lower()) + 1
    return day.replace(year=int(found["year"] or here.year), month=month, day=int(found["day"]))


def _find_hour(found: re.Match[str]) -> int:
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    return hour % _NOON + (_NOON if half == "pm" else 0) if half else hour


def _move_to_zone(zone: str, told_at: datetime) -> datetime | None:
    """Return the same moment by the clocks of a zone. Without a name it is our own zone."""
    if not zone:
        return told_at.astimezone()
    if found := _SHORT_ZONE.fullmatch(zone):
        return told_at.astimezone(timezone(timedelta(hours=int(found["hours"] or 0))))
    from zoneinfo import ZoneInfo  # noqa: PLC0415  dear, and seldom needed

    try:
        return told_at.astimezone(ZoneInfo(zone))
    except (KeyError, ValueError, OSError):  # unknown here: no guess is better than a wrong one
        return None
