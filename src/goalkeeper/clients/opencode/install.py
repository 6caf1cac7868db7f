"""What OpenCode is given: a plugin of JavaScript, because it has no hooks of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from goalkeeper.clients.install.parts import (
    SAY_ULW,
    STOP_CONTINUATION,
    TRIAL_SESSION,
    ULW,
    ClientInstall,
    Parts,
    Setting,
    list_prefixed_skills,
    make_command,
    place_files,
    read_text,
    warn_of_commit,
)

NAME = "opencode"
_SHIM = "plugins/goalkeeper.js"
_KIND = "@KIND@"  # the shim puts the kind of the event here


def install_for_user(setting: Setting) -> Parts:
    config = setting.place("XDG_CONFIG_HOME", ".config")
    return _make_parts(os.path.join(config, "opencode"), setting)


def install_for_project(setting: Setting) -> Parts:
    made = _make_parts(os.path.join(setting.root, ".opencode"), setting)
    return made.replace(next=f"{made.next}; {warn_of_commit(f'.opencode/{_SHIM}')}")


def _make_parts(base: str, setting: Setting) -> Parts:
    hook = json.dumps(setting.hook(NAME, _KIND))
    files = {
        _SHIM: read_text(__package__, "shim.js").replace(b'"@HOOK@"', hook.encode()),
        "commands/goalkeeper-ulw.md": make_command(ULW, "ulw.\n$ARGUMENTS"),
        "commands/goalkeeper-stop-continuation.md": make_command(
            STOP_CONTINUATION, "stop ultrawork"
        ),
        **list_prefixed_skills(),
    }
    said = f"start opencode, and {SAY_ULW}; opencode run cannot be held"
    return Parts(place_files(base, files), said)


def find_stop_commands(text: str) -> Iterator[str]:
    for row in text.splitlines():
        if row.startswith("const HOOK"):
            yield str(json.loads(row.partition("=")[2])).replace(_KIND, "stop")


INSTALL = ClientInstall(
    NAME,
    {"user": install_for_user, "project": install_for_project},
    stop={"sessionID": TRIAL_SESSION, "hook_event_name": "session.idle"},
    find_stop_commands=find_stop_commands,
    block_field="block",
)
