"""What GitHub Copilot CLI is given: a file of hooks, made from its documentation."""

from __future__ import annotations

import os

from goalkeeper.clients.install import parts
from goalkeeper.clients.install.parts import ClientInstall, OwnFile, Parts, Setting

NAME = "copilot"
_COMMAND = "bash"


def install_for_user(setting: Setting) -> Parts:
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
    path = os.path.join(setting.place("COPILOT_HOME", ".copilot"), "hooks", "goalkeeper.json")
    said = "start copilot; this is made from its documentation and was not tried with it"
    return Parts((OwnFile(path, parts.make_json({"version": 1, "hooks": hooks})),), said)


INSTALL = ClientInstall(NAME, {"user": install_for_user}, command_field=_COMMAND)
