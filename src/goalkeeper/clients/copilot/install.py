"""What GitHub Copilot CLI is given: a file of hooks, made from its documentation."""

from __future__ import annotations

import os

from goalkeeper.clients.install.parts import (
    TRIAL_SESSION,
    ClientInstall,
    OwnFile,
    Parts,
    Setting,
    allow_seconds,
    find_commands,
    make_json,
)

NAME = "copilot"
EVENTS = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool",
    "PreCompact": "compact",
    "Stop": "stop",
}
_COMMAND = "bash"


def install_for_user(setting: Setting) -> Parts:
    hooks = {
        name: [
            {
                "type": "command",
                _COMMAND: setting.hook(NAME, kind),
                "timeoutSec": allow_seconds(kind),
            }
        ]
        for name, kind in EVENTS.items()
    }
    path = os.path.join(setting.place("COPILOT_HOME", ".copilot"), "hooks", "goalkeeper.json")
    said = "start copilot; this is made from its documentation and was not tried with it"
    return Parts((OwnFile(path, make_json({"version": 1, "hooks": hooks})),), said)


INSTALL = ClientInstall(
    NAME,
    {"user": install_for_user},
    stop={
        "session_id": TRIAL_SESSION, "hook_event_name": "Stop", "stop_reason": "end_turn",
        "timestamp": "2026-01-01T00:00:00.000Z", "stop_hook_active": False,
    },
    find_stop_commands=lambda text: find_commands(text, "Stop", _COMMAND),
)  # fmt: skip
