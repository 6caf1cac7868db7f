"""Claude Code."""

from __future__ import annotations

import os
from collections.abc import Mapping

from goalkeeper.clients import probing
from goalkeeper.clients.client import Activity, AgentProbe, Asked, Launch
from goalkeeper.clients.limits import Complaint, known_kind
from goalkeeper.clients.probing import Credentials, Program
from goalkeeper.clients.reading import StreamReader
from goalkeeper.clients.streams import (
    Event,
    at,
    count,
    microdollars,
    moment,
    notes,
    objects,
    says,
    uses,
    word,
    words,
    written,
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
        return found if found.problem else _as_root(found, environ, os.geteuid())

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        argv = [NAME, "-p", "--output-format", "stream-json", "--verbose"]
        argv += ["--permission-mode", "bypassPermissions"]
        argv += ["--resume", asked.resume] if asked.resume else ["--session-id", asked.session]
        if asked.model:
            argv += ["--model", asked.model]
        if asked.microdollars:
            argv += ["--max-budget-usd", f"{asked.microdollars / 1_000_000:.6f}"]
        return Launch(tuple(argv), make_environment(NAME, asked, environ))

    def reader(self) -> ClaudeReader:
        return ClaudeReader()


def _as_root(found: AgentProbe, environ: Mapping[str, str], user: int) -> AgentProbe:
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

    def take(self, event: Event) -> Activity | None:
        self.session = word(event, "session_id") or self.session
        match word(event, "type"):
            case "system":
                return self._system(event)
            case "assistant":
                return self._assistant(event)
            case "rate_limit_event":
                return self._rate_limit(event)
            case "result":
                self._result(event)
            case _:
                pass
        return None

    def _system(self, event: Event) -> Activity | None:
        match word(event, "subtype"):
            case "init":
                self.model = word(event, "model") or self.model
            case "api_retry":
                kind, status = word(event, "error"), count(event, "error_status")
                trouble = f"tries again after: {kind} {status or ''}".strip()
                self.failed(Complaint(trouble, kind, status))
                return notes(trouble)
            case "compact_boundary":
                return notes("makes its conversation shorter")
            case _:
                pass
        return None

    def _rate_limit(self, event: Event) -> Activity | None:
        told = at(event, "rate_limit_info")
        if word(told, "status") != "rejected":
            return None
        self._limit = written(moment(at(told, "resetsAt")))
        trouble = f"the account is limited until {self._limit or 'nobody knows when'}"
        self.failed(Complaint(trouble, "usage_limit_reached", resets_at=self._limit))
        return notes(trouble)

    def _assistant(self, event: Event) -> Activity | None:
        message = at(event, "message")
        blocks = objects(message, "content")
        text = "\n".join(word(block, "text") for block in blocks if word(block, "type") == "text")
        if word(message, "model") == _SYNTHETIC:
            self._complain(event, text, known_kind(word(event, "error")))
            return notes(text)
        self.goes_on()
        self._count(message)
        calls = [block for block in blocks if word(block, "type") == "tool_use"]
        self.tool_calls += len(calls)
        if not word(event, "parent_tool_use_id"):  # else it is an agent of the agent's
            self.said(text)
        if calls:
            return uses(word(calls[-1], "name"), at(calls[-1], "input"))
        return says(text)

    def _complain(self, event: Event, message: str, kind: str) -> None:
        status = count(event, "api_error_status")
        self.failed(Complaint(message, kind, status, self._limit))

    def _count(self, message: object) -> None:
        """A message comes in pieces, each with the usage of the whole as far as it is known."""
        if self._told:
            return
        if word(message, "id") != self._message:
            self._message, self._before = word(message, "id"), self.spend
        so_far = self._before + _spend(at(message, "usage"), _USAGE_NAMES)
        self.spend = so_far.replace(microdollars=None)

    def _result(self, event: Event) -> None:
        self._total(event)
        subtype = word(event, "subtype")
        if at(event, "is_error") is not True and subtype in {"success", ""}:
            self.said(word(event, "result"))
            self.done()
            return
        message = word(event, "result") or "; ".join(words(event, "errors")) or subtype
        before = self.complaint.kind if self.complaint else ""
        kind = known_kind(subtype, word(event, "terminal_reason"), before)
        self._complain(event, message, kind)

    def _total(self, event: Event) -> None:
        """One process may tell several results; and totals of resumed sessions are of them all."""
        since = at(event, "model_usage_since_last_result")
        if isinstance(since, Mapping):
            told = _of_models(since)
            self.spend = _together(self.spend, told) if self._told else told
        else:
            models = at(event, "modelUsage")
            told = _of_models(models) if models else _spend(at(event, "usage"), _USAGE_NAMES)
            self.spend = told.replace(microdollars=microdollars(event, "total_cost_usd"))
        self._told = True


def _of_models(models: object) -> Spend:
    each = models.values() if isinstance(models, Mapping) else ()
    return _together(*(_spend(model, _MODEL_NAMES) for model in each))


def _together(*spends: Spend) -> Spend:
    """The cost of some is not the cost of all."""
    known = all(spend.microdollars is not None for spend in spends)
    total = sum(spends, Spend())
    return total if known else total.replace(microdollars=None)


def _spend(told: object, names: tuple[str, ...]) -> Spend:
    fresh, made, cached, output = (count(told, name) for name in names)
    return Spend(fresh + made + cached, output, cached, microdollars(told, "costUSD"))


CLIENT = Claude()
