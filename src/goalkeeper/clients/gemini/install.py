"""What Gemini CLI is given: an extension for the user, or hooks in a project's settings."""

from __future__ import annotations

import json
import os

from goalkeeper.clients.install.parts import (
    SAY_ULW,
    STOP_CONTINUATION,
    TRIAL_SESSION,
    ULW,
    ClientInstall,
    Parts,
    Setting,
    find_commands,
    list_skills,
    make_groups,
    make_hook_file,
    make_json,
    merge_hooks,
    place_files,
    warn_of_commit,
)

NAME = "gemini"
EVENTS = (
    ("SessionStart", "start", ""),
    ("BeforeAgent", "prompt", ""),
    ("BeforeTool", "tool", "write_file|replace|run_shell_command|ask_user"),
    ("AfterAgent", "stop", ""),
    ("SessionEnd", "end", ""),
)
_MILLISECONDS = 1000


def install_for_user(setting: Setting) -> Parts:
    base = os.path.join(setting.place("GEMINI_CLI_HOME", ""), ".gemini", "extensions", "goalkeeper")
    files = {
        "gemini-extension.json": make_json({"name": "goalkeeper", "version": setting.version}),
        "hooks/hooks.json": make_hook_file(make_groups(NAME, EVENTS, setting, _MILLISECONDS)),
        "commands/goalkeeper/ulw.toml": make_toml(ULW, "ulw.\n{{args}}"),
        "commands/goalkeeper/stop-continuation.toml": make_toml(
            STOP_CONTINUATION, "stop ultrawork"
        ),
        **list_skills(),
    }
    return Parts(place_files(base, files), f"start gemini, and {SAY_ULW}")


def make_toml(description: str, prompt: str) -> bytes:
    # A string of JSON is one of TOML, too.
    return f"description = {json.dumps(description)}\nprompt = {json.dumps(prompt)}\n".encode()


def install_for_project(setting: Setting) -> Parts:
    path = os.path.join(setting.root, ".gemini", "settings.json")
    hooks = merge_hooks(path, make_groups(NAME, EVENTS, setting, _MILLISECONDS))
    said = "start gemini here and trust this folder: it skips hooks otherwise"
    return Parts((hooks,), f"{said}; {warn_of_commit('.gemini/settings.json')}")


INSTALL = ClientInstall(
    NAME,
    {"user": install_for_user, "project": install_for_project},
    stop={
        "session_id": TRIAL_SESSION, "hook_event_name": "AfterAgent", "prompt": "x",
        "timestamp": "2026-01-01T00:00:00.000Z", "prompt_response": "done",
        "stop_hook_active": False,
    },
    find_stop_commands=lambda text: find_commands(text, "AfterAgent"),
)  # fmt: skip
