"""What Copilot hands to its hooks, under two kinds of names, and how it takes our answer."""

from __future__ import annotations

from goalkeeper.wire import hook
from goalkeeper.wire.hook import HookAnswer, HookDialect, HookEvent


def read_more(told: dict[str, object]) -> dict[str, object]:
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
        "userPromptSubmitted": hook.PROMPT, "agentStop": hook.STOP, "errorOccurred": hook.FAILURE,
        "sessionStart": hook.START, "sessionEnd": hook.END, "preCompact": hook.COMPACT,
        "preToolUse": hook.TOOL,
    },
    fields={"session": ("sessionId",), "tool": ("toolName",)},
    read_more=read_more,
    block_cap=8,
)  # fmt: skip
