"""What Cursor hands to its hooks, and how it takes our answer."""

from __future__ import annotations

from goalkeeper.wire.hook import (
    COMPACT,
    END,
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
    if answer.context and asked.kind == START:
        return {"additional_context": answer.context}
    return {}


DIALECT = HookDialect(
    render,
    kinds={
        "beforeSubmitPrompt": PROMPT, "stop": STOP, "sessionStart": START, "sessionEnd": END,
        "preCompact": COMPACT, "preToolUse": TOOL,
    },
    fields={
        "session": ("conversation_id",), "turn": ("generation_id",), "last_message": ("text",),
    },
    read_more=read_more,
    silence="{}\n",  # it wants an object
    queues_blocks=True,
)  # fmt: skip
