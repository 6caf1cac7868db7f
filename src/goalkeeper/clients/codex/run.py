"""How Codex is started, and how its output is read."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.clients import probing
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import read_complaint
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
from goalkeeper.core.drive.phases import Spend

NAME = "codex"
_PROGRAM = Program(
    NAME,
    "@openai/codex",
    (0, 80, 0),
    ("CODEX_API_KEY", "CODEX_ACCESS_TOKEN"),  # it does not read OPENAI_API_KEY
    Credentials("CODEX_HOME", ".codex", "auth.json"),
)
_TOOLS = {"command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search"}


class Codex:
    name = NAME

    def probe(self, environ: Mapping[str, str]) -> AgentProbe:
        return probing.probe(_PROGRAM, environ)

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        argv = [NAME, "exec", *(["resume"] if asked.resume else []), "--json"]
        # Its own sandbox would keep an agent from committing, from listening on loopback as
        # many tests do, and from telling goalkeeper that it is blocked.
        argv += ["--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
        if asked.model:
            argv += ["--model", asked.model]
        argv += [asked.resume] if asked.resume else []
        return Launch((*argv, "-"), make_environment(NAME, asked, environ))

    def make_reader(self) -> CodexReader:
        return CodexReader()


class CodexReader(StreamReader):
    """It does not tell the model. A resumed thread tells the tokens of all its turns."""

    client = NAME

    def __init__(self) -> None:
        super().__init__()
        self._open: set[str] = set()  # what was begun and is not completed

    def take_event(self, event: Event) -> Activity | None:
        match get_text(event, "type"):
            case "thread.started":
                self.session = get_text(event, "thread_id")
            case "item.started" | "item.completed" as kind:
                return self._take_item(get_field(event, "item"), done=kind == "item.completed")
            case "turn.completed":
                self.spend = _read_spend(get_field(event, "usage"))
                self.finish()
            case "turn.failed":
                self.fail(read_complaint(get_text(event, "error", "message")))
            case "error":
                complaint = read_complaint(get_text(event, "message"))
                self.fail(complaint)
                return describe_note(complaint.message)
            case _:
                pass
        return None

    def _take_item(self, item: object, *, done: bool) -> Activity | None:
        kind, text = get_text(item, "type"), get_text(item, "text")
        if kind == "error":  # a warning: what fails a turn comes as turn.failed
            return describe_note(get_text(item, "message"))
        self.go_on()
        if kind in _TOOLS:
            return self._take_tool(item, kind, done=done)
        if kind == "agent_message" and done:
            self.keep_words(text)
            return describe_speech(text)
        return None

    def _take_tool(self, item: object, kind: str, *, done: bool) -> Activity | None:
        name = get_text(item, "id")
        if done and name in self._open:
            self._open.remove(name)
            return None
        if not done:
            self._open.add(name)
        self.tool_calls += 1
        return describe_tool_use(kind.replace("_", " "), item)


def _read_spend(usage: object) -> Spend:
    return Spend(
        get_count(usage, "input_tokens"),
        get_count(usage, "output_tokens"),
        get_count(usage, "cached_input_tokens"),
        None,
    )


CLIENT = Codex()
