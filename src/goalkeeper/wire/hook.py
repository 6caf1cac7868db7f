"""The question and the answer of a hook, in one form for all clients.

`clients/<name>/hook.py` says how one client differs from the others.
"""

from __future__ import annotations

from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    # collections.abc loads more than all of our modules together
    from collections.abc import Callable, Mapping
    from typing import Any

PROMPT, STOP, FAILURE, START, END, COMPACT, TOOL, STATUS = (
    "prompt", "stop", "failure", "start", "end", "compact", "tool", "status",
)  # fmt: skip

# We serve these events, under the names of most clients. We leave all others alone, above all
# SubagentStop.
_KINDS = {
    "UserPromptSubmit": PROMPT, "Stop": STOP, "SessionStart": START, "SessionEnd": END,
    "PreCompact": COMPACT, "PreToolUse": TOOL,
}  # fmt: skip

# By these an agent asks the user; `hooks/front.sh` has the same names.
QUESTION_TOOLS = frozenset({
    "AskUserQuestion", "ask_user", "ask_user_question", "question", "request_user_input",
    "request_user_input_async",
})  # fmt: skip

# Most clients give each text under one of these names; the first that is there counts.
_FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("session_id",),
    "turn": ("prompt_id", "turn_id"),
    "timestamp": ("timestamp",),
    "prompt": ("prompt",),
    "command": ("command_name",),
    "last_message": ("last_assistant_message",),
    "agent": ("agent_id",),
    "mode": ("permission_mode",),
    "status": ("status",),
    "why": ("stop_reason", "end_turn_reason", "reason", "error"),
    "origin": ("source",),
    "tool": ("tool_name",),
    "transcript": ("transcript_path",),
    "cwd": ("cwd",),
}
_NAMES = ("hook_event_name", "hookEventName")
_CONTEXT_BEGINS, _CONTEXT_ENDS = "<hook_context>", "</hook_context>"


class HookEvent(Value):
    client: str
    source: str  # the client whose settings called us: a bridge may run another's hooks
    dialect: HookDialect
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
    process: str = ""  # the client's: its id and when it started; empty if nobody knows
    is_busy: bool = False  # work goes on in the background, and will wake the session

    @property
    def turn_key(self) -> str:
        return self.turn or self.timestamp


class HookAnswer(Value):
    """Our answer. If it is empty, the client does as it would without us."""

    block: str = ""
    context: str = ""  # the model is told this
    notice: str = ""  # the user is told this
    deny: str = ""


NOTHING = HookAnswer()


class HookDialect(Value):
    """How one client speaks with its hooks, where it differs from most clients."""

    render: Callable[[HookEvent, HookAnswer], dict[str, object]]
    kinds: Mapping[str, str] = {}  # it maps its own names for events to ours
    fields: Mapping[str, tuple[str, ...]] = {}  # its own names, which come before the usual ones
    read_more: Callable[[dict[str, object]], dict[str, Any]] | None = None  # fields of HookEvent
    silence: str = ""  # it is printed where there is nothing to say
    block_cap: int = 0  # how often in a row it lets its agent be held; 0 means without end
    queues_blocks: bool = False  # it would carry out two blocks for one stop one after the other
    takes_context_at_compaction: bool = False
    process_variable: str = ""  # it names the client's own process
    project_variable: str = ""  # it names the client's folder, whatever `cd` its agent did
    has_own_goal: Callable[[bytes], bool] | None = None  # gets the end of its transcript


def read_name(told: dict[str, object]) -> str:
    """Return the client's own name for the event; empty if the payload does not say."""
    return _find_text(told, _NAMES)


def read_event(
    client: str, source: str, kind: str, told: dict[str, object], dialect: HookDialect
) -> HookEvent:
    """Read an event; what the payload says of itself counts more than the command's `kind`."""
    name = read_name(told)
    own = dialect.fields
    read: dict[str, Any] = {
        field: _find_text(told, own.get(field, ()) + names) for field, names in _FIELDS.items()
    }
    read["prompt"] = _unwrap_prompt(read["prompt"])
    read["tool_input"] = told.get("tool_input")
    read["follows_block"] = told.get("stop_hook_active") is True
    if dialect.read_more:
        read |= dialect.read_more(told)
    if not isinstance(read["tool_input"], dict):
        read["tool_input"] = {}
    if name:
        kind = dialect.kinds.get(name) or _KINDS.get(name, "")
    return HookEvent(client, source, dialect, kind, name, **read)


def _find_text(told: dict[str, object], names: tuple[str, ...]) -> str:
    for name in names:
        value = told.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and name == "timestamp":
            return str(value)
    return ""


def _unwrap_prompt(prompt: str) -> str:
    """Remove what some clients put before or around a prompt: words of hooks, quotes."""
    own = prompt.strip()
    while own.startswith(_CONTEXT_BEGINS) and _CONTEXT_ENDS in own:
        own = own.partition(_CONTEXT_ENDS)[2].strip()
    is_quoted = len(own) > 1 and own[0] == own[-1] == '"' and '"' not in own[1:-1]
    return own[1:-1] if is_quoted and " " in own else own


def render_usual(asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    """Return the answer in the form that most clients take."""
    said: dict[str, object] = {}
    if answer.notice:
        said["systemMessage"] = answer.notice
    if answer.block:
        said |= {"decision": "block", "reason": answer.block}
    if answer.deny:
        reason = {"permissionDecision": "deny", "permissionDecisionReason": answer.deny}
        said["hookSpecificOutput"] = {"hookEventName": asked.name or "PreToolUse", **reason}
    if answer.context:
        context = {"hookEventName": asked.name, "additionalContext": answer.context}
        said["hookSpecificOutput"] = context
    return said
