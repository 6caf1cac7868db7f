"""What the readers of all clients share: from events to a record."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import ClassVar

from goalkeeper.clients.client import Activity
from goalkeeper.clients.limits import (
    MESSAGE_LIMIT,
    Complaint,
    Understood,
    last_complaint,
    understood,
)
from goalkeeper.clients.streams import (
    LINE_LIMIT,
    Event,
    count,
    events,
    microdollars,
    moment,
    one_line,
    plain,
)
from goalkeeper.core.drive.phases import SAID_LIMIT, Ending, Record, Spend

_SHELL_SIGNAL = 128  # what shells add to the number of a signal
_ASKED_TO_END = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class StreamReader(ABC):
    """Keeps what the record needs and nothing more. A subclass says what each event means."""

    client: ClassVar[str]
    exits: ClassVar[Mapping[int, Ending]] = {}  # codes that say more than that it failed
    tells_result: ClassVar[bool] = True  # or is through when it has ended, and not before

    def __init__(self) -> None:
        self.session = ""
        self.model = ""
        self.spend = Spend(microdollars=None)
        self.tool_calls = 0
        self.finished = False  # it told that it is through, and that all is well
        self.complaint: Complaint | None = None
        self._said = ""
        self._stamp: object = None

    @abstractmethod
    def take(self, event: Event) -> Activity | None: ...

    def line(self, data: bytes) -> Activity | None:
        activity = None
        for event in events(data):
            self._stamp = event.get("timestamp") or self._stamp
            activity = self.take(event) or activity
        return activity

    def record(self, *, exit_code: int | None, errors: bytes) -> Record:
        verdict = self._verdict(exit_code, errors)
        return Record(
            self.client,
            verdict.ending,
            session=plain(self.session, LINE_LIMIT),
            model=plain(self.model, LINE_LIMIT),
            exit_code=exit_code,
            spend=self.spend,
            tool_calls=self.tool_calls,
            resets_at=verdict.resets_at,
            problem=verdict.problem,
            said=plain(self._said, SAID_LIMIT),
        )

    def said(self, text: str) -> None:
        self._said = text[: 2 * SAID_LIMIT] or self._said

    def said_more(self, text: str) -> None:
        self._said = (self._said + text)[: 2 * SAID_LIMIT]

    def done(self) -> None:
        """It is through; what it complained of before is over."""
        self.finished, self.complaint = True, None

    def failed(self, complaint: Complaint) -> None:
        clipped = complaint.replace(message=plain(complaint.message, MESSAGE_LIMIT))
        self.finished, self.complaint = False, clipped

    def goes_on(self) -> None:
        """A sign of life: it is not through, and the last trouble is behind it."""
        self.finished, self.complaint = False, None

    def _verdict(self, exit_code: int | None, errors: bytes) -> Understood:
        if self.complaint:
            return understood(self.complaint, moment(self._stamp) or datetime.now(UTC))
        number = signal_of(exit_code)
        if not self.finished or (exit_code is None and not self.tells_result):
            return self._unfinished(exit_code, number, errors)
        if exit_code and not number:
            return Understood(Ending.CRASH, f"{ended(exit_code)}, after it had finished")
        return Understood(Ending.OK, "")  # one that lingers may be ended from outside

    def _unfinished(
        self, exit_code: int | None, number: signal.Signals | None, errors: bytes
    ) -> Understood:
        verdict = understood(last_complaint(errors), datetime.now(UTC))
        if verdict.ending is not Ending.CRASH:
            return verdict
        ending = self.exits.get(exit_code or 0, Ending.CRASH)
        if number in _ASKED_TO_END:
            ending = Ending.INTERRUPTED
        return Understood(ending, verdict.problem or f"it told no result; {ended(exit_code)}")


def signal_of(exit_code: int | None) -> signal.Signals | None:
    """The signal that ended it, as programs or shells tell it."""
    if exit_code is None:
        return None
    try:
        return signal.Signals(-exit_code if exit_code < 0 else exit_code - _SHELL_SIGNAL)
    except ValueError:
        return None


def ended(exit_code: int | None) -> str:
    if exit_code is None:
        return "nobody saw it end"
    number = signal_of(exit_code)
    return f"it was ended by {number.name}" if number else f"it ended with exit code {exit_code}"


def spend_told(told: Event) -> Spend:
    """By those who speak our own language: what they used, and what it cost."""
    return Spend(
        count(told, "usage", "input"),
        count(told, "usage", "output"),
        count(told, "usage", "cached"),
        microdollars(told, "cost"),
    )


def last_line(errors: bytes) -> str:
    lines = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    return one_line(lines[-1]) if lines else ""
