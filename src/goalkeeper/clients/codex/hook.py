"""How Codex takes our answer: it refuses an answer that has an unknown field."""

from __future__ import annotations

from goalkeeper.wire import hook
from goalkeeper.wire.hook import HookAnswer, HookDialect, HookEvent


def render(asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    return hook.render_usual(asked, answer.replace(notice="") if answer.block else answer)


DIALECT = HookDialect(render)
