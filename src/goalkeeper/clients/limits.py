"""Finds out why a client stopped, from what it complained of.

Only complaints come here, never what an agent said or a tool printed: those may quote anything.
The client's own word for it counts most, then the HTTP status, then the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from goalkeeper.clients.resets import find_reset
from goalkeeper.clients.streams import (
    format_moment,
    get_count,
    get_field,
    get_text,
    one_line,
    read_events,
    strip_controls,
)
from goalkeeper.core.drive.phases import Ending
from goalkeeper.wire.value import Value

MESSAGE_LIMIT = 4000  # characters of a complaint that are looked at


class Complaint(Value):
    message: str
    kind: str = ""  # the client's or the provider's own word for it
    status: int = 0  # of HTTP
    resets_at: str = ""  # when a limit ends, if that was told apart from the message


class Understood(Value):
    ending: Ending
    problem: str
    resets_at: str = ""


_KINDS = {
    Ending.MOST_TURNS: "error_max_turns max_turns FatalTurnLimitedError",
    Ending.MOST_COST: "error_max_budget_usd budget_exhausted",
    Ending.CONTEXT: """
        prompt_too_long context_length_exceeded request_too_large ContextOverflowError
    """,
    Ending.RATE_LIMITED: """
        rate_limit rate_limit_error rate_limit_exceeded usage_limit_reached RESOURCE_EXHAUSTED
    """,
    # Where an account has no money, waiting does not help either: a human must see to it.
    Ending.AUTH: """
        authentication_failed authentication_error permission_error invalid_api_key
        UNAUTHENTICATED PERMISSION_DENIED API_KEY_INVALID ProviderAuthError
        FatalAuthenticationError billing_error insufficient_quota usage_not_included
    """,
    Ending.OUTAGE: "overloaded overloaded_error server_error INTERNAL UNAVAILABLE",
    Ending.INTERRUPTED: """
        aborted_streaming aborted_tools MessageAbortedError FatalCancellationError
    """,
}
_BY_KIND = {kind: ending for ending, kinds in _KINDS.items() for kind in kinds.split()}

_BY_STATUS = {
    401: Ending.AUTH,
    402: Ending.AUTH,
    403: Ending.AUTH,
    408: Ending.OUTAGE,
    413: Ending.CONTEXT,
    429: Ending.RATE_LIMITED,
}
_SERVER_ERRORS = range(500, 600)
_STATUS = re.compile(
    r"(?:\bstatus(?: code)?:?|\bHTTP|\bAPI Error:|\brejected \(|\"code\":)\s*(\d{3})\b",
    re.IGNORECASE,
)


def _match_any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


_NO_MONEY = _match_any(
    r"credit balance",
    r"insufficient.quota",
    r"quota exceeded. check your plan",
    r"spend(?:ing)? (?:cap|limit)",
    r"out of (?:usage )?credits",
    r"payment required",
    r"upgrade to plus",
)
_BY_MESSAGE = {
    Ending.CONTEXT: _match_any(
        r"(?:prompt|input|request) is too (?:long|large)",
        r"context.(?:window|length)",
        r"maximum context",
        r"token count .{0,40}exceeds",
    ),
    Ending.RATE_LIMITED: _match_any(
        r"rate.?limit",
        r"too many requests",
        r"(?:hit|reached) your .{0,40}(?:limit|budget)",
        r"usage limit",
        r"limit reached",
        r"your .{0,30}quota",
        r"(?<!disk )quota exceeded",
    ),
    Ending.AUTH: _match_any(
        r"not logged in",
        r"/login\b",
        r"(?:log|sign) in again",
        r"login expired",
        r"api.?key.{0,20}(?:not valid|invalid|missing|not found)",
        r"(?:invalid|incorrect).{0,12}api.?key",
        r"unauthori[sz]ed",
        r"authenticat",
        r"auth method",
        r"oauth token",
    ),
    Ending.OUTAGE: _match_any(
        r"overloaded",
        r"internal server error",
        r"server had an error",
        r"service unavailable",
        r"bad gateway",
        r"gateway time.?out",
        r"high demand",
        r"at capacity",
        r"stream (?:disconnected|closed)",
        r"connection (?:error|refused|reset|closed|lost)",
        r"fetch failed",
        r"socket hang up",
        r"incomplete json",
        r"APICallError",
        r"timed out",
        r"ECONNRESET|ECONNREFUSED|ETIMEDOUT|ENOTFOUND|EAI_AGAIN",
    ),
    Ending.MOST_TURNS: _match_any(r"max(?:imum)? (?:session |number of )?turns"),
}
_FOR_PROGRAMMERS = re.compile(r"at .*[:(]|[\W\d_]*$|[a-z]\w*: (?:\d+|undefined|null|[\[{].*),?$")


def understand_complaint(complaint: Complaint, told_at: datetime) -> Understood:
    """Say how it ended. If the complaint says nothing that we know, it was a crash."""
    resets_at = complaint.resets_at or format_moment(find_reset(complaint.message, told_at))
    ending = find_ending(complaint)
    if ending is Ending.AUTH and resets_at and _NO_MONEY.search(complaint.message):
        ending = Ending.RATE_LIMITED  # there will be money again
    limited = ending is Ending.RATE_LIMITED
    problem = one_line(complaint.message) or complaint.kind
    return Understood(ending or Ending.CRASH, problem, resets_at if limited else "")


def find_ending(complaint: Complaint) -> Ending | None:
    return (
        _BY_KIND.get(complaint.kind)
        or _find_by_status(complaint.status)
        or _find_by_message(complaint.message)
    )


def _find_by_status(status: int) -> Ending | None:
    return Ending.OUTAGE if status in _SERVER_ERRORS else _BY_STATUS.get(status)


def _find_by_message(message: str) -> Ending | None:
    if _NO_MONEY.search(message):
        return Ending.AUTH
    if (found := _STATUS.search(message)) and (ending := _find_by_status(int(found[1]))):
        return ending
    return next(
        (ending for ending, pattern in _BY_MESSAGE.items() if pattern.search(message)), None
    )


def find_known_kind(*kinds: str) -> str:
    """Find the first of some words that says why."""
    return next((kind for kind in kinds if kind in _BY_KIND), "")


def read_complaint(message: str) -> Complaint:
    """Read a message as clients pass it on. What the provider said is often JSON within it."""
    for event in read_events(message.encode(errors="replace")):
        error = get_field(event, "error")
        if get_text(error, "message"):
            kind = find_known_kind(
                get_text(error, "code"), get_text(error, "type"), get_text(error, "status")
            )
            return Complaint(get_text(error, "message"), kind, get_count(error, "code"))
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
