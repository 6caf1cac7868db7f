"""The rehearsal: our own scripted agent (docs/rehearsal.md). It needs no key and no network."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import goalkeeper
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.reading import describe_exit, find_last_line, read_spend
from goalkeeper.clients.streams import (
    Event,
    describe_note,
    describe_speech,
    describe_tool_use,
    format_moment,
    get_text,
    one_line,
    read_events,
    read_moment,
)
from goalkeeper.core.drive.phases import SAID_LIMIT, Ending, Record
from goalkeeper.wire import layout

NAME = "rehearsal"
PROGRAM = "goalkeeper.rehearsal"  # a name only: it is started, not imported

_KEPT = frozenset({"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", layout.RUN})
# The LC_ of languages; and goalkeeper commands must find the same homes as we do.
_KEPT_FAMILIES = ("LC_", "XDG_CONFIG_", "XDG_STATE_", "XDG_CACHE_")
# How an agent can end by its own account; who else ended it is not for it to tell.
_TOLD = {
    ending.value: ending
    for ending in (
        Ending.OK,
        Ending.RATE_LIMITED,
        Ending.OUTAGE,
        Ending.AUTH,
        Ending.CONTEXT,
        Ending.CRASH,
    )
}
_MOST_LINE = 1 << 20  # longer lines say nothing that counts: a result is short


class Rehearsal:
    name = NAME

    def __init__(self, script: str) -> None:
        self._script = os.path.abspath(script)  # the agent works elsewhere

    def probe(self, environ: Mapping[str, str]) -> AgentProbe:  # noqa: ARG002  it needs nothing
        found = AgentProbe(NAME, sys.executable, goalkeeper.__version__, cost_known=True)
        if os.path.isfile(self._script):
            return found
        hint = "the same command with a --script that is there (docs/rehearsal.md)"
        return found.replace(problem=f"there is no script {self._script}", hint=hint)

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        # -P: what lies in the worktree must not be taken for a module of ours.
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


class RehearsalReader:
    def __init__(self) -> None:
        self._session = ""
        self._model = ""
        self._tool_calls = 0
        self._resets_at = ""
        self._said = ""
        self._result: Event | None = None

    def read_line(self, data: bytes) -> Activity | None:
        told = next(read_events(data), {}) if len(data) <= _MOST_LINE else {}
        match told.get("type"):
            case "start":
                self._session, self._model = get_text(told, "session"), get_text(told, "model")
            case "tool":
                self._tool_calls += 1
                return describe_tool_use(
                    get_text(told, "name"), {"description": get_text(told, "about")}
                )
            case "say":
                self._said = get_text(told, "text")
                return describe_speech(self._said)
            case "think":
                return describe_note(get_text(told, "text"))
            case "limit":
                self._resets_at = format_moment(read_moment(get_text(told, "resets_at")))
                return describe_note(f"rate limit until {self._resets_at or 'nobody knows'}")
            case "result":
                self._result = told
            case _:  # signs of life, and what later versions may tell
                pass
        return None

    def make_record(self, *, exit_code: int | None, errors: bytes) -> Record:
        ending, problem = self._judge_end(exit_code, errors)
        result = self._result or {}
        return Record(
            NAME,
            ending,
            session=self._session,
            model=self._model,
            exit_code=exit_code,
            spend=read_spend(result),
            tool_calls=self._tool_calls,
            resets_at=self._resets_at if ending is Ending.RATE_LIMITED else "",
            problem=problem,
            said=(get_text(result, "said") or self._said)[:SAID_LIMIT],
        )

    def _judge_end(self, exit_code: int | None, errors: bytes) -> tuple[Ending, str]:
        if self._result is None:
            return Ending.CRASH, find_last_line(
                errors
            ) or f"it told no result; {describe_exit(exit_code)}"
        told = get_text(self._result, "ending")
        ending = _TOLD.get(told)
        if ending is None:
            return Ending.CRASH, f"it told an end that we do not know: {one_line(told)}"
        if ending is Ending.OK and exit_code:
            return Ending.CRASH, f"it told that all is well; {describe_exit(exit_code)}"
        problem = one_line(get_text(self._result, "problem"))
        return ending, problem or (describe_exit(exit_code) if ending is Ending.CRASH else "")
