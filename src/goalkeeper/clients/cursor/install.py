"""What Cursor is given: entries in a file of hooks, and skills, made from its documentation."""

from __future__ import annotations

import os

from goalkeeper.clients.install import parts
from goalkeeper.clients.install.parts import ClientInstall, MergedFile, Parts, Setting

NAME = "cursor"


def install_for_user(setting: Setting) -> Parts:
    return _make_parts(setting.home, setting)


def install_for_project(setting: Setting) -> Parts:
    made = _make_parts(setting.root, setting)
    return made.replace(next=f"{made.next}; {parts.warn_of_commit('.cursor/hooks.json')}")


def _make_parts(above: str, setting: Setting) -> Parts:
    base = os.path.join(above, ".cursor")
    hooks = tuple(
        (("hooks", name), make_entry(setting.hook(NAME, kind), kind))
        for name, kind, _ in parts.load_table(NAME)["events"]
    )
    merged = MergedFile(os.path.join(base, "hooks.json"), hooks, ((("version",), 1),))
    skills = parts.place_files(base, parts.list_skills("goalkeeper-"))
    said = "start cursor; this is made from its documentation and was not tried with it"
    return Parts((merged, *skills), said)


def make_entry(command: str, kind: str) -> dict[str, object]:
    entry: dict[str, object] = {"command": command, "timeout": parts.allow_seconds(kind)}
    return {**entry, "loop_limit": None} if kind == "stop" else entry


INSTALL = ClientInstall(
    NAME,
    {"user": install_for_user, "project": install_for_project},
    block_field="followup_message",
)
