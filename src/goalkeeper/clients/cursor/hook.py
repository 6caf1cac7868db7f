"""What Cursor hands to its hooks, and how it takes our answer."""

from __future__ import annotations

from goalkeeper.wire import hook
from goalkeeper.wire.hook import HookAnswer, HookDialect, HookEvent


def read_more(told: dict[str, object]) -> dict[str, object]:
    loops = told.get("loop_count")
    roots = told.get("workspace_roots")
    known: dict[str, object] = {}
    if isinstance(loops, int):
        known = {"loops": loops, "follows_block": loops > 0 or told.get("stop_hook_active") is True}
    if isinstance(roots, list) and roots and isinstance(roots[0], str) and roots[0]:
        known["cwd"] = roots[0]
    return known


def render(asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    if answer.block:
        return {"followup_message": answer.block}
    if answer.deny:
        said = {"user_message": answer.deny, "agent_message": answer.deny}
        return {"permission": "deny", **said}
    if answer.context and asked.kind == hook.START:
        return {"additional_context": answer.context}
    return {}


DIALECT = HookDialect(
    render,
    kinds={
        "beforeSubmitPrompt": hook.PROMPT, "stop": hook.STOP, "sessionStart": hook.START,
        "sessionEnd": hook.END, "preCompact": hook.COMPACT, "preToolUse": hook.TOOL,
    },
    fields={
        "session": ("conversation_id",), "turn": ("generation_id",), "last_message": ("text",),
    },
    read_more=read_more,
    silence="{}\n",  # it wants an object
    queues_blocks=True,
)  # fmt: skip
