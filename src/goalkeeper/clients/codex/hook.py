"""How Codex takes our answer: it turns away all of one that has a field too many."""

from __future__ import annotations

from goalkeeper.wire.hook import HookAnswer, HookDialect, HookEvent, render_usual


def render(asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    return render_usual(asked, answer.replace(notice="") if answer.block else answer)


DIALECT = HookDialect(render)
