"""How OpenCode is started, and how its output is read."""

from __future__ import annotations

from datetime import timedelta

from goalkeeper.clients.client import Activity, Asked
from goalkeeper.clients.limits import Complaint, find_known_kind, read_complaint
from goalkeeper.clients.program import ProgramClient
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import StreamValue, format_moment
from goalkeeper.core.drive.phases import Spend
from goalkeeper.wire.pattern import late_pattern

NAME = "opencode"
_WAIT = late_pattern(r"[0-9]{1,7}")  # it matches seconds


def make_argv(asked: Asked) -> tuple[str, ...]:
    argv = [NAME, "run", "--format", "json", "--auto", "--dir", asked.worktree]
    # While it tries again and again, it says so nowhere else.
    argv += ["--print-logs", "--log-level", "ERROR"]
    if asked.resume:
        argv += ["--session", asked.resume]
    if asked.model:
        argv += ["--model", asked.model]
    return tuple(argv)


class OpenCodeReader(StreamReader):
    """Reads OpenCode, which tells no result. Its last step and exit code say how it ended."""

    client = NAME
    tells_result = False

    def take_event(self, event: StreamValue) -> Activity | None:
        self.session = event.text("sessionID") or self.session
        part = event.get("part")
        match event.text("type"):
            case "text" if part.get("synthetic").raw is not True:
                self.keep_words(part.text("text"))
                return Activity.say(part.text("text"))
            case "tool_use":
                self.go_on()
                self.tool_calls += 1
                return Activity.use_tool(part.text("tool"), part.get("state", "input"))
            case "step_finish":
                self._take_step(part)
            case "error":
                return self._take_error(event)
            case _:
                pass
        return None

    def _take_step(self, part: StreamValue) -> None:
        self.spend = _add_step(self.spend, part)
        if part.text("reason") == "tool-calls":
            self.go_on()
        else:
            self.finish()

    def _take_error(self, event: StreamValue) -> Activity | None:
        error = event.get("error")
        message = error.text("data", "message") or error.text("name")
        body = read_complaint(error.text("data", "responseBody"))
        kind = find_known_kind(error.text("name"), body.kind)
        status = error.count("data", "statusCode")
        self.fail(Complaint(message, kind, status, _find_retry(event)))
        return Activity.note(message)


def _find_retry(event: StreamValue) -> str:
    """Return the moment at which the provider asked to be tried again."""
    told_at = event.moment("timestamp")
    wait = event.text("error", "data", "responseHeaders", "retry-after")
    if told_at is None or not _WAIT.fullmatch(wait):
        return ""
    return format_moment(told_at + timedelta(seconds=int(wait)))


def _add_step(spend: Spend, part: StreamValue) -> Spend:
    tokens = part.get("tokens")
    cached = tokens.count("cache", "read")
    fresh = tokens.count("input") + tokens.count("cache", "write")
    output = tokens.count("output") + tokens.count("reasoning")
    cost = (spend.microdollars or 0) + (part.microdollars("cost") or 0)
    known = spend.replace(microdollars=0) + Spend(fresh + cached, output, cached)
    return known.replace(microdollars=cost or None)


CLIENT = ProgramClient(
    NAME,
    "opencode-ai",
    least=(1, 17, 18),
    variables=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"),
    login=("XDG_DATA_HOME", ".local/share", "opencode/auth.json"),
    make_argv=make_argv,
    make_reader=OpenCodeReader,
    # It tells 0 for every model whose price it does not know.
    cost_known=False,
)
