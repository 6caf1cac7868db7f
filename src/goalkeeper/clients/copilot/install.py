"""What GitHub Copilot CLI is given: a file of hooks, and skills, made from its documentation."""

from __future__ import annotations

import os

from goalkeeper.clients.install import parts
from goalkeeper.clients.install.parts import ClientInstall, Parts, Setting

NAME = "copilot"
_COMMAND = "bash"
_HOOKS = "hooks/goalkeeper.json"


def install_for_user(setting: Setting) -> Parts:
    return _make_parts(setting.place("COPILOT_HOME", ".copilot"), setting)


def install_for_project(setting: Setting) -> Parts:
    made = _make_parts(os.path.join(setting.root, ".github"), setting)
    return made.replace(next=f"{made.next}; {parts.warn_of_commit(f'.github/{_HOOKS}')}")


def _make_parts(base: str, setting: Setting) -> Parts:
    hooks = {
        name: [
            {
                "type": "command",
                _COMMAND: setting.hook(NAME, kind),
                "timeoutSec": parts.allow_seconds(kind),
            }
        ]
        for name, kind, _ in parts.load_table(NAME)["events"]
    }
    files = {
        _HOOKS: parts.make_json({"version": 1, "hooks": hooks}),
        **parts.list_skills("goalkeeper-"),
    }
    said = "start copilot; this is made from its documentation and was not tried with it"
    return Parts(parts.place_files(base, files), said)


INSTALL = ClientInstall(
    NAME, {"user": install_for_user, "project": install_for_project}, command_field=_COMMAND
)
