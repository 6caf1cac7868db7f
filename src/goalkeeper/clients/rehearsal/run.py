"""The rehearsal: our own scripted agent (docs/rehearsal.md). It needs no key and no network."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import goalkeeper
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import Understood
from goalkeeper.clients.reading import (
    StreamReader,
    describe_exit,
    find_last_line,
    find_told_ending,
    read_spend,
)
from goalkeeper.clients.streams import StreamValue, format_moment, one_line, read_moment
from goalkeeper.core.drive.phases import Ending
from goalkeeper.wire import layout

NAME = "rehearsal"
PROGRAM = "goalkeeper.rehearsal"  # it is only a name, because it is started and not imported

_KEPT = frozenset({"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", layout.RUN})
# The LC_ variables set languages; and goalkeeper commands must find the same homes as we do.
_KEPT_FAMILIES = ("LC_", "XDG_CONFIG_", "XDG_STATE_", "XDG_CACHE_")


class Rehearsal:
    name = NAME

    def __init__(self, script: str) -> None:
        self._script = os.path.abspath(script)  # the agent works in another folder

    def probe(self, environ: Mapping[str, str]) -> AgentProbe:  # noqa: ARG002  it needs nothing
        found = AgentProbe(NAME, sys.executable, goalkeeper.__version__, cost_known=True)
        if os.path.isfile(self._script):
            return found
        hint = "the same command with a --script that is there (docs/rehearsal.md)"
        return found.replace(problem=f"there is no script {self._script}", hint=hint)

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        # -P keeps Python from taking files of the worktree for modules of ours.
        argv = (sys.executable, "-P", "-m", PROGRAM, "--script", self._script)
        kept = {
            name: value
            for name, value in environ.items()
            if name in _KEPT or name.startswith(_KEPT_FAMILIES)
        }
        session = asked.resume or asked.session
        return Launch(argv, {**kept, "GOALKEEPER_AGENT": NAME, "GOALKEEPER_SESSION": session})

    def make_reader(self) -> RehearsalReader:
        return RehearsalReader()


class RehearsalReader(StreamReader):
    client = NAME

    def __init__(self) -> None:
        super().__init__()
        self._resets_at = ""
        self._result: StreamValue | None = None

    def take_event(self, event: StreamValue) -> Activity | None:
        match event.text("type"):
            case "start":
                self.session, self.model = event.text("session"), event.text("model")
            case "tool":
                self.tool_calls += 1
                about = StreamValue({"description": event.text("about")})
                return Activity.use_tool(event.text("name"), about)
            case "say":
                self.keep_words(event.text("text"))
                return Activity.say(event.text("text"))
            case "think":
                return Activity.note(event.text("text"))
            case "limit":
                self._resets_at = format_moment(read_moment(event.text("resets_at")))
                return Activity.note(f"rate limit until {self._resets_at or 'nobody knows'}")
            case "result":
                self._result, self.spend = event, read_spend(event)
                self.keep_words(event.text("said"))
            case _:  # these are signs of life, or what later versions may tell
                pass
        return None

    def judge_end(self, exit_code: int | None, errors: bytes) -> Understood:
        how = describe_exit(exit_code)
        if self._result is None:
            return Understood(Ending.CRASH, find_last_line(errors) or f"it told no result; {how}")
        told, problem = self._result.text("ending"), one_line(self._result.text("problem"))
        if told == Ending.CRASH:
            return Understood(Ending.CRASH, problem or how)
        ending = find_told_ending(self._result)
        if ending is None:
            strange = f"it told an end that we do not know: {one_line(told)}"
            return Understood(Ending.CRASH, strange)
        if ending is Ending.OK and exit_code:
            return Understood(Ending.CRASH, f"it told that all is well; {how}")
        limited = ending is Ending.RATE_LIMITED
        return Understood(ending, problem, self._resets_at if limited else "")
