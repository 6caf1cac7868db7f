"""How Claude Code is started, and how its output is read."""

from __future__ import annotations

import os
from collections.abc import Mapping

from goalkeeper.clients import probing
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import Complaint, find_known_kind
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
    get_objects,
    get_text,
    get_texts,
    read_moment,
)
from goalkeeper.clients.surroundings import make_environment
from goalkeeper.core.drive.phases import Spend

NAME = "claude"
_PROGRAM = Program(
    NAME,
    "@anthropic-ai/claude-code",
    (2, 0, 76),
    (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLAUDE_CODE_USE_FOUNDRY",
    ),
    Credentials("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),
    cost_known=True,
)
_SYNTHETIC = "<synthetic>"  # the model of messages that the client wrote itself
# Of input, in three parts, and of output.
_USAGE_NAMES = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_MODEL_NAMES = (
    "inputTokens",
    "cacheCreationInputTokens",
    "cacheReadInputTokens",
    "outputTokens",
)


class Claude:
    """A prompt that begins with a slash would be taken for a command of the client's own."""

    name = NAME

    def probe(self, environ: Mapping[str, str]) -> AgentProbe:
        found = probing.probe(_PROGRAM, environ)
        return found if found.problem else _refuse_root(found, environ, os.geteuid())

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        argv = [NAME, "-p", "--output-format", "stream-json", "--verbose"]
        argv += ["--permission-mode", "bypassPermissions"]
        argv += ["--resume", asked.resume] if asked.resume else ["--session-id", asked.session]
        if asked.model:
            argv += ["--model", asked.model]
        if asked.microdollars:
            argv += ["--max-budget-usd", f"{asked.microdollars / 1_000_000:.6f}"]
        return Launch(tuple(argv), make_environment(NAME, asked, environ))

    def make_reader(self) -> ClaudeReader:
        return ClaudeReader()


def _refuse_root(found: AgentProbe, environ: Mapping[str, str], user: int) -> AgentProbe:
    # The client refuses to work unattended as root, for good reasons. Whether this machine
    # may be given to an agent is for its user to say, so we do not say it in their place.
    if user != 0 or environ.get("IS_SANDBOX"):
        return found
    return found.replace(
        problem="as root Claude Code does not work without asking",
        hint="work as another user; or where an agent may do as it likes: export IS_SANDBOX=1",
    )


class ClaudeReader(StreamReader):
    client = NAME

    def __init__(self) -> None:
        super().__init__()
        self._limit = ""  # until when the account is limited
        self._message = ""  # the one that is being told, by its id
        self._before = self.spend  # what was spent before that message
        self._told = False  # whether the client itself has told what was spent

    def take_event(self, event: Event) -> Activity | None:
        self.session = get_text(event, "session_id") or self.session
        match get_text(event, "type"):
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

    def _take_system(self, event: Event) -> Activity | None:
        match get_text(event, "subtype"):
            case "init":
                self.model = get_text(event, "model") or self.model
            case "api_retry":
                kind, status = get_text(event, "error"), get_count(event, "error_status")
                trouble = f"tries again after: {kind} {status or ''}".strip()
                self.fail(Complaint(trouble, kind, status))
                return describe_note(trouble)
            case "compact_boundary":
                return describe_note("makes its conversation shorter")
            case _:
                pass
        return None

    def _take_limit(self, event: Event) -> Activity | None:
        told = get_field(event, "rate_limit_info")
        if get_text(told, "status") != "rejected":
            return None
        self._limit = format_moment(read_moment(get_field(told, "resetsAt")))
        trouble = f"the account is limited until {self._limit or 'nobody knows when'}"
        self.fail(Complaint(trouble, "usage_limit_reached", resets_at=self._limit))
        return describe_note(trouble)

    def _take_message(self, event: Event) -> Activity | None:
        message = get_field(event, "message")
        blocks = get_objects(message, "content")
        text = "\n".join(
            get_text(block, "text") for block in blocks if get_text(block, "type") == "text"
        )
        if get_text(message, "model") == _SYNTHETIC:
            self._complain(event, text, find_known_kind(get_text(event, "error")))
            return describe_note(text)
        self.go_on()
        self._count_message(message)
        calls = [block for block in blocks if get_text(block, "type") == "tool_use"]
        self.tool_calls += len(calls)
        if not get_text(event, "parent_tool_use_id"):  # else it is an agent of the agent's
            self.keep_words(text)
        if calls:
            return describe_tool_use(get_text(calls[-1], "name"), get_field(calls[-1], "input"))
        return describe_speech(text)

    def _complain(self, event: Event, message: str, kind: str) -> None:
        status = get_count(event, "api_error_status")
        self.fail(Complaint(message, kind, status, self._limit))

    def _count_message(self, message: object) -> None:
        """A message comes in pieces, each with the usage of the whole as far as it is known."""
        if self._told:
            return
        if get_text(message, "id") != self._message:
            self._message, self._before = get_text(message, "id"), self.spend
        so_far = self._before + _read_spend(get_field(message, "usage"), _USAGE_NAMES)
        self.spend = so_far.replace(microdollars=None)

    def _take_result(self, event: Event) -> None:
        self._take_total(event)
        subtype = get_text(event, "subtype")
        if get_field(event, "is_error") is not True and subtype in {"success", ""}:
            self.keep_words(get_text(event, "result"))
            self.finish()
            return
        message = get_text(event, "result") or "; ".join(get_texts(event, "errors")) or subtype
        before = self.complaint.kind if self.complaint else ""
        kind = find_known_kind(subtype, get_text(event, "terminal_reason"), before)
        self._complain(event, message, kind)

    def _take_total(self, event: Event) -> None:
        """One process may tell several results. A resumed session tells the total of them."""
        since = get_field(event, "model_usage_since_last_result")
        if isinstance(since, Mapping):
            told = _add_models(since)
            self.spend = _add_spends(self.spend, told) if self._told else told
        else:
            models = get_field(event, "modelUsage")
            told = (
                _add_models(models)
                if models
                else _read_spend(get_field(event, "usage"), _USAGE_NAMES)
            )
            self.spend = told.replace(microdollars=get_microdollars(event, "total_cost_usd"))
        self._told = True


def _add_models(models: object) -> Spend:
    each = models.values() if isinstance(models, Mapping) else ()
    return _add_spends(*(_read_spend(model, _MODEL_NAMES) for model in each))


def _add_spends(*spends: Spend) -> Spend:
    """The cost is unknown if one of the parts does not tell its own."""
    known = all(spend.microdollars is not None for spend in spends)
    total = sum(spends, Spend())
    return total if known else total.replace(microdollars=None)


def _read_spend(told: object, names: tuple[str, ...]) -> Spend:
    fresh, made, cached, output = (get_count(told, name) for name in names)
    return Spend(fresh + made + cached, output, cached, get_microdollars(told, "costUSD"))


CLIENT = Claude()
