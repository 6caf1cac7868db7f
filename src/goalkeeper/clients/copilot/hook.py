"""What Copilot hands to its hooks, under two kinds of names, and how it takes our answer."""

from __future__ import annotations

from goalkeeper.wire.hook import (
    COMPACT,
    END,
    FAILURE,
    PROMPT,
    START,
    STOP,
    TOOL,
    HookAnswer,
    HookDialect,
    HookEvent,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def read_more(told: Mapping[str, object]) -> dict[str, object]:
    return {
        "tool_input": told.get("tool_input", told.get("toolArgs")),
        "follows_block": True in (told.get("stop_hook_active"), told.get("stopHookActive")),
    }


def render(_asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    if answer.block:
        return {"decision": "block", "reason": answer.block}
    if answer.deny:
        return {"permissionDecision": "deny", "permissionDecisionReason": answer.deny}
    return {"additionalContext": answer.context} if answer.context else {}


DIALECT = HookDialect(
    render,
    kinds={
        "userPromptSubmitted": PROMPT, "agentStop": STOP, "errorOccurred": FAILURE,
        "sessionStart": START, "sessionEnd": END, "preCompact": COMPACT, "preToolUse": TOOL,
    },
    fields={"session": ("sessionId",), "tool": ("toolName",)},
    read_more=read_more,
    block_cap=8,
)  # fmt: skip
