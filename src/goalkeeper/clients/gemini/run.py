"""Gemini CLI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from goalkeeper.clients import probing
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import complaint_of, known_kind
from goalkeeper.clients.probing import Credentials, Program
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import Event, at, count, notes, says, uses, word
from goalkeeper.clients.surroundings import make_environment
from goalkeeper.core.drive.phases import Ending, Spend

NAME = "gemini"
_PROGRAM = Program(
    NAME,
    "@google/gemini-cli",
    (0, 41, 0),
    (
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_GENAI_USE_GCA",
    ),
    Credentials("GEMINI_CLI_HOME", "", ".gemini/oauth_creds.json"),
)


class Gemini:
    name = NAME

    def probe(self, environ: Mapping[str, str]) -> AgentProbe:
        return probing.probe(_PROGRAM, environ)

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        # Without --prompt: with input that is no terminal, all of that is the prompt.
        argv = [NAME, "--output-format", "stream-json", "--approval-mode", "yolo"]
        argv += ["--resume", asked.resume] if asked.resume else ["--session-id", asked.session]
        if asked.model:
            argv += ["--model", asked.model]
        # It works in trusted folders only, and nobody could have trusted one that we just made.
        trusted = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
        return Launch(tuple(argv), make_environment(NAME, asked, environ) | trusted)

    def reader(self) -> GeminiReader:
        return GeminiReader()


class GeminiReader(StreamReader):
    client = NAME
    exits: ClassVar[Mapping[int, Ending]] = {41: Ending.AUTH, 53: Ending.MOST_TURNS}

    def __init__(self) -> None:
        super().__init__()
        self._speaking = False  # what it says comes in pieces

    def take(self, event: Event) -> Activity | None:
        kind = word(event, "type")
        speaking, self._speaking = self._speaking, False
        match kind:
            case "init":
                self.session, self.model = word(event, "session_id"), word(event, "model")
            case "message" if word(event, "role") == "assistant":
                return self._message(word(event, "content"), more=speaking)
            case "tool_use":
                self.goes_on()
                self.tool_calls += 1
                return uses(word(event, "tool_name"), at(event, "parameters"))
            case "error":
                return self._error(event)
            case "result":
                self._result(event)
            case _:
                pass
        return None

    def _message(self, text: str, *, more: bool) -> Activity | None:
        self.goes_on()
        self._speaking = True
        if more:
            self.said_more(text)
        else:
            self.said(text)
        return says(text)

    def _error(self, event: Event) -> Activity | None:
        message = word(event, "message")
        if word(event, "severity") == "error":
            self.failed(complaint_of(message))
        return notes(message)

    def _result(self, event: Event) -> None:
        stats = at(event, "stats")
        tokens = count(stats, "input_tokens"), count(stats, "output_tokens")
        self.spend = Spend(*tokens, count(stats, "cached"), None)
        if word(event, "status") == "success":
            self.done()
            return
        error = at(event, "error")
        told = complaint_of(word(error, "message"))
        kind = known_kind(word(error, "type"), told.kind)
        self.failed(told.replace(kind=kind))


CLIENT = Gemini()
