"""How Gemini CLI is started, and how its output is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from goalkeeper.clients import probing
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import find_known_kind, read_complaint
from goalkeeper.clients.probing import Credentials, Program
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import (
    Event,
    describe_note,
    describe_speech,
    describe_tool_use,
    get_count,
    get_field,
    get_text,
)
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

    def make_reader(self) -> GeminiReader:
        return GeminiReader()


class GeminiReader(StreamReader):
    client = NAME
    exits: ClassVar[Mapping[int, Ending]] = {41: Ending.AUTH, 53: Ending.MOST_TURNS}

    def __init__(self) -> None:
        super().__init__()
        self._speaking = False  # what it says comes in pieces

    def take_event(self, event: Event) -> Activity | None:
        kind = get_text(event, "type")
        speaking, self._speaking = self._speaking, False
        match kind:
            case "init":
                self.session, self.model = get_text(event, "session_id"), get_text(event, "model")
            case "message" if get_text(event, "role") == "assistant":
                return self._take_message(get_text(event, "content"), more=speaking)
            case "tool_use":
                self.go_on()
                self.tool_calls += 1
                return describe_tool_use(
                    get_text(event, "tool_name"), get_field(event, "parameters")
                )
            case "error":
                return self._take_error(event)
            case "result":
                self._take_result(event)
            case _:
                pass
        return None

    def _take_message(self, text: str, *, more: bool) -> Activity | None:
        self.go_on()
        self._speaking = True
        if more:
            self.add_words(text)
        else:
            self.keep_words(text)
        return describe_speech(text)

    def _take_error(self, event: Event) -> Activity | None:
        message = get_text(event, "message")
        if get_text(event, "severity") == "error":
            self.fail(read_complaint(message))
        return describe_note(message)

    def _take_result(self, event: Event) -> None:
        stats = get_field(event, "stats")
        tokens = get_count(stats, "input_tokens"), get_count(stats, "output_tokens")
        self.spend = Spend(*tokens, get_count(stats, "cached"), None)
        if get_text(event, "status") == "success":
            self.finish()
            return
        error = get_field(event, "error")
        told = read_complaint(get_text(error, "message"))
        kind = find_known_kind(get_text(error, "type"), told.kind)
        self.fail(told.replace(kind=kind))


CLIENT = Gemini()
