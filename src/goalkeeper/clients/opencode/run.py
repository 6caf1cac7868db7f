"""OpenCode."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from goalkeeper.clients import probing
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import Complaint, complaint_of, known_kind
from goalkeeper.clients.probing import Credentials, Program
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import (
    Event,
    at,
    count,
    microdollars,
    moment,
    notes,
    says,
    uses,
    word,
    written,
)
from goalkeeper.clients.surroundings import make_environment
from goalkeeper.core.drive.phases import Spend

NAME = "opencode"
_PROGRAM = Program(
    NAME,
    "opencode-ai",
    (1, 17, 18),
    ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"),
    Credentials("XDG_DATA_HOME", ".local/share", "opencode/auth.json"),
    # It tells 0 for every model whose price it does not know.
    cost_known=False,
)
_WAIT = re.compile(r"[0-9]{1,7}")  # seconds


class OpenCode:
    name = NAME

    def probe(self, environ: Mapping[str, str]) -> AgentProbe:
        return probing.probe(_PROGRAM, environ)

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        argv = [NAME, "run", "--format", "json", "--auto", "--dir", asked.worktree]
        # While it tries again and again it says so nowhere else.
        argv += ["--print-logs", "--log-level", "ERROR"]
        if asked.resume:
            argv += ["--session", asked.resume]
        if asked.model:
            argv += ["--model", asked.model]
        return Launch(tuple(argv), make_environment(NAME, asked, environ))

    def reader(self) -> OpenCodeReader:
        return OpenCodeReader()


class OpenCodeReader(StreamReader):
    """It tells no model, and no result: its last step and its exit code are the end."""

    client = NAME
    tells_result = False

    def take(self, event: Event) -> Activity | None:
        self.session = word(event, "sessionID") or self.session
        part = at(event, "part")
        match word(event, "type"):
            case "text" if at(part, "synthetic") is not True:
                self.said(word(part, "text"))
                return says(word(part, "text"))
            case "tool_use":
                self.goes_on()
                self.tool_calls += 1
                return uses(word(part, "tool"), at(part, "state", "input"))
            case "step_finish":
                self._step(part)
            case "error":
                return self._error(event)
            case _:
                pass
        return None

    def _step(self, part: object) -> None:
        self.spend = _plus(self.spend, part)
        if word(part, "reason") == "tool-calls":
            self.goes_on()
        else:
            self.done()

    def _error(self, event: Event) -> Activity | None:
        error = at(event, "error")
        message = word(error, "data", "message") or word(error, "name")
        body = complaint_of(word(error, "data", "responseBody"))
        kind = known_kind(word(error, "name"), body.kind)
        status = count(error, "data", "statusCode")
        self.failed(Complaint(message, kind, status, _retry_at(event)))
        return notes(message)


def _retry_at(event: Event) -> str:
    """When the provider asked to be tried again."""
    told_at = moment(at(event, "timestamp"))
    wait = word(event, "error", "data", "responseHeaders", "retry-after")
    if told_at is None or not _WAIT.fullmatch(wait):
        return ""
    return written(told_at + timedelta(seconds=int(wait)))


def _plus(spend: Spend, part: object) -> Spend:
    tokens = at(part, "tokens")
    cached = count(tokens, "cache", "read")
    fresh = count(tokens, "input") + count(tokens, "cache", "write")
    output = count(tokens, "output") + count(tokens, "reasoning")
    cost = (spend.microdollars or 0) + (microdollars(part, "cost") or 0)
    known = spend.replace(microdollars=0) + Spend(fresh + cached, output, cached)
    return known.replace(microdollars=cost or None)


CLIENT = OpenCode()
