"""Finds out why a client stopped, from what it complained of. `limits.toml` knows the words.

Only complaints come here, never what an agent said or a tool printed: those may quote anything.
The client's own word for it counts most, then the HTTP status, then the message.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from importlib import resources

from goalkeeper.clients.resets import find_reset
from goalkeeper.clients.streams import format_moment, one_line, read_events, strip_controls
from goalkeeper.core.drive.phases import Ending
from goalkeeper.wire.value import Value

MESSAGE_LIMIT = 4000  # characters of a complaint that are looked at
_SERVER_ERRORS = range(500, 600)
_STATUS = re.compile(
    r"(?:\bstatus(?: code)?:?|\bHTTP|\bAPI Error:|\brejected \(|\"code\":)\s*(\d{3})\b",
    re.IGNORECASE,
)
_FOR_PROGRAMMERS = re.compile(r"at .*[:(]|[\W\d_]*$|[a-z]\w*: (?:\d+|undefined|null|[\[{].*),?$")


class Complaint(Value):
    message: str
    kind: str = ""  # the client's or the provider's own word for it
    status: int = 0  # of HTTP
    resets_at: str = ""  # when a limit ends, if that was told apart from the message


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
    told = tomllib.loads(resources.files(__package__).joinpath("limits.toml").read_text("utf-8"))
    no_money = _match_any(told.pop("no_money"))
    endings = {Ending(name): words for name, words in told.items()}
    return _KnownWords(
        {kind: ending for ending, words in endings.items() for kind in words["kinds"]},
        {code: ending for ending, words in endings.items() for code in words.get("statuses", ())},
        {end: _match_any(words["phrases"]) for end, words in endings.items() if "phrases" in words},
        no_money,
    )


def _match_any(phrases: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


def understand_complaint(complaint: Complaint, told_at: datetime) -> Understood:
    """Say how it ended. If the complaint says nothing that we know, it was a crash."""
    resets_at = complaint.resets_at or format_moment(find_reset(complaint.message, told_at))
    ending = find_ending(complaint)
    if ending is Ending.AUTH and resets_at and _load_words().no_money.search(complaint.message):
        ending = Ending.RATE_LIMITED  # there will be money again
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
    """List its lines from the last to the first, without what only programmers read."""
    for line in reversed(errors.decode(errors="replace").splitlines()):
        text = strip_controls(line, MESSAGE_LIMIT)
        if text and not _FOR_PROGRAMMERS.match(text):
            yield text
