"""What Gemini CLI is given: an extension for the user; hooks, commands, skills for a project."""

from __future__ import annotations

import json
import os

from goalkeeper.clients.install import parts
from goalkeeper.clients.install.parts import ClientInstall, Parts, Setting

NAME = "gemini"
_MILLISECONDS = 1000


def install_for_user(setting: Setting) -> Parts:
    base = os.path.join(setting.place("GEMINI_CLI_HOME", ""), ".gemini", "extensions", "goalkeeper")
    files = {
        "gemini-extension.json": parts.make_json(
            {"name": "goalkeeper", "version": setting.version}
        ),
        "hooks/hooks.json": parts.make_hook_file(parts.make_groups(NAME, setting, _MILLISECONDS)),
        **list_commands(),
        **parts.list_skills(),
    }
    return Parts(parts.place_files(base, files), f"start gemini, and {parts.SAY_ULW}")


def list_commands() -> dict[str, bytes]:
    return {
        "commands/goalkeeper/ulw.toml": make_toml(parts.ULW, "ulw.\n{{args}}"),
        "commands/goalkeeper/stop-continuation.toml": make_toml(
            parts.STOP_CONTINUATION, "stop ultrawork"
        ),
    }


def make_toml(description: str, prompt: str) -> bytes:
    # A string of JSON is also a string of TOML.
    return f"description = {json.dumps(description)}\nprompt = {json.dumps(prompt)}\n".encode()


def install_for_project(setting: Setting) -> Parts:
    base = os.path.join(setting.root, ".gemini")
    path = os.path.join(base, "settings.json")
    hooks = parts.merge_hooks(path, parts.make_groups(NAME, setting, _MILLISECONDS))
    ours = parts.place_files(base, {**list_commands(), **parts.list_skills("goalkeeper-")})
    said = "start gemini here and trust this folder: it skips hooks otherwise"
    return Parts((hooks, *ours), f"{said}; {parts.warn_of_commit('.gemini/settings.json')}")


INSTALL = ClientInstall(NAME, {"user": install_for_user, "project": install_for_project})
