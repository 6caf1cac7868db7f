"""What each client hands to its hooks, as one event; and our answer, as each client takes it."""

from __future__ import annotations

from goalkeeper.wire.light_json import dumps
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping  # it loads more than all of ours together

PROMPT, STOP, FAILURE, START, END, COMPACT, TOOL, STATUS = (
    "prompt", "stop", "failure", "start", "end", "compact", "tool", "status",
)  # fmt: skip

CLAUDE, CODEX, GEMINI, COPILOT, CURSOR, OPENCODE = CLIENTS = (
    "claude", "codex", "gemini", "copilot", "cursor", "opencode",
)  # fmt: skip

# What clients call the events that we serve. All others we leave alone: SubagentStop above all.
_KINDS = {
    "UserPromptSubmit": PROMPT, "UserPromptExpansion": PROMPT, "BeforeAgent": PROMPT,
    "userPromptSubmitted": PROMPT, "beforeSubmitPrompt": PROMPT, "chat.message": PROMPT,
    "Stop": STOP, "AfterAgent": STOP, "agentStop": STOP, "stop": STOP, "session.idle": STOP,
    "StopFailure": FAILURE, "errorOccurred": FAILURE, "session.error": FAILURE,
    "SessionStart": START, "sessionStart": START,
    "SessionEnd": END, "sessionEnd": END,
    "PreCompact": COMPACT, "preCompact": COMPACT, "session.compacting": COMPACT,
    "PreToolUse": TOOL, "BeforeTool": TOOL, "preToolUse": TOOL, "tool.execute.before": TOOL,
    "Status": STATUS,
}  # fmt: skip

# By what name a client gives each field; the first that is there counts.
_FIELDS: dict[str, tuple[str, ...]] = {
    "name": ("hook_event_name", "hookEventName"),
    "session": ("conversation_id", "session_id", "sessionId", "sessionID"),
    "turn": ("prompt_id", "turn_id", "generation_id", "messageID"),
    "timestamp": ("timestamp",),
    "prompt": ("prompt",),
    "command": ("command_name",),
    "last_message": ("last_assistant_message", "prompt_response", "text"),
    "agent": ("agent_id",),
    "mode": ("permission_mode",),
    "status": ("status",),
    "why": ("stop_reason", "end_turn_reason", "reason", "error"),
    "origin": ("source",),
    "tool": ("tool_name", "toolName"),
    "transcript": ("transcript_path",),
    "cwd": ("cwd",),
}
_SAME_TURN = ("stop_hook_active", "stopHookActive")
_OVER = frozenset({"completed", "failed", "killed", "stopped", "cancelled"})

# How often a client itself lets an agent be held, in a row; others do so for ever.
HOST_CAPS = {CLAUDE: 8, COPILOT: 8}


class Event(Value):
    client: str
    source: str  # whose settings called us: a bridge may run what was installed for another
    kind: str
    name: str
    session: str
    turn: str = ""
    timestamp: str = ""
    prompt: str = ""
    command: str = ""
    last_message: str = ""
    agent: str = ""
    mode: str = ""
    status: str = ""
    why: str = ""
    origin: str = ""
    tool: str = ""
    transcript: str = ""
    cwd: str = ""
    tool_input: Mapping[str, object] = {}
    follows_block: bool = False
    loops: int = 0
    is_busy: bool = False  # work goes on in the background, and will wake the session

    @property
    def turn_key(self) -> str:
        return self.turn or self.timestamp


class Answer(Value):
    """What we have to say. Nothing: the client does as it would without us."""

    block: str = ""
    context: str = ""  # for the model
    notice: str = ""  # for the user
    deny: str = ""


NOTHING = Answer()


def event(source: str, kind: str, told: Mapping[str, object]) -> Event:
    """`kind` as the installed command has it; what the payload says of itself comes first."""
    texts = {field: _text(told, names) for field, names in _FIELDS.items()}
    texts["cwd"] = _workspace(told) or texts["cwd"]
    texts["prompt"] = _users_own(texts["prompt"])
    name = texts["name"]
    loops = told.get("loop_count")
    given = told.get("tool_input", told.get("toolArgs"))
    return Event(
        client_of(source, name, told),
        source,
        _KINDS.get(name, "") if name else kind,
        tool_input=given if isinstance(given, dict) else {},
        follows_block=any(told.get(flag) is True for flag in _SAME_TURN)
        or (isinstance(loops, int) and loops > 0),
        loops=loops if isinstance(loops, int) else 0,
        is_busy=_is_busy(told),
        **texts,
    )


def client_of(source: str, name: str, told: Mapping[str, object]) -> str:
    """By the payload's shape: variables of the environment are inherited from other clients."""
    if "cursor_version" in told or "conversation_id" in told:
        return CURSOR
    if "turn_id" in told and "model" in told:
        return CODEX
    if name in {"BeforeAgent", "AfterAgent", "BeforeTool"}:
        return GEMINI
    if "sessionID" in told:
        return OPENCODE
    if "sessionId" in told or ("timestamp" in told and name in {"Stop", "UserPromptSubmit"}):
        return COPILOT
    return source


def _text(told: Mapping[str, object], names: tuple[str, ...]) -> str:
    for name in names:
        value = told.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and name == "timestamp":
            return str(value)
    return ""


def _users_own(prompt: str) -> str:
    """Gemini puts what hooks told before a prompt; `opencode run` puts quotes around it."""
    own = prompt.strip()
    while own.startswith(_TOLD[0]) and _TOLD[1] in own:
        own = own.partition(_TOLD[1])[2].strip()
    quoted = len(own) > 1 and own[0] == own[-1] == '"' and '"' not in own[1:-1]
    return own[1:-1] if quoted and " " in own else own


_TOLD = ("<hook_context>", "</hook_context>")


def _workspace(told: Mapping[str, object]) -> str:
    roots = told.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return first if isinstance(first, str) else ""


def _is_busy(told: Mapping[str, object]) -> bool:
    tasks = told.get("background_tasks")
    running = tasks if isinstance(tasks, list) else []
    statuses = [task.get("status") for task in running if isinstance(task, dict)]
    crons = told.get("session_crons")
    return any(status not in _OVER for status in statuses) or bool(crons)


def rendered(asked: Event, answer: Answer) -> str:
    """What to print. Only what a client knows: Codex turns away all of an answer otherwise."""
    told = _RENDERERS[asked.client](asked, answer)
    if not told:
        return _SILENCE.get(asked.client, "")
    return dumps(told) + "\n"


# Without output Gemini would take what it finds on stderr; Cursor wants an object.
_SILENCE = {GEMINI: "{}\n", CURSOR: "{}\n"}


def _claude(asked: Event, answer: Answer) -> dict[str, object]:
    told: dict[str, object] = {}
    if answer.notice and not (answer.block and asked.client == CODEX):
        told["systemMessage"] = answer.notice
    if answer.block:
        told |= {"decision": "block", "reason": answer.block}
    if answer.deny:
        reason = {"permissionDecision": "deny", "permissionDecisionReason": answer.deny}
        told["hookSpecificOutput"] = {"hookEventName": asked.name or "PreToolUse", **reason}
    if answer.context:
        context = {"hookEventName": asked.name, "additionalContext": answer.context}
        told["hookSpecificOutput"] = context
    return told


def _gemini(asked: Event, answer: Answer) -> dict[str, object]:
    told = _claude(asked, answer.replace(block="", deny=""))
    refused = answer.block or answer.deny
    return told | ({"decision": "deny", "reason": refused} if refused else {})


def _copilot(_asked: Event, answer: Answer) -> dict[str, object]:
    if answer.block:
        return {"decision": "block", "reason": answer.block}
    if answer.deny:
        return {"permissionDecision": "deny", "permissionDecisionReason": answer.deny}
    return {"additionalContext": answer.context} if answer.context else {}


def _cursor(asked: Event, answer: Answer) -> dict[str, object]:
    if answer.block:
        return {"followup_message": answer.block}
    if answer.deny:
        said = {"user_message": answer.deny, "agent_message": answer.deny}
        return {"permission": "deny", **said}
    if answer.context and asked.kind == START:
        return {"additional_context": answer.context}
    return {}


def _opencode(_asked: Event, answer: Answer) -> dict[str, object]:
    return {name: text for name, text in answer.as_dict().items() if text}


_RENDERERS = {
    CLAUDE: _claude, CODEX: _claude, GEMINI: _gemini,
    COPILOT: _copilot, CURSOR: _cursor, OPENCODE: _opencode,
}  # fmt: skip
