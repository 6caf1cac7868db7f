"""What Claude Code is given: a plugin for the user, or hooks in a project's local settings."""

from __future__ import annotations

import os

from goalkeeper.clients.install.parts import (
    PURPOSE,
    SAY_ULW,
    STOP_CONTINUATION,
    TRIAL_SESSION,
    ULW,
    ClientInstall,
    MergedFile,
    Parts,
    Setting,
    find_commands,
    list_skills,
    make_command,
    make_groups,
    make_hook_file,
    make_json,
    merge_hooks,
    place_files,
    read_text,
)

NAME = "claude"
EVENTS = (
    ("SessionStart", "start", ""),
    ("UserPromptSubmit", "prompt", ""),
    ("PreToolUse", "tool", "Write|Edit|MultiEdit|NotebookEdit|Bash|AskUserQuestion"),
    ("PreCompact", "compact", ""),
    ("Stop", "stop", ""),
    ("StopFailure", "failure", ""),
    ("SessionEnd", "end", ""),
)


def install_for_user(setting: Setting) -> Parts:
    base = setting.place("CLAUDE_CONFIG_DIR", ".claude")
    files = {
        ".claude-plugin/plugin.json": make_json(describe_plugin(setting)),
        ".claude-plugin/marketplace.json": make_json(describe_marketplace()),
        "README.md": read_text(__package__, "plugin-readme.md"),
        "hooks/hooks.json": make_hook_file(make_groups(NAME, EVENTS, setting)),
        "commands/ulw.md": make_command(ULW, "The user asks for: $ARGUMENTS"),
        "commands/stop-continuation.md": make_command(
            STOP_CONTINUATION,
            "The user has ended ultrawork for this session. Say in one sentence where things "
            "stand, then stop.",
        ),
        **list_skills(),
    }
    plugin = place_files(os.path.join(base, "skills", "goalkeeper"), files)
    line = {"type": "command", "command": setting.hook(NAME, "status"), "padding": 0}
    status = MergedFile(os.path.join(base, "settings.json"), members=((("statusLine",), line),))
    return Parts((*plugin, status), f"start claude, and {SAY_ULW}")


def describe_plugin(setting: Setting) -> dict[str, object]:
    return {
        "name": "goalkeeper",
        "version": setting.version,
        "description": PURPOSE,
        "author": {"name": "goalkeeper"},
        "license": "Apache-2.0",
    }


def describe_marketplace() -> dict[str, object]:
    return {
        "name": "goalkeeper",
        "description": "goalkeeper, as it was installed on this machine.",
        "owner": {"name": "goalkeeper"},
        "plugins": [{"name": "goalkeeper", "source": "./", "description": PURPOSE}],
    }


def install_for_project(setting: Setting) -> Parts:
    # Not settings.json, which is committed: our lines hold paths of this machine.
    path = os.path.join(setting.root, ".claude", "settings.local.json")
    hooks = merge_hooks(path, make_groups(NAME, EVENTS, setting))
    return Parts((hooks,), f"start claude here, and {SAY_ULW}")


INSTALL = ClientInstall(
    NAME,
    {"user": install_for_user, "project": install_for_project},
    stop={
        "session_id": TRIAL_SESSION, "hook_event_name": "Stop", "stop_hook_active": False,
        "last_assistant_message": "done", "permission_mode": "default", "background_tasks": [],
    },
    find_stop_commands=lambda text: find_commands(text, "Stop"),
)  # fmt: skip
