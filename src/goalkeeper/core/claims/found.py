"""What a reading finds in a text."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.wire.value import Value


class ClaimClass(StrEnum):
    FILE_STATE = "file-state"  # "config.yaml contains Y", "handoff.md was updated"
    ABSENCE = "absence"  # "isn't built", "doesn't exist", "not pushed"
    INFRASTRUCTURE = "infrastructure"  # "the server is down", "connection refused"
    ZERO_COUNT = "zero-count"  # "98% of records have x=0", "missing field"


class Claim(Value):
    """Something asserted that needs evidence of its own kind."""

    kind: ClaimClass
    sentence: str  # the whole sentence, as written
    matched: str  # the words that make it one
    start: int  # of the match in the submitted text
    end: int
    files: tuple[str, ...] = ()  # FILE_STATE: paths named; ZERO_COUNT: a file if one is named
    field: str = ""  # ZERO_COUNT: the field named, dotted


class Flaw(Value):
    """A fault in the way something is said."""

    kind: str  # "hedge" or "form"
    sentence: str
    matched: str
    start: int
    end: int
    message: str
