"""The rehearsal: our own scripted agent (docs/rehearsal.md). It needs no key and no network."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import goalkeeper
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.reading import ended, last_line, spend_told
from goalkeeper.clients.streams import (
    Event,
    events,
    moment,
    notes,
    one_line,
    says,
    uses,
    word,
    written,
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

    def reader(self) -> RehearsalReader:
        return RehearsalReader()


class RehearsalReader:
    def __init__(self) -> None:
        self._session = ""
        self._model = ""
        self._tool_calls = 0
        self._resets_at = ""
        self._said = ""
        self._result: Event | None = None

    def line(self, data: bytes) -> Activity | None:
        told = next(events(data), {}) if len(data) <= _MOST_LINE else {}
        match told.get("type"):
            case "start":
                self._session, self._model = word(told, "session"), word(told, "model")
            case "tool":
                self._tool_calls += 1
                return uses(word(told, "name"), {"description": word(told, "about")})
            case "say":
                self._said = word(told, "text")
                return says(self._said)
            case "think":
                return notes(word(told, "text"))
            case "limit":
                self._resets_at = written(moment(word(told, "resets_at")))
                return notes(f"rate limit until {self._resets_at or 'nobody knows'}")
            case "result":
                self._result = told
            case _:  # signs of life, and what later versions may tell
                pass
        return None

    def record(self, *, exit_code: int | None, errors: bytes) -> Record:
        ending, problem = self._end(exit_code, errors)
        result = self._result or {}
        return Record(
            NAME,
            ending,
            session=self._session,
            model=self._model,
            exit_code=exit_code,
            spend=spend_told(result),
            tool_calls=self._tool_calls,
            resets_at=self._resets_at if ending is Ending.RATE_LIMITED else "",
            problem=problem,
            said=(word(result, "said") or self._said)[:SAID_LIMIT],
        )

    def _end(self, exit_code: int | None, errors: bytes) -> tuple[Ending, str]:
        if self._result is None:
            return Ending.CRASH, last_line(errors) or f"it told no result; {ended(exit_code)}"
        told = word(self._result, "ending")
        ending = _TOLD.get(told)
        if ending is None:
            return Ending.CRASH, f"it told an end that we do not know: {one_line(told)}"
        if ending is Ending.OK and exit_code:
            return Ending.CRASH, f"it told that all is well; {ended(exit_code)}"
        problem = one_line(word(self._result, "problem"))
        return ending, problem or (ended(exit_code) if ending is Ending.CRASH else "")
