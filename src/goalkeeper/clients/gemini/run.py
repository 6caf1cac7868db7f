"""How Gemini CLI is started, and how its output is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from goalkeeper.clients.client import Activity, Asked
from goalkeeper.clients.limits import find_known_kind, read_complaint
from goalkeeper.clients.program import ProgramClient
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import StreamValue
from goalkeeper.core.drive.phases import Ending, Spend

NAME = "gemini"


def make_argv(asked: Asked) -> tuple[str, ...]:
    # --prompt is left out: if the input is no terminal, all of the input is the prompt.
    argv = [NAME, "--output-format", "stream-json", "--approval-mode", "yolo"]
    argv += ["--resume", asked.resume] if asked.resume else ["--session-id", asked.session]
    if asked.model:
        argv += ["--model", asked.model]
    return tuple(argv)


class GeminiReader(StreamReader):
    client = NAME
    exits: ClassVar[Mapping[int, Ending]] = {41: Ending.AUTH, 53: Ending.MOST_TURNS}

    def __init__(self) -> None:
        super().__init__()
        self._speaking = False  # what it says comes in pieces

    def take_event(self, event: StreamValue) -> Activity | None:
        kind = event.text("type")
        speaking, self._speaking = self._speaking, False
        match kind:
            case "init":
                self.session, self.model = event.text("session_id"), event.text("model")
            case "message" if event.text("role") == "assistant":
                return self._take_message(event.text("content"), more=speaking)
            case "tool_use":
                self.go_on()
                self.tool_calls += 1
                return Activity.use_tool(event.text("tool_name"), event.get("parameters"))
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
        return Activity.say(text)

    def _take_error(self, event: StreamValue) -> Activity | None:
        message = event.text("message")
        if event.text("severity") == "error":
            self.fail(read_complaint(message))
        return Activity.note(message)

    def _take_result(self, event: StreamValue) -> None:
        stats = event.get("stats")
        tokens = stats.count("input_tokens"), stats.count("output_tokens")
        self.spend = Spend(*tokens, stats.count("cached"), None)
        if event.text("status") == "success":
            self.finish()
            return
        error = event.get("error")
        told = read_complaint(error.text("message"))
        kind = find_known_kind(error.text("type"), told.kind)
        self.fail(told.replace(kind=kind))


CLIENT = ProgramClient(
    NAME,
    "@google/gemini-cli",
    least=(0, 41, 0),
    variables=(
        "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA",
    ),
    login=("GEMINI_CLI_HOME", "", ".gemini/oauth_creds.json"),
    make_argv=make_argv,
    make_reader=GeminiReader,
    # It works in trusted folders only, and nobody could have trusted one that we just made.
    more_environment={"GEMINI_CLI_TRUST_WORKSPACE": "true"},
)  # fmt: skip
