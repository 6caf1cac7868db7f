"""What Claude Code hands to its hooks, and how it takes our answer."""

from __future__ import annotations

import os

from goalkeeper.wire import hook
from goalkeeper.wire.hook import HookAnswer, HookEvent
from goalkeeper.wire.light_json import NotJson, loads

_NAMED = "claude-code_"  # so begins what the client says of itself: claude-code_2-1-325_harness
_TAKES_CONTEXT = [2, 1, 325]  # with this version it was seen; older ones may let the agent stop
_OVER = frozenset({"completed", "failed", "killed", "stopped", "cancelled"})


def read_busy(told: dict[str, object]) -> dict[str, object]:
    tasks = told.get("background_tasks")
    running = tasks if isinstance(tasks, list) else []
    statuses = [task.get("status") for task in running if isinstance(task, dict)]
    crons = bool(told.get("session_crons"))
    return {"is_busy": crons or any(status not in _OVER for status in statuses)}


def has_own_goal(transcript: bytes) -> bool:
    """Return whether a goal is active: the client writes each change into its transcript."""
    for line in reversed(transcript.split(b"\n")):
        status = _read_status(line) if b'"goal_status"' in line else None
        if status is not None:
            return status.get("met") is False
    return False


def _read_status(line: bytes) -> dict[str, object] | None:
    try:
        told = loads(line)
    except NotJson:
        return None
    found = told.get("attachment") if isinstance(told, dict) else None
    is_status = isinstance(found, dict) and found.get("type") == "goal_status"
    return found if is_status else None


def render(asked: HookEvent, answer: HookAnswer) -> dict[str, object]:
    """Hold the agent by context where that is possible, because users see a block as an error."""
    if answer.block and _takes_context_at_stops():
        answer = answer.replace(block="", context=answer.block)
    return hook.render_usual(asked, answer)


def _takes_context_at_stops() -> bool:
    named, _, rest = os.environ.get("AI_AGENT", "").partition(_NAMED)
    version = rest.partition("_")[0].split("-")
    is_known = not named and all(part.isdecimal() for part in version)
    return is_known and list(map(int, version)) >= _TAKES_CONTEXT


DIALECT = hook.HookDialect(
    render,
    kinds={"UserPromptExpansion": hook.PROMPT, "StopFailure": hook.FAILURE, "Status": hook.STATUS},
    read_more=read_busy,
    block_cap=8,
    process_variable="CLAUDE_PID",
    project_variable="CLAUDE_PROJECT_DIR",
    has_own_goal=has_own_goal,
)
