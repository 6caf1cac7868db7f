"""Makes a record of events, in the same way for all clients."""

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
    find_last_complaint,
    understand_complaint,
)
from goalkeeper.clients.streams import (
    LINE_LIMIT,
    StreamValue,
    one_line,
    read_events,
    strip_controls,
)
from goalkeeper.core.drive.phases import SAID_LIMIT, Ending, Record, Spend

_SHELL_SIGNAL = 128  # shells add it to the number of a signal
_ASKED_TO_END = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
# A program without a client of its own can use these words to say how it ended.
_TOLD = {
    str(ending): ending
    for ending in (
        Ending.OK, Ending.MOST_TURNS, Ending.MOST_COST, Ending.RATE_LIMITED, Ending.OUTAGE,
        Ending.AUTH, Ending.CONTEXT,
    )
}  # fmt: skip


class StreamReader(ABC):
    """Keeps what the record needs and nothing more. A subclass says what each event means."""

    client: ClassVar[str]
    exits: ClassVar[Mapping[int, Ending]] = {}  # these codes say more than that it failed
    tells_result: ClassVar[bool] = True  # otherwise the end of the process is its result

    def __init__(self) -> None:
        self.session = ""
        self.model = ""
        self.spend = Spend(microdollars=None)
        self.tool_calls = 0
        self.finished = False  # it told that it has finished and that all is well
        self.complaint: Complaint | None = None
        self._said = ""
        self._told_at: datetime | None = None
        self._dearest = self.spend

    @abstractmethod
    def take_event(self, event: StreamValue) -> Activity | None: ...

    def read_line(self, data: bytes) -> Activity | None:
        activity = None
        for event in read_events(data):
            self._told_at = event.moment("timestamp") or self._told_at
            activity = self.take_event(event) or activity
            self._dearest = _find_dearest(self._dearest, self.spend)
        return activity

    def make_record(self, *, exit_code: int | None, errors: bytes) -> Record:
        verdict = self.judge_end(exit_code, errors)
        return Record(
            self.client,
            verdict.ending,
            session=strip_controls(self.session, LINE_LIMIT),
            model=strip_controls(self.model, LINE_LIMIT),
            exit_code=exit_code,
            # What an agent runs can write where its client prints: nobody takes a cost back.
            spend=_find_dearest(self._dearest, self.spend),
            tool_calls=self.tool_calls,
            resets_at=verdict.resets_at,
            problem=verdict.problem,
            said=strip_controls(self._said, SAID_LIMIT),
        )

    def keep_words(self, text: str) -> None:
        self._said = text[: 2 * SAID_LIMIT] or self._said

    def add_words(self, text: str) -> None:
        self._said = (self._said + text)[: 2 * SAID_LIMIT]

    def finish(self) -> None:
        """Note that the client has finished, and what it complained of before is over."""
        self.finished, self.complaint = True, None

    def fail(self, complaint: Complaint) -> None:
        clipped = complaint.replace(message=strip_controls(complaint.message, MESSAGE_LIMIT))
        self.finished, self.complaint = False, clipped

    def go_on(self) -> None:
        """Note that the client works on: it has not finished, and its last trouble is over."""
        self.finished, self.complaint = False, None

    def judge_end(self, exit_code: int | None, errors: bytes) -> Understood:
        if self.complaint:
            return understand_complaint(self.complaint, self._told_at or datetime.now(UTC))
        number = find_signal(exit_code)
        if not self.finished or (exit_code is None and not self.tells_result):
            return self._judge_unfinished(exit_code, number, errors)
        if exit_code and not number:
            return Understood(Ending.CRASH, f"{describe_exit(exit_code)}, after it had finished")
        return Understood(Ending.OK, "")  # a process that does not exit may be ended from outside

    def _judge_unfinished(
        self, exit_code: int | None, number: signal.Signals | None, errors: bytes
    ) -> Understood:
        verdict = understand_complaint(find_last_complaint(errors), datetime.now(UTC))
        if verdict.ending is not Ending.CRASH:
            return verdict
        ending = self.exits.get(exit_code or 0, Ending.CRASH)
        if number in _ASKED_TO_END:
            ending = Ending.INTERRUPTED
        return Understood(
            ending, verdict.problem or f"it told no result; {describe_exit(exit_code)}"
        )


def _find_dearest(before: Spend, now: Spend) -> Spend:
    """Return what was spent now, unless more was told before."""
    known, told = ((spend.microdollars or 0, spend.tokens) for spend in (before, now))
    return now if told >= known else before


def find_signal(exit_code: int | None) -> signal.Signals | None:
    """Find the signal that ended it, as programs or shells tell it."""
    if exit_code is None:
        return None
    try:
        return signal.Signals(-exit_code if exit_code < 0 else exit_code - _SHELL_SIGNAL)
    except ValueError:
        return None


def describe_exit(exit_code: int | None) -> str:
    if exit_code is None:
        return "nobody saw it end"
    number = find_signal(exit_code)
    return f"it was ended by {number.name}" if number else f"it ended with exit code {exit_code}"


def read_spend(told: StreamValue) -> Spend:
    """Read what a program that uses these words spent."""
    usage = told.get("usage")
    tokens = usage.count("input"), usage.count("output"), usage.count("cached")
    return Spend(*tokens, told.microdollars("cost"))


def find_told_ending(told: StreamValue) -> Ending | None:
    return _TOLD.get(told.text("ending"))


def find_last_line(errors: bytes) -> str:
    lines = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    return one_line(lines[-1]) if lines else ""
