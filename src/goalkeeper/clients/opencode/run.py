"""How OpenCode is started, and how its output is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from goalkeeper.clients import probing
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import Complaint, find_known_kind, read_complaint
from goalkeeper.clients.probing import Credentials, Program
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import (
    Event,
    describe_note,
    describe_speech,
    describe_tool_use,
    format_moment,
    get_count,
    get_field,
    get_microdollars,
    get_text,
    read_moment,
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

    def make_reader(self) -> OpenCodeReader:
        return OpenCodeReader()


class OpenCodeReader(StreamReader):
    """It tells no model and no result. Its last step and its exit code say how it ended."""

    client = NAME
    tells_result = False

    def take_event(self, event: Event) -> Activity | None:
        self.session = get_text(event, "sessionID") or self.session
        part = get_field(event, "part")
        match get_text(event, "type"):
            case "text" if get_field(part, "synthetic") is not True:
                self.keep_words(get_text(part, "text"))
                return describe_speech(get_text(part, "text"))
            case "tool_use":
                self.go_on()
                self.tool_calls += 1
                return describe_tool_use(get_text(part, "tool"), get_field(part, "state", "input"))
            case "step_finish":
                self._take_step(part)
            case "error":
                return self._take_error(event)
            case _:
                pass
        return None

    def _take_step(self, part: object) -> None:
        self.spend = _add_step(self.spend, part)
        if get_text(part, "reason") == "tool-calls":
            self.go_on()
        else:
            self.finish()

    def _take_error(self, event: Event) -> Activity | None:
        error = get_field(event, "error")
        message = get_text(error, "data", "message") or get_text(error, "name")
        body = read_complaint(get_text(error, "data", "responseBody"))
        kind = find_known_kind(get_text(error, "name"), body.kind)
        status = get_count(error, "data", "statusCode")
        self.fail(Complaint(message, kind, status, _find_retry(event)))
        return describe_note(message)


def _find_retry(event: Event) -> str:
    """Say when the provider asked to be tried again."""
    told_at = read_moment(get_field(event, "timestamp"))
    wait = get_text(event, "error", "data", "responseHeaders", "retry-after")
    if told_at is None or not _WAIT.fullmatch(wait):
        return ""
    return format_moment(told_at + timedelta(seconds=int(wait)))


def _add_step(spend: Spend, part: object) -> Spend:
    tokens = get_field(part, "tokens")
    cached = get_count(tokens, "cache", "read")
    fresh = get_count(tokens, "input") + get_count(tokens, "cache", "write")
    output = get_count(tokens, "output") + get_count(tokens, "reasoning")
    cost = (spend.microdollars or 0) + (get_microdollars(part, "cost") or 0)
    known = spend.replace(microdollars=0) + Spend(fresh + cached, output, cached)
    return known.replace(microdollars=cost or None)


CLIENT = OpenCode()
