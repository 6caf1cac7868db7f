"""What Cursor is given: entries in the user's file of hooks, made from its documentation."""

from __future__ import annotations

import os

from goalkeeper.clients.install import parts
from goalkeeper.clients.install.parts import ClientInstall, MergedFile, Parts, Setting

NAME = "cursor"


def install_for_user(setting: Setting) -> Parts:
    hooks = tuple(
        (("hooks", name), make_entry(setting.hook(NAME, kind), kind))
        for name, kind, _ in parts.load_table(NAME)["events"]
    )
    path = os.path.join(setting.home, ".cursor", "hooks.json")
    said = "start cursor; this is made from its documentation and was not tried with it"
    return Parts((MergedFile(path, hooks, ((("version",), 1),)),), said)


def make_entry(command: str, kind: str) -> dict[str, object]:
    entry: dict[str, object] = {"command": command, "timeout": parts.allow_seconds(kind)}
    return {**entry, "loop_limit": None} if kind == "stop" else entry


INSTALL = ClientInstall(NAME, {"user": install_for_user}, block_field="followup_message")
