"""Any program can be an agent: it gets the prompt on its input, and its exit code is the answer.

What it prints is shown to people who watch. If the last line that it prints is a JSON object,
these are read, all of them optional:

    {"usage": {"input": 1200, "output": 80, "cached": 1000}, "cost": 0.0125,
     "ending": "rate-limited", "resets_at": "2026-11-15T13:00:00Z",
     "problem": "why it ended so", "said": "its last words", "session": "its id", "model": "…",
     "tool_calls": 3}

Tokens of input are all of them, cached ones included; the cost is in dollars. `ending` is one of
ok, most-turns, most-cost, rate-limited, outage, auth and context. What is not told is unknown.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence

from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.reading import describe_exit, find_last_line, read_spend
from goalkeeper.clients.streams import (
    LINE_LIMIT,
    Event,
    describe_speech,
    format_moment,
    get_count,
    get_text,
    one_line,
    read_events,
    read_moment,
    strip_controls,
)
from goalkeeper.clients.surroundings import make_environment
from goalkeeper.core.drive.phases import SAID_LIMIT, Ending, Record

NAME = "command"
_MOST_LINE = 1 << 20  # a result is short
# What a program can know of its own end.
_TOLD = {
    str(ending): ending
    for ending in (
        Ending.OK,
        Ending.MOST_TURNS,
        Ending.MOST_COST,
        Ending.RATE_LIMITED,
        Ending.OUTAGE,
        Ending.AUTH,
        Ending.CONTEXT,
    )
}


class Command:
    name = NAME

    def __init__(self, argv: Sequence[str]) -> None:
        first, *rest = argv
        # A path is meant from here: in the worktree an agent could put something else there.
        self._argv = (os.path.abspath(first) if "/" in first else first, *rest)

    def probe(self, environ: Mapping[str, str]) -> AgentProbe:
        program = self._argv[0]
        place = shutil.which(program, path=environ.get("PATH", os.defpath))
        if place is None:
            problem = f"{program} is not a program that can be started"
            return AgentProbe(NAME, problem=problem, hint="name one on PATH, or by its path")
        return AgentProbe(NAME, place)

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        return Launch(self._argv, make_environment(NAME, asked, environ))

    def make_reader(self) -> CommandReader:
        return CommandReader()


class CommandReader:
    def __init__(self) -> None:
        self._last = b""

    def read_line(self, data: bytes) -> Activity | None:
        if not data.strip():
            return None
        self._last = data[:_MOST_LINE]
        return describe_speech(data[:_MOST_LINE].decode(errors="replace"))

    def make_record(self, *, exit_code: int | None, errors: bytes) -> Record:
        told = self._read_result()
        ending = _find_ending(told, exit_code)
        trouble = find_last_line(errors) or describe_exit(exit_code)
        return Record(
            NAME,
            ending,
            session=strip_controls(get_text(told, "session"), LINE_LIMIT),
            model=strip_controls(get_text(told, "model"), LINE_LIMIT),
            exit_code=exit_code,
            spend=read_spend(told),
            tool_calls=get_count(told, "tool_calls"),
            resets_at=_find_reset(told) if ending is Ending.RATE_LIMITED else "",
            problem="" if ending is Ending.OK else one_line(get_text(told, "problem")) or trouble,
            said=self._find_words(told),
        )

    def _read_result(self) -> Event:
        """The last line is the result if it is one object and nothing else."""
        if not (self._last.lstrip().startswith(b"{") and self._last.rstrip().endswith(b"}")):
            return {}
        return next(read_events(self._last), {})

    def _find_words(self, told: Event) -> str:
        text = get_text(told, "said") if told else self._last.decode(errors="replace")
        return strip_controls(text, SAID_LIMIT)


def _find_ending(told: Event, exit_code: int | None) -> Ending:
    ending = _TOLD.get(get_text(told, "ending"))
    if ending in {None, Ending.OK}:
        return Ending.OK if exit_code == 0 else Ending.CRASH
    return ending or Ending.CRASH


def _find_reset(told: Event) -> str:
    return format_moment(read_moment(told.get("resets_at")))
