"""The rehearsal: our own scripted agent (docs/rehearsal.md). It needs no key and no network."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

import goalkeeper
from goalkeeper.agents.client import Activity, Asked, Launch, Probe
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
_MICRO = 10**6
_MOST_DOLLARS = 10**9
_SIGNALLED = 128  # how shells tell a death by a signal


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
                self._session, self._model = _text(told, "session"), _text(told, "model")
            case "tool":
                self._tool_calls += 1
                return _activity("uses", f"{_text(told, 'name')} {_text(told, 'about')}")
            case "say":
                self._said = _text(told, "text")
                return _activity("says", self._said)
            case "think":
                return _activity("notes", _text(told, "text"))
            case "limit":
                self._resets_at = _instant(_text(told, "resets_at"))
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
            said=(_text(result, "said") or self._said)[:SAID_LIMIT],
        )

    def _end(self, exit_code: int | None, errors: bytes) -> tuple[Ending, str]:
        if self._result is None:
            return Ending.CRASH, _last_line(errors) or f"it told no result; {_shown(exit_code)}"
        told = _text(self._result, "ending")
        ending = _TOLD.get(told)
        if ending is None:
            return Ending.CRASH, f"it told an end that we do not know: {_clipped(told)}"
        if ending is Ending.OK and exit_code:
            return Ending.CRASH, f"it told that all is well; {_shown(exit_code)}"
        problem = _clipped(_text(self._result, "problem"))
        return ending, problem or (_shown(exit_code) if ending is Ending.CRASH else "")


def _shown(exit_code: int | None) -> str:
    if exit_code is None:
        return "nobody saw it end"
    number = -exit_code if exit_code < 0 else exit_code - _SIGNALLED
    try:
        return f"it was ended by {signal.Signals(number).name}"
    except ValueError:
        return f"it ended with exit code {exit_code}"


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
        _microdollars(result.get("cost")),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _microdollars(value: object) -> int | None:
    """None, and not 0, when it was not told: an agent that died may have cost something."""
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 0 <= value < _MOST_DOLLARS
    ):
        return round(value * _MICRO)
    return None


def _instant(told: str) -> str:
    """As the ledger writes moments, so that they can be compared; empty when it is none."""
    try:
        moment = datetime.fromisoformat(told)
        if moment.tzinfo is None:
            return ""
        return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return ""


def _text(told: Mapping[str, object], name: str) -> str:
    value = told.get(name)
    # A JSON string may hold half a character, which no file of ours could.
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _last_line(errors: bytes) -> str:
    lines = errors.decode(errors="replace").split("\n")
    return _clipped(next((line for line in reversed(lines) if line.strip()), ""))


def _activity(kind: str, text: str) -> Activity:
    return Activity(kind, _clipped(text))


def _clipped(text: str) -> str:
    return " ".join(text.split())[:_MOST_TEXT]
