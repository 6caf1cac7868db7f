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
from goalkeeper.clients.limits import Understood
from goalkeeper.clients.program import make_environment
from goalkeeper.clients.reading import (
    StreamReader,
    describe_exit,
    find_last_line,
    find_told_ending,
    read_spend,
)
from goalkeeper.clients.streams import StreamValue, format_moment, one_line, read_events
from goalkeeper.core.drive.phases import Ending, Record

NAME = "command"
_MOST_LINE = 1 << 20  # a result is shorter than this


class Command:
    name = NAME

    def __init__(self, argv: Sequence[str]) -> None:
        first, *rest = argv
        # A path is relative to our folder: in the worktree an agent could put something else there.
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


class CommandReader(StreamReader):
    client = NAME

    def __init__(self) -> None:
        super().__init__()
        self._last = b""
        self._result = StreamValue({})

    def read_line(self, data: bytes) -> Activity | None:
        if not data.strip():
            return None
        self._last = data[:_MOST_LINE]
        return Activity.say(self._last.decode(errors="replace"))

    def make_record(self, *, exit_code: int | None, errors: bytes) -> Record:
        """Make the record. The last line is the result if it is one object and nothing else."""
        line = self._last.strip()
        is_object = line.startswith(b"{") and line.endswith(b"}")
        result = next(read_events(line), None) if is_object else None
        if result:
            self.take_event(result)
        else:
            self.keep_words(self._last.decode(errors="replace"))
        return super().make_record(exit_code=exit_code, errors=errors)

    def take_event(self, event: StreamValue) -> None:
        self._result = event
        self.session, self.model = event.text("session"), event.text("model")
        self.spend, self.tool_calls = read_spend(event), event.count("tool_calls")
        self.keep_words(event.text("said"))

    def judge_end(self, exit_code: int | None, errors: bytes) -> Understood:
        ending = find_told_ending(self._result) or Ending.OK
        if ending is Ending.OK:
            ending = Ending.OK if exit_code == 0 else Ending.CRASH
        if ending is Ending.OK:
            return Understood(ending, "")
        trouble = find_last_line(errors) or describe_exit(exit_code)
        resets_at = format_moment(self._result.moment("resets_at"))
        return Understood(
            ending,
            one_line(self._result.text("problem")) or trouble,
            resets_at if ending is Ending.RATE_LIMITED else "",
        )
