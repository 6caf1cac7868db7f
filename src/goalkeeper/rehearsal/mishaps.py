"""What goes wrong with agents: limits, outages, ends of all kinds, and what they leave behind."""

from __future__ import annotations

import os
import resource
import signal
import time
from datetime import UTC, datetime, timedelta

from goalkeeper.rehearsal import reading
from goalkeeper.rehearsal.reading import Fields, Malformed
from goalkeeper.rehearsal.stage import MICRO, Deed, Leave, Stage
from goalkeeper.rehearsal.work import put

DEADLY = ("SIGABRT", "SIGHUP", "SIGINT", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSEGV", "SIGTERM")


# What it costs, and what the service says


def usage(given: object) -> Deed:
    fields = Fields(given, "usage", "input", "output", "cached", "cost")
    counts = {name: fields.count(name) for name in ("input", "output", "cached")}
    microdollars = round(fields.number("cost", 0, MICRO, default=0) * MICRO)
    return lambda stage: stage.use(counts, microdollars)


def rate_limit(given: object) -> Deed:
    fields = Fields(given, "rate_limit", "resets_in", "resets_at")
    if fields.has("resets_in") and fields.has("resets_at"):
        raise Malformed("rate_limit takes resets_in or resets_at, not both")
    delay = fields.seconds("resets_in") if fields.has("resets_in") else None
    instant = _instant(fields.text("resets_at")) if fields.has("resets_at") else ""

    def deed(stage: Stage) -> None:
        stage.tell("limit", resets_at=instant if delay is None else _after(delay))
        stage.will_end("rate-limited", "a rate limit was hit")

    return deed


def _instant(told: str) -> str:
    try:
        instant = datetime.fromisoformat(told)
        if instant.tzinfo is not None:
            return _in_utc(instant)
    except (ValueError, OverflowError):
        pass
    raise Malformed("resets_at of rate_limit must be a time with its zone: 2026-01-01T12:00:00Z")


def _after(delay: float) -> str:
    return _in_utc(datetime.now(UTC) + timedelta(seconds=delay))


def _in_utc(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def auth(given: object) -> Deed:
    Fields(given, "auth")
    return lambda stage: stage.will_end("auth", "not logged in")


def outage(given: object) -> Deed:
    status = Fields(given, "outage", "status").whole("status", 400, 599)
    return lambda stage: stage.will_end("outage", f"the service answered {status}")


def context(given: object) -> Deed:
    Fields(given, "context")
    return lambda stage: stage.will_end("context", "the prompt is too long")


# How it ends, and does not


def leave(given: object) -> Deed:
    code = reading.whole(given, "the code of exit", 0, 255)

    def deed(_: Stage) -> None:
        raise Leave(code)

    return deed


def die(given: object) -> Deed:
    number = signal.Signals[reading.one_of(given, "the signal to die of", DEADLY)]

    def deed(_: Stage) -> None:
        # A core file would be a change of the tree.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    return deed


def ignore_term(given: object) -> Deed:
    Fields(given, "ignore_term")

    def deed(_: Stage) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    return deed


def fork(given: object) -> Deed:
    fields = Fields(given, "fork", "seconds", "pid_file")
    wanted, pid_file = fields.seconds("seconds"), fields.argument("pid_file")

    def deed(stage: Stage) -> None:
        stage.tool("fork", pid_file)
        pid = stage.leave_behind(lambda: time.sleep(wanted))
        put(pid_file, str(pid).encode(), "wb")

    return deed


def late(given: object) -> Deed:
    fields = Fields(given, "late", "seconds", "path", "text")
    wanted, path = fields.seconds("seconds"), fields.argument("path")
    data = fields.text_or_nothing("text").encode()

    def deed(stage: Stage) -> None:
        def work() -> None:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            stage.wait_for_the_end()
            time.sleep(wanted)
            put(path, data, "wb")

        stage.tool("late", path)
        stage.leave_behind(work)

    return deed
