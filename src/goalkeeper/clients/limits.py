"""Finds out why a client stopped and until when, from its complaints.

`limits.toml` knows the words that say why.

Only complaints come here, never what an agent said or a tool printed: those may quote anything. The
client's own word for it counts most, then the HTTP status, then the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo

from goalkeeper.clients.streams import (
    format_moment,
    one_line,
    read_events,
    read_moment,
    strip_controls,
)
from goalkeeper.core.drive.phases import Ending
from goalkeeper.core.shipped import read_tables
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

MESSAGE_LIMIT = 4000  # so many characters of a complaint are looked at
_SERVER_ERRORS = range(500, 600)
_STATUS = late_pattern(
    r"(?:\bstatus(?: code)?:?|\bHTTP|\bAPI Error:|\brejected \(|\"code\":)\s*(\d{3})\b",
    re.IGNORECASE,
)
_FOR_PROGRAMMERS = late_pattern(r"at .*[:(]|[\W\d_]*$|[a-z]\w*: (?:\d+|undefined|null|[\[{].*),?$")


# Clients tell in these words when a limit ends.
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = (
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)"
)
_ONE_SPAN = late_pattern(rf"{_SPAN}(?![a-z])", re.IGNORECASE)
_IN = late_pattern(
    rf"(?:again|retry|resets?) (?:in|after) ((?:{_SPAN}(?![a-z])[,\s]*(?:and )?)+)", re.IGNORECASE
)
_EPOCH = late_pattern(r"limit reached\|(\d{10,13})\b", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_AT = late_pattern(
    r"""(?:resets?|again)\s(?:at\s|on\s)?
    (?:(?P<month>[a-z]{3})[a-z]*\s(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s
       (?:(?P<year>\d{4}),?\s)?(?:at\s)?)?
    (?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s?(?P<half>[ap]m)?\b
    (?:\s\((?P<zone>[^)]+)\)|\s(?P<short>(?-i:[A-Z]{2,5}(?:[+-]\d{1,2})?))\b)?""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT_ZONE = late_pattern(r"(?:UTC|GMT)(?P<hours>[+-]\d{1,2})?")
_NOON = 12


class Complaint(Value):
    message: str
    kind: str = ""  # the client's or the provider's own word for it
    status: int = 0  # the HTTP status
    resets_at: str = ""  # the moment when a limit ends, if the message does not tell it


class Understood(Value):
    ending: Ending
    problem: str
    resets_at: str = ""


class _KnownWords(Value):
    by_kind: Mapping[str, Ending]
    by_status: Mapping[int, Ending]
    by_phrase: Mapping[Ending, re.Pattern[str]]
    no_money: re.Pattern[str]


@cache
def _load_words() -> _KnownWords:
    told = read_tables(__package__, "limits.toml")
    endings = {Ending(name): words for name, words in told.items() if name != "no_money"}
    return _KnownWords(
        {kind: ending for ending, words in endings.items() for kind in words["kinds"]},
        {code: ending for ending, words in endings.items() for code in words.get("statuses", ())},
        {end: _match_any(words["phrases"]) for end, words in endings.items() if "phrases" in words},
        _match_any(told["no_money"]),
    )


def _match_any(phrases: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


def understand_complaint(complaint: Complaint, told_at: datetime) -> Understood:
    """Say how it ended. If the complaint says nothing that we know, it was a crash."""
    resets_at = complaint.resets_at or format_moment(find_reset(complaint.message, told_at))
    ending = find_ending(complaint)
    if ending is Ending.AUTH and resets_at and _load_words().no_money.search(complaint.message):
        ending = Ending.RATE_LIMITED  # the account will have money again
    limited = ending is Ending.RATE_LIMITED
    problem = one_line(complaint.message) or complaint.kind
    return Understood(ending or Ending.CRASH, problem, resets_at if limited else "")


def find_ending(complaint: Complaint) -> Ending | None:
    return (
        _load_words().by_kind.get(complaint.kind)
        or _find_by_status(complaint.status)
        or _find_by_message(complaint.message)
    )


def _find_by_status(status: int) -> Ending | None:
    return Ending.OUTAGE if status in _SERVER_ERRORS else _load_words().by_status.get(status)


def _find_by_message(message: str) -> Ending | None:
    words = _load_words()
    if words.no_money.search(message):
        return Ending.AUTH
    if (found := _STATUS.search(message)) and (ending := _find_by_status(int(found[1]))):
        return ending
    return next((end for end, phrase in words.by_phrase.items() if phrase.search(message)), None)


def find_known_kind(*kinds: str) -> str:
    """Find the first of some words that says why."""
    return next((kind for kind in kinds if kind in _load_words().by_kind), "")


def read_complaint(message: str) -> Complaint:
    """Read a message as clients pass it on. What the provider said is often JSON within it."""
    for event in read_events(message.encode(errors="replace")):
        error = event.get("error")
        if error.text("message"):
            kind = find_known_kind(error.text("code"), error.text("type"), error.text("status"))
            return Complaint(error.text("message"), kind, error.count("code"))
    return Complaint(message)


def find_last_complaint(errors: bytes) -> Complaint:
    """Find the last thing on the error output that we understand, or else the last thing."""
    lines = list(_list_telling_lines(errors))
    for line in lines:
        complaint = read_complaint(line)
        if find_ending(complaint):
            return complaint
    return Complaint(lines[0] if lines else "")


def _list_telling_lines(errors: bytes) -> Iterator[str]:
    """List its lines from the last to the first, without lines that only programmers read."""
    for line in reversed(errors.decode(errors="replace").splitlines()):
        text = strip_controls(line, MESSAGE_LIMIT)
        if text and not _FOR_PROGRAMMERS.match(text):
            yield text


def find_reset(message: str, told_at: datetime) -> datetime | None:
    """Find the end of a limit that a message names; None if it names none that we understand."""
    text = " ".join(message.split())
    try:
        if found := _EPOCH.search(text):
            return read_moment(int(found[1]))
        if found := _IN.search(text):
            return told_at + _sum_spans(found[1])
        if found := _AT.search(text):
            return _find_next(found, told_at)
    except (ValueError, OverflowError):  # no calendar has such a day or hour
        pass
    return None


def _sum_spans(text: str) -> timedelta:
    seconds = 0.0
    for amount, unit in _ONE_SPAN.findall(text.lower()):
        is_short = unit.startswith(("ms", "milli"))
        seconds += float(amount) * _SECONDS["ms" if is_short else unit[0]]
    return timedelta(seconds=seconds)


def _find_next(found: re.Match[str], told_at: datetime) -> datetime | None:
    """Find when clocks next show this time. The limit may last to the end of that minute."""
    here = _move_to_zone(found["zone"] or found["short"] or "", told_at)
    if here is None or not (found["half"] or found["minute"]):
        return None
    hour, minute = _find_hour(found), int(found["minute"] or 0)
    end = _find_day(found, here).replace(hour=hour, minute=minute) + timedelta(minutes=1)
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
    try:
        return told_at.astimezone(ZoneInfo(zone))
    except (KeyError, ValueError, OSError):  # the zone is unknown here, and a guess may be wrong
        return None
