"""What Gemini CLI hands to its hooks, and how it takes our answer."""

from __future__ import annotations

from goalkeeper.wire import hook
from goalkeeper.wire.hook import HookAnswer, HookDialect, HookEvent


def render(asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    said = hook.render_usual(asked, answer.replace(block="", deny=""))
    refused = answer.block or answer.deny
    return said | ({"decision": "deny", "reason": refused} if refused else {})


DIALECT = HookDialect(
    render,
    kinds={"BeforeAgent": hook.PROMPT, "AfterAgent": hook.STOP, "BeforeTool": hook.TOOL},
    fields={"last_message": ("prompt_response",)},
    silence="{}\n",  # without output it would read what it finds on stderr
    project_variable="GEMINI_PROJECT_DIR",
)
