"""What Claude Code hands to its hooks."""

from __future__ import annotations

from goalkeeper.wire import hook
from goalkeeper.wire.light_json import NotJson, loads

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


DIALECT = hook.HookDialect(
    hook.render_usual,
    kinds={"UserPromptExpansion": hook.PROMPT, "StopFailure": hook.FAILURE, "Status": hook.STATUS},
    read_more=read_busy,
    block_cap=8,
    process_variable="CLAUDE_PID",
    project_variable="CLAUDE_PROJECT_DIR",
    has_own_goal=has_own_goal,
)
