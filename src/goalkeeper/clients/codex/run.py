"""How Codex is started, and how its output is read."""

from __future__ import annotations

from goalkeeper.clients.client import Activity, Asked
from goalkeeper.clients.limits import read_complaint
from goalkeeper.clients.program import ProgramClient
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import StreamValue
from goalkeeper.core.drive.phases import Spend

NAME = "codex"
_TOOLS = {"command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search"}


def make_argv(asked: Asked) -> tuple[str, ...]:
    argv = [NAME, "exec", *(["resume"] if asked.resume else []), "--json"]
    # Its own sandbox would keep an agent from committing, from listening on loopback as
    # many tests do, and from telling goalkeeper that it is blocked.
    argv += ["--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
    if asked.model:
        argv += ["--model", asked.model]
    argv += [asked.resume] if asked.resume else []
    return (*argv, "-")


class CodexReader(StreamReader):
    """Reads Codex, which tells no model. A resumed thread tells the tokens of all its turns."""

    client = NAME

    def __init__(self) -> None:
        super().__init__()
        self._open: set[str] = set()  # what was begun and is not completed

    def take_event(self, event: StreamValue) -> Activity | None:
        match event.text("type"):
            case "thread.started":
                self.session = event.text("thread_id")
            case "item.started" | "item.completed" as kind:
                return self._take_item(event.get("item"), done=kind == "item.completed")
            case "turn.completed":
                self.spend = _read_spend(event.get("usage"))
                self.finish()
            case "turn.failed":
                self.fail(read_complaint(event.text("error", "message")))
            case "error":
                complaint = read_complaint(event.text("message"))
                self.fail(complaint)
                return Activity.note(complaint.message)
            case _:
                pass
        return None

    def _take_item(self, item: StreamValue, *, done: bool) -> Activity | None:
        kind, text = item.text("type"), item.text("text")
        if kind == "error":  # it is a warning: an error that fails a turn comes as turn.failed
            return Activity.note(item.text("message"))
        self.go_on()
        if kind in _TOOLS:
            return self._take_tool(item, kind, done=done)
        if kind == "agent_message" and done:
            self.keep_words(text)
            return Activity.say(text)
        return None

    def _take_tool(self, item: StreamValue, kind: str, *, done: bool) -> Activity | None:
        name = item.text("id")
        if done and name in self._open:
            self._open.remove(name)
            return None
        if not done:
            self._open.add(name)
        self.tool_calls += 1
        return Activity.use_tool(kind.replace("_", " "), item)


def _read_spend(usage: StreamValue) -> Spend:
    tokens = usage.count("input_tokens"), usage.count("output_tokens")
    return Spend(*tokens, usage.count("cached_input_tokens"), None)


CLIENT = ProgramClient(
    NAME,
    "@openai/codex",
    least=(0, 80, 0),
    variables=("CODEX_API_KEY", "CODEX_ACCESS_TOKEN"),  # it does not read OPENAI_API_KEY
    login=("CODEX_HOME", ".codex", "auth.json"),
    make_argv=make_argv,
    make_reader=CodexReader,
)
