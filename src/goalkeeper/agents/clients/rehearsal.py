"""The rehearsal: our own scripted agent (docs/rehearsal.md). It needs no key and no network."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping

import goalkeeper
from goalkeeper.agents.client import Activity, Asked, Launch, Probe
from goalkeeper.agents.reading import ended
from goalkeeper.agents.streams import microdollars, moment, word, written
from goalkeeper.core.phases import SAID_LIMIT, Ending, Record, Spend

NAME = "rehearsal"
PROGRAM = "goalkeeper.testing.rehearsal"  # a name only: it is started, not imported

_KEPT = frozenset({"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR"})
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
_MOST_TEXT = 200


class Rehearsal:
    name = NAME

    def __init__(self, script: str) -> None:
        self._script = os.path.abspath(script)  # the agent works elsewhere

    def probe(self, environ: Mapping[str, str]) -> Probe:  # noqa: ARG002  it needs nothing
        found = Probe(NAME, sys.executable, goalkeeper.__version__, cost_known=True)
        if os.path.isfile(self._script):
            return found
        hint = "goalkeeper run --agent rehearsal --script story.json"
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
        self._result: Mapping[str, object] | None = None

    def line(self, data: bytes) -> Activity | None:
        told = _object(data)
        match told.get("type"):
            case "start":
                self._session, self._model = word(told, "session"), word(told, "model")
            case "tool":
                self._tool_calls += 1
                return _activity("uses", f"{word(told, 'name')} {word(told, 'about')}")
            case "say":
                self._said = word(told, "text")
                return _activity("says", self._said)
            case "think":
                return _activity("notes", word(told, "text"))
            case "limit":
                self._resets_at = written(moment(word(told, "resets_at")))
                return _activity("notes", f"rate limit until {self._resets_at or 'nobody knows'}")
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
            spend=_spend(result),
            tool_calls=self._tool_calls,
            resets_at=self._resets_at if ending is Ending.RATE_LIMITED else "",
            problem=problem,
            said=(word(result, "said") or self._said)[:SAID_LIMIT],
        )

    def _end(self, exit_code: int | None, errors: bytes) -> tuple[Ending, str]:
        if self._result is None:
            return Ending.CRASH, _last_line(errors) or f"it told no result; {ended(exit_code)}"
        told = word(self._result, "ending")
        ending = _TOLD.get(told)
        if ending is None:
            return Ending.CRASH, f"it told an end that we do not know: {_clipped(told)}"
        if ending is Ending.OK and exit_code:
            return Ending.CRASH, f"it told that all is well; {ended(exit_code)}"
        problem = _clipped(word(self._result, "problem"))
        return ending, problem or (ended(exit_code) if ending is Ending.CRASH else "")


def _object(data: bytes) -> Mapping[str, object]:
    """What the line says; nothing when it is none of ours."""
    if len(data) > _MOST_LINE:
        return {}
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _spend(result: Mapping[str, object]) -> Spend:
    usage = result.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Spend(
        _count(counts.get("input")),
        _count(counts.get("output")),
        _count(counts.get("cached")),
        microdollars(result, "cost"),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _last_line(errors: bytes) -> str:
    lines = errors.decode(errors="replace").split("\n")
    return _clipped(next((line for line in reversed(lines) if line.strip()), ""))


def _activity(kind: str, text: str) -> Activity:
    return Activity(kind, _clipped(text))


def _clipped(text: str) -> str:
    return " ".join(text.split())[:_MOST_TEXT]
