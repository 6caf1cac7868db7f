"""What goes wrong with agents: limits, outages, ends of all kinds, and what they leave behind."""

from __future__ import annotations

import os
import resource
import signal
import time
from datetime import UTC, datetime, timedelta

from goalkeeper.rehearsal import reading
from goalkeeper.rehearsal.reading import ScriptFields, ScriptMalformed
from goalkeeper.rehearsal.stage import MICRO, Deed, Leave, RehearsalStage
from goalkeeper.rehearsal.work import put_file

DEADLY = ("SIGABRT", "SIGHUP", "SIGINT", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSEGV", "SIGTERM")


# What it costs, and what the service says


def deed_usage(given: object) -> Deed:
    fields = ScriptFields(given, "usage", "input", "output", "cached", "cost")
    counts = {name: fields.read_count(name) for name in ("input", "output", "cached")}
    microdollars = round(fields.read_number("cost", 0, MICRO, default=0) * MICRO)
    return lambda stage: stage.use_tokens(counts, microdollars)


def rate_limit(given: object) -> Deed:
    fields = ScriptFields(given, "rate_limit", "resets_in", "resets_at")
    if fields.has_field("resets_in") and fields.has_field("resets_at"):
        raise ScriptMalformed("rate_limit takes resets_in or resets_at, not both")
    delay = fields.read_seconds("resets_in") if fields.has_field("resets_in") else None
    instant = _read_instant(fields.read_text("resets_at")) if fields.has_field("resets_at") else ""

    def deed(stage: RehearsalStage) -> None:
        stage.tell_event("limit", resets_at=instant if delay is None else _moment_after(delay))
        stage.will_end("rate-limited", "a rate limit was hit")

    return deed


def _read_instant(told: str) -> str:
    try:
        instant = datetime.fromisoformat(told)
        if instant.tzinfo is not None:
            return _in_utc(instant)
    except (ValueError, OverflowError):
        pass
    raise ScriptMalformed(
        "resets_at of rate_limit must be a time with its zone: 2026-01-01T12:00:00Z"
    )


def _moment_after(delay: float) -> str:
    return _in_utc(datetime.now(UTC) + timedelta(seconds=delay))


def _in_utc(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def deed_auth(given: object) -> Deed:
    ScriptFields(given, "auth")
    return lambda stage: stage.will_end("auth", "not logged in")


def deed_outage(given: object) -> Deed:
    status = ScriptFields(given, "outage", "status").read_whole("status", 400, 599)
    return lambda stage: stage.will_end("outage", f"the service answered {status}")


def deed_context(given: object) -> Deed:
    ScriptFields(given, "context")
    return lambda stage: stage.will_end("context", "the prompt is too long")


# How it ends, and does not


def deed_leave(given: object) -> Deed:
    code = reading.read_whole(given, "the code of exit", 0, 255)

    def deed(_: RehearsalStage) -> None:
        raise Leave(code)

    return deed


def deed_die(given: object) -> Deed:
    number = signal.Signals[reading.one_of(given, "the signal to die of", DEADLY)]

    def deed(_: RehearsalStage) -> None:
        # A core file would be a change of the tree.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    return deed


def ignore_term(given: object) -> Deed:
    ScriptFields(given, "ignore_term")

    def deed(_: RehearsalStage) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    return deed


def deed_fork(given: object) -> Deed:
    fields = ScriptFields(given, "fork", "seconds", "pid_file")
    wanted, pid_file = fields.read_seconds("seconds"), fields.read_argument("pid_file")

    def deed(stage: RehearsalStage) -> None:
        stage.use_tool("fork", pid_file)
        pid = stage.leave_behind(lambda: time.sleep(wanted))
        put_file(pid_file, str(pid).encode(), "wb")

    return deed


def deed_late(given: object) -> Deed:
    fields = ScriptFields(given, "late", "seconds", "path", "text")
    wanted, path = fields.read_seconds("seconds"), fields.read_argument("path")
    data = fields.text_or_nothing("text").encode()

    def deed(stage: RehearsalStage) -> None:
        def work() -> None:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            stage.wait_for_the_end()
            time.sleep(wanted)
            put_file(path, data, "wb")

        stage.use_tool("late", path)
        stage.leave_behind(work)

    return deed
