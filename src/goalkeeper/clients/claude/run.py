"""How Claude Code is started, and how its output is read."""

from __future__ import annotations

import os
from collections.abc import Mapping

from goalkeeper.clients.client import Activity, AgentProbe, Asked
from goalkeeper.clients.limits import Complaint, find_known_kind
from goalkeeper.clients.program import ProgramClient
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import StreamValue, format_moment
from goalkeeper.core.drive.phases import Spend

NAME = "claude"
_SYNTHETIC = "<synthetic>"  # messages that the client wrote itself have this model
# The first three are about input, the last one is about output.
_USAGE_NAMES = (
    "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens",
)  # fmt: skip
_MODEL_NAMES = (
    "inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens",
)  # fmt: skip


def make_argv(asked: Asked) -> tuple[str, ...]:
    """Make the argv. A prompt that begins with a slash would be a command of the client's own."""
    argv = [NAME, "-p", "--output-format", "stream-json", "--verbose"]
    argv += ["--permission-mode", "bypassPermissions"]
    argv += ["--resume", asked.resume] if asked.resume else ["--session-id", asked.session]
    if asked.model:
        argv += ["--model", asked.model]
    if asked.microdollars:
        argv += ["--max-budget-usd", f"{asked.microdollars / 1_000_000:.6f}"]
    return tuple(argv)


def refuse_root(found: AgentProbe, environ: Mapping[str, str], user: int) -> AgentProbe:
    # The client refuses to work unattended as root, for good reasons. Only the user may decide that
    # an agent gets this machine, so we do not override it.
    if user != 0 or environ.get("IS_SANDBOX") == "1" or environ.get("CLAUDE_CODE_BUBBLEWRAP"):
        return found
    return found.replace(
        problem="as root Claude Code does not work without asking",
        hint="work as another user; or where an agent may do as it likes: export IS_SANDBOX=1",
    )


class ClaudeReader(StreamReader):
    client = NAME

    def __init__(self) -> None:
        super().__init__()
        self._limit = ""  # the account is limited until then
        self._message = ""  # the id of the message that is being told
        self._before = self.spend  # what was spent before that message
        self._told = False  # whether the client itself has told what was spent

    def take_event(self, event: StreamValue) -> Activity | None:
        self.session = event.text("session_id") or self.session
        match event.text("type"):
            case "system":
                return self._take_system(event)
            case "assistant":
                return self._take_message(event)
            case "rate_limit_event":
                return self._take_limit(event)
            case "result":
                self._take_result(event)
            case _:
                pass
        return None

    def _take_system(self, event: StreamValue) -> Activity | None:
        match event.text("subtype"):
            case "init":
                self.model = event.text("model") or self.model
            case "api_retry":
                kind, status = event.text("error"), event.count("error_status")
                trouble = f"tries again after: {kind} {status or ''}".strip()
                self.fail(Complaint(trouble, kind, status))
                return Activity.note(trouble)
            case "compact_boundary":
                return Activity.note("makes its conversation shorter")
            case _:
                pass
        return None

    def _take_limit(self, event: StreamValue) -> Activity | None:
        told = event.get("rate_limit_info")
        if told.text("status") != "rejected":
            return None
        self._limit = format_moment(told.moment("resetsAt"))
        trouble = f"the account is limited until {self._limit or 'nobody knows when'}"
        self.fail(Complaint(trouble, "usage_limit_reached", resets_at=self._limit))
        return Activity.note(trouble)

    def _take_message(self, event: StreamValue) -> Activity | None:
        message = event.get("message")
        blocks = message.list_values("content")
        text = "\n".join(block.text("text") for block in blocks if block.text("type") == "text")
        if message.text("model") == _SYNTHETIC:
            self._complain(event, text, find_known_kind(event.text("error")))
            return Activity.note(text)
        self.go_on()
        self._count_message(message)
        calls = [block for block in blocks if block.text("type") == "tool_use"]
        self.tool_calls += len(calls)
        if not event.text("parent_tool_use_id"):  # else it is from a child agent
            self.keep_words(text)
        if calls:
            return Activity.use_tool(calls[-1].text("name"), calls[-1].get("input"))
        return Activity.say(text)

    def _complain(self, event: StreamValue, message: str, kind: str) -> None:
        status = event.count("api_error_status")
        self.fail(Complaint(message, kind, status, self._limit))

    def _count_message(self, message: StreamValue) -> None:
        """Count a message. It comes in pieces, each with the usage of the whole so far."""
        if self._told:
            return
        if message.text("id") != self._message:
            self._message, self._before = message.text("id"), self.spend
        so_far = self._before + _read_spend(message.get("usage"), _USAGE_NAMES)
        self.spend = so_far.replace(microdollars=None)

    def _take_result(self, event: StreamValue) -> None:
        self._take_total(event)
        subtype = event.text("subtype")
        if event.get("is_error").raw is not True and subtype in {"success", ""}:
            self.keep_words(event.text("result"))
            self.finish()
            return
        told = (error.text() for error in event.list_values("errors"))
        message = event.text("result") or "; ".join(filter(None, told)) or subtype
        before = self.complaint.kind if self.complaint else ""
        kind = find_known_kind(subtype, event.text("terminal_reason"), before)
        self._complain(event, message, kind)

    def _take_total(self, event: StreamValue) -> None:
        """Take the total. A process may tell several results; a resumed session tells their sum."""
        since = event.get("model_usage_since_last_result")
        models = event.get("modelUsage")
        if isinstance(since.raw, Mapping):
            told = _add_models(since)
            self.spend = _add_spends(self.spend, told) if self._told else told
        else:
            usage = event.get("usage")
            told = _add_models(models) if models.raw else _read_spend(usage, _USAGE_NAMES)
            self.spend = told.replace(microdollars=event.microdollars("total_cost_usd"))
        self._told = True


def _add_models(models: StreamValue) -> Spend:
    names = models.raw if isinstance(models.raw, Mapping) else ()
    return _add_spends(*(_read_spend(models.get(name), _MODEL_NAMES) for name in names))


def _add_spends(*spends: Spend) -> Spend:
    """Add the spends. The cost is unknown if one of the parts does not tell its own."""
    known = all(spend.microdollars is not None for spend in spends)
    total = sum(spends, Spend())
    return total if known else total.replace(microdollars=None)


def _read_spend(told: StreamValue, names: tuple[str, ...]) -> Spend:
    fresh, made, cached, output = (told.count(name) for name in names)
    return Spend(fresh + made + cached, output, cached, told.microdollars("costUSD"))


CLIENT = ProgramClient(
    NAME,
    "@anthropic-ai/claude-code",
    least=(2, 0, 76),
    variables=(
        "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
    ),
    login=("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),
    make_argv=make_argv,
    make_reader=ClaudeReader,
    cost_known=True,
    check=lambda found, environ: refuse_root(found, environ, os.geteuid()),
)  # fmt: skip
