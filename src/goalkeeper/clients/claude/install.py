"""What Claude Code is given: a plugin for the user; hooks and skills for a project."""

from __future__ import annotations

import os

from goalkeeper.clients.install import parts
from goalkeeper.clients.install.parts import ClientInstall, MergedFile, Parts, Setting

NAME = "claude"


def install_for_user(setting: Setting) -> Parts:
    base = setting.place("CLAUDE_CONFIG_DIR", ".claude")
    plugin = parts.read_text(__package__, "plugin.json")
    files = {
        ".claude-plugin/plugin.json": plugin.replace(b"@VERSION@", setting.version.encode()),
        ".claude-plugin/marketplace.json": parts.read_text(__package__, "marketplace.json"),
        "README.md": parts.read_text(__package__, "plugin-readme.md"),
        "hooks/hooks.json": parts.make_hook_file(parts.make_groups(NAME, setting)),
        "commands/ulw.md": parts.make_command(parts.ULW, "The user asks for: $ARGUMENTS"),
        "commands/stop-continuation.md": parts.make_command(
            parts.STOP_CONTINUATION,
            "The user has ended ultrawork for this session. Say in one sentence where things "
            "stand, then stop.",
        ),
        **parts.list_skills(),
    }
    ours = parts.place_files(os.path.join(base, "skills", "goalkeeper"), files)
    line = {"type": "command", "command": setting.hook(NAME, "status"), "padding": 0}
    status = MergedFile(os.path.join(base, "settings.json"), members=((("statusLine",), line),))
    return Parts((*ours, status), f"start claude, and {parts.SAY_ULW}")


def install_for_project(setting: Setting) -> Parts:
    # The file is not settings.json, which is committed: our lines hold paths of this machine.
    base = os.path.join(setting.root, ".claude")
    path = os.path.join(base, "settings.local.json")
    hooks = parts.merge_hooks(path, parts.make_groups(NAME, setting))
    skills = parts.place_files(base, parts.list_skills("goalkeeper-"))
    return Parts((hooks, *skills), f"start claude here, and {parts.SAY_ULW}")


INSTALL = ClientInstall(NAME, {"user": install_for_user, "project": install_for_project})
