"""What our shim in OpenCode hands to hooks; it takes our answer unchanged."""

from __future__ import annotations

from goalkeeper.wire import hook
from goalkeeper.wire.hook import HookAnswer, HookDialect, HookEvent


def render(_asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    return {name: text for name, text in answer.as_dict().items() if text}


DIALECT = HookDialect(
    render,
    kinds={
        "chat.message": hook.PROMPT, "session.idle": hook.STOP, "session.error": hook.FAILURE,
        "session.compacting": hook.COMPACT, "tool.execute.before": hook.TOOL,
    },
    fields={"session": ("sessionID",), "turn": ("messageID",)},
    takes_context_at_compaction=True,
)  # fmt: skip
