"""What our shim in OpenCode hands to hooks; it takes our answer in our own words."""

from __future__ import annotations

from goalkeeper.wire.hook import (
    COMPACT,
    FAILURE,
    PROMPT,
    STOP,
    TOOL,
    HookAnswer,
    HookDialect,
    HookEvent,
)


def render(_asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    return {name: text for name, text in answer.as_dict().items() if text}


DIALECT = HookDialect(
    render,
    kinds={
        "chat.message": PROMPT, "session.idle": STOP, "session.error": FAILURE,
        "session.compacting": COMPACT, "tool.execute.before": TOOL,
    },
    fields={"session": ("sessionID",), "turn": ("messageID",)},
    takes_context_at_compaction=True,
)  # fmt: skip
