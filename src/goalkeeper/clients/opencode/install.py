"""What OpenCode is given: a plugin of JavaScript, because it has no hooks of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from goalkeeper.clients.install import parts
from goalkeeper.clients.install.parts import ClientInstall, Parts, Setting

NAME = "opencode"
_SHIM = "plugins/goalkeeper.js"
_KIND = "@KIND@"  # the shim puts the kind of the event here


def install_for_user(setting: Setting) -> Parts:
    config = setting.place("XDG_CONFIG_HOME", ".config")
    return _make_parts(os.path.join(config, "opencode"), setting)


def install_for_project(setting: Setting) -> Parts:
    made = _make_parts(os.path.join(setting.root, ".opencode"), setting)
    return made.replace(next=f"{made.next}; {parts.warn_of_commit(f'.opencode/{_SHIM}')}")


def _make_parts(base: str, setting: Setting) -> Parts:
    hook = json.dumps(setting.hook(NAME, _KIND))
    files = {
        _SHIM: parts.read_text(__package__, "shim.js").replace(b'"@HOOK@"', hook.encode()),
        "commands/goalkeeper-ulw.md": parts.make_command(parts.ULW, "ulw.\n$ARGUMENTS"),
        "commands/goalkeeper-stop-continuation.md": parts.make_command(
            parts.STOP_CONTINUATION, "stop ultrawork"
        ),
        **parts.list_skills("goalkeeper-"),
    }
    said = f"start opencode, and {parts.SAY_ULW}; opencode run cannot be held"
    return Parts(parts.place_files(base, files), said)


def find_stop_commands(text: str) -> Iterator[str]:
    for row in text.splitlines():
        if row.startswith("const HOOK"):
            yield str(json.loads(row.partition("=")[2])).replace(_KIND, "stop")


INSTALL = ClientInstall(
    NAME,
    {"user": install_for_user, "project": install_for_project},
    find_in_text=find_stop_commands,
    block_field="block",
)
