"""Codex."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.clients import probing
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import complaint_of
from goalkeeper.clients.probing import Credentials, Program
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import Event, at, count, notes, says, uses, word
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

    def reader(self) -> CodexReader:
        return CodexReader()


class CodexReader(StreamReader):
    """It does not tell the model. Of a resumed thread it tells the tokens of all its turns."""

    client = NAME

    def __init__(self) -> None:
        super().__init__()
        self._open: set[str] = set()  # what was begun and is not completed

    def take(self, event: Event) -> Activity | None:
        match word(event, "type"):
            case "thread.started":
                self.session = word(event, "thread_id")
            case "item.started" | "item.completed" as kind:
                return self._item(at(event, "item"), done=kind == "item.completed")
            case "turn.completed":
                self.spend = _spend(at(event, "usage"))
                self.done()
            case "turn.failed":
                self.failed(complaint_of(word(event, "error", "message")))
            case "error":
                complaint = complaint_of(word(event, "message"))
                self.failed(complaint)
                return notes(complaint.message)
            case _:
                pass
        return None

    def _item(self, item: object, *, done: bool) -> Activity | None:
        kind, text = word(item, "type"), word(item, "text")
        if kind == "error":  # a warning: what fails a turn comes as turn.failed
            return notes(word(item, "message"))
        self.goes_on()
        if kind in _TOOLS:
            return self._tool(item, kind, done=done)
        if kind == "agent_message" and done:
            self.said(text)
            return says(text)
        return None

    def _tool(self, item: object, kind: str, *, done: bool) -> Activity | None:
        name = word(item, "id")
        if done and name in self._open:
            self._open.remove(name)
            return None
        if not done:
            self._open.add(name)
        self.tool_calls += 1
        return uses(kind.replace("_", " "), item)


def _spend(usage: object) -> Spend:
    return Spend(
        count(usage, "input_tokens"),
        count(usage, "output_tokens"),
        count(usage, "cached_input_tokens"),
        None,
    )


CLIENT = Codex()
