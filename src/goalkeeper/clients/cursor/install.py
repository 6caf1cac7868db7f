"""What Cursor is given: entries in the user's file of hooks, made from its documentation."""

from __future__ import annotations

import os

from goalkeeper.clients.install.parts import (
    TRIAL_SESSION,
    ClientInstall,
    MergedFile,
    Parts,
    Setting,
    allow_seconds,
    find_commands,
)

NAME = "cursor"
EVENTS = {
    "sessionStart": "start",
    "beforeSubmitPrompt": "prompt",
    "preToolUse": "tool",
    "preCompact": "compact",
    "stop": "stop",
}


def install_for_user(setting: Setting) -> Parts:
    hooks = tuple(
        (("hooks", name), make_entry(setting.hook(NAME, kind), kind))
        for name, kind in EVENTS.items()
    )
    path = os.path.join(setting.home, ".cursor", "hooks.json")
    said = "start cursor; this is made from its documentation and was not tried with it"
    return Parts((MergedFile(path, hooks, ((("version",), 1),)),), said)


def make_entry(command: str, kind: str) -> dict[str, object]:
    entry: dict[str, object] = {"command": command, "timeout": allow_seconds(kind)}
    return {**entry, "loop_limit": None} if kind == "stop" else entry


INSTALL = ClientInstall(
    NAME,
    {"user": install_for_user},
    stop={
        "conversation_id": TRIAL_SESSION, "generation_id": "g", "hook_event_name": "stop",
        "status": "completed", "loop_count": 0, "cursor_version": "1",
    },
    find_stop_commands=lambda text: find_commands(text, "stop"),
    block_field="followup_message",
)  # fmt: skip
