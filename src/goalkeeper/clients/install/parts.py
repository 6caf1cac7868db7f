"""What each client is given: files of our own, and entries in files of the user's.

Times are in the client's own unit. A prompt's hook has 30 seconds, a stop's 600: a proof that
takes longer goes on alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import resources
from shlex import quote

from goalkeeper.wire.value import Value

FRONT = "goalkeeper/hooks/front.sh"
SKILLS = ("ultragoal", "ralph", "ultrawork", "verify", "plan")
_EDITS = "Write|Edit|MultiEdit|NotebookEdit|Bash|AskUserQuestion"
_STOP_SECONDS = 600
_OTHER_SECONDS = 30
_PURPOSE = "Holds a session until an independent witness has proved the work done."


class Owned(Value):
    """A file that is ours alone."""

    path: str
    data: bytes


class Merged(Value):
    """Entries in a JSON file of the user's: items to append, members where there is none."""

    path: str
    items: tuple[tuple[tuple[str, ...], object], ...] = ()
    members: tuple[tuple[tuple[str, ...], object], ...] = ()


class Setting(Value):
    """Where a client is installed, and which goalkeeper it is to call."""

    home: str
    root: str  # of the project
    environ: Mapping[str, str]
    python: str
    front: str
    version: str

    def hook(self, client: str, kind: str) -> str:
        """One line of POSIX shell. Whatever is missing when it runs, it ends with 0."""
        return (
            f'h={quote(self.front)}; [ -r "$h" ] && set -- {client} {kind} {quote(self.python)} '
            '&& . "$h"; exit 0'
        )

    def place(self, variable: str, usual: str) -> str:
        """A client's folder: where its variable says, else below the home."""
        given = self.environ.get(variable, "")
        return given if os.path.isabs(given) else os.path.join(self.home, usual)


class Parts(Value):
    files: tuple[Owned | Merged, ...]
    next: str  # what the user has to do, or may


def parts(client: str, scope: str, setting: Setting) -> Parts:
    return _TABLE[client, scope](setting)


def scopes(client: str) -> list[str]:
    return [scope for known, scope in _TABLE if known == client]


CLAUDE_EVENTS = (
    ("SessionStart", "start", ""),
    ("UserPromptSubmit", "prompt", ""),
    ("PreToolUse", "tool", _EDITS),
    ("PreCompact", "compact", ""),
    ("Stop", "stop", ""),
    ("StopFailure", "failure", ""),
    ("SessionEnd", "end", ""),
)
CODEX_EVENTS = (
    ("SessionStart", "start", ""),
    ("UserPromptSubmit", "prompt", ""),
    ("PreToolUse", "tool", "Bash|apply_patch"),
    ("PreCompact", "compact", ""),
    ("Stop", "stop", ""),
)
GEMINI_EVENTS = (
    ("SessionStart", "start", ""),
    ("BeforeAgent", "prompt", ""),
    ("BeforeTool", "tool", "write_file|replace|run_shell_command|ask_user"),
    ("AfterAgent", "stop", ""),
    ("SessionEnd", "end", ""),
)
COPILOT_EVENTS = (
    ("SessionStart", "start", ""),
    ("UserPromptSubmit", "prompt", ""),
    ("PreToolUse", "tool", ""),
    ("PreCompact", "compact", ""),
    ("Stop", "stop", ""),
)
CURSOR_EVENTS = (
    ("sessionStart", "start", ""),
    ("beforeSubmitPrompt", "prompt", ""),
    ("preToolUse", "tool", ""),
    ("preCompact", "compact", ""),
    ("stop", "stop", ""),
)


def _groups(
    client: str, events: tuple[tuple[str, str, str], ...], setting: Setting, unit: int = 1
) -> dict[str, object]:
    """Event to group, as Claude Code, Codex and Gemini CLI have them."""
    found: dict[str, object] = {}
    for name, kind, matcher in events:
        seconds = _STOP_SECONDS if kind == "stop" else _OTHER_SECONDS
        hook = {"type": "command", "command": setting.hook(client, kind), "timeout": seconds * unit}
        found[name] = {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}
    return found


def _hook_file(groups: Mapping[str, object]) -> bytes:
    return _json({"hooks": {name: [group] for name, group in groups.items()}})


def _items(groups: Mapping[str, object]) -> tuple[tuple[tuple[str, ...], object], ...]:
    return tuple((("hooks", name), group) for name, group in groups.items())


def _claude_user(setting: Setting) -> Parts:
    base = setting.place("CLAUDE_CONFIG_DIR", ".claude")
    plugin = os.path.join(base, "skills", "goalkeeper")
    files = {
        ".claude-plugin/plugin.json": _json(_manifest(setting)),
        ".claude-plugin/marketplace.json": _json(_marketplace()),
        "README.md": _text("plugin-readme.md"),
        "hooks/hooks.json": _hook_file(_groups("claude", CLAUDE_EVENTS, setting)),
        "commands/ulw.md": _command(
            "Hold this session until the work is proven", "The user asks for: $ARGUMENTS"
        ),
        "commands/stop-continuation.md": _command(
            "Let this session go, proven or not",
            "The user has ended ultrawork for this session. Say in one sentence where things "
            "stand, then stop.",
        ),
        **{f"skills/{name}/SKILL.md": _text(f"skills/{name}.md") for name in SKILLS},
    }
    line = {"type": "command", "command": setting.hook("claude", "status"), "padding": 0}
    status = Merged(os.path.join(base, "settings.json"), members=((("statusLine",), line),))
    return Parts((*_owned(plugin, files), status), 'start claude, and say "ulw" with what you want')


def _manifest(setting: Setting) -> dict[str, object]:
    return {
        "name": "goalkeeper",
        "version": setting.version,
        "description": _PURPOSE,
        "author": {"name": "goalkeeper"},
        "license": "Apache-2.0",
    }


def _marketplace() -> dict[str, object]:
    return {
        "name": "goalkeeper",
        "description": "goalkeeper, as it was installed on this machine.",
        "owner": {"name": "goalkeeper"},
        "plugins": [{"name": "goalkeeper", "source": "./", "description": _PURPOSE}],
    }


def _claude_project(setting: Setting) -> Parts:
    # Not settings.json, which is committed: our lines hold paths of this machine.
    path = os.path.join(setting.root, ".claude", "settings.local.json")
    merged = Merged(path, _items(_groups("claude", CLAUDE_EVENTS, setting)))
    return Parts((merged,), 'start claude here, and say "ulw" with what you want')


_TRUST = "start codex, open /hooks and trust goalkeeper's hooks: until then codex skips them"


def _codex_user(setting: Setting) -> Parts:
    base = setting.place("CODEX_HOME", ".codex")
    merged = Merged(
        os.path.join(base, "hooks.json"), _items(_groups("codex", CODEX_EVENTS, setting))
    )
    return Parts((merged, *_skills(os.path.join(setting.home, ".agents"))), _TRUST)


def _codex_project(setting: Setting) -> Parts:
    path = os.path.join(setting.root, ".codex", "hooks.json")
    merged = Merged(path, _items(_groups("codex", CODEX_EVENTS, setting)))
    said = f"{_TRUST}; {_uncommitted('.codex/hooks.json')}"
    return Parts((merged, *_skills(os.path.join(setting.root, ".agents"))), said)


def _uncommitted(name: str) -> str:
    """Clients have no other file for what concerns one machine in one project."""
    return f"do not commit {name}: its paths are of this machine"


def _gemini_user(setting: Setting) -> Parts:
    base = os.path.join(setting.place("GEMINI_CLI_HOME", ""), ".gemini", "extensions", "goalkeeper")
    files = {
        "gemini-extension.json": _json({"name": "goalkeeper", "version": setting.version}),
        "hooks/hooks.json": _hook_file(_groups("gemini", GEMINI_EVENTS, setting, unit=1000)),
        "commands/goalkeeper/ulw.toml": _toml(
            "Hold this session until the work is proven", "ulw.\n{{args}}"
        ),
        "commands/goalkeeper/stop-continuation.toml": _toml(
            "Let this session go, proven or not", "stop ultrawork"
        ),
        **{f"skills/{name}/SKILL.md": _text(f"skills/{name}.md") for name in SKILLS},
    }
    return Parts(_owned(base, files), 'start gemini, and say "ulw" with what you want')


def _gemini_project(setting: Setting) -> Parts:
    path = os.path.join(setting.root, ".gemini", "settings.json")
    merged = Merged(path, _items(_groups("gemini", GEMINI_EVENTS, setting, unit=1000)))
    said = "start gemini here and trust this folder: it skips hooks otherwise"
    return Parts((merged,), f"{said}; {_uncommitted('.gemini/settings.json')}")


def _opencode(base: str, setting: Setting) -> Parts:
    hook = setting.hook("opencode", "@KIND@")
    shim = _text("opencode.js").replace(b'"@HOOK@"', json.dumps(hook).encode())
    files = {
        "plugins/goalkeeper.js": shim,
        "commands/goalkeeper-ulw.md": _command(
            "Hold this session until the work is proven", "ulw.\n$ARGUMENTS"
        ),
        "commands/goalkeeper-stop-continuation.md": _command(
            "Let this session go, proven or not", "stop ultrawork"
        ),
        **{f"skills/goalkeeper-{name}/SKILL.md": _skill(name) for name in SKILLS},
    }
    said = 'start opencode, and say "ulw" with what you want; opencode run cannot be held'
    return Parts(_owned(base, files), said)


def _opencode_user(setting: Setting) -> Parts:
    config = setting.place("XDG_CONFIG_HOME", ".config")
    return _opencode(os.path.join(config, "opencode"), setting)


def _opencode_project(setting: Setting) -> Parts:
    made = _opencode(os.path.join(setting.root, ".opencode"), setting)
    said = f"{made.next}; {_uncommitted('.opencode/plugins/goalkeeper.js')}"
    return made.replace(next=said)


def _copilot_user(setting: Setting) -> Parts:
    hooks = {
        name: [
            {
                "type": "command",
                "bash": setting.hook("copilot", kind),
                "timeoutSec": _STOP_SECONDS if kind == "stop" else _OTHER_SECONDS,
            }
        ]
        for name, kind, _ in COPILOT_EVENTS
    }
    path = os.path.join(setting.place("COPILOT_HOME", ".copilot"), "hooks", "goalkeeper.json")
    said = "start copilot; this is made from its documentation and was not tried with it"
    return Parts((Owned(path, _json({"version": 1, "hooks": hooks})),), said)


def _cursor_user(setting: Setting) -> Parts:
    items: list[tuple[tuple[str, ...], object]] = []
    for name, kind, _ in CURSOR_EVENTS:
        entry: dict[str, object] = {"command": setting.hook("cursor", kind)}
        entry["timeout"] = _STOP_SECONDS if kind == "stop" else _OTHER_SECONDS
        entry |= {"loop_limit": None} if kind == "stop" else {}
        items.append((("hooks", name), entry))
    path = os.path.join(setting.home, ".cursor", "hooks.json")
    said = "start cursor; this is made from its documentation and was not tried with it"
    return Parts((Merged(path, tuple(items), ((("version",), 1),)),), said)


_TABLE = {
    ("claude", "user"): _claude_user,
    ("claude", "project"): _claude_project,
    ("codex", "user"): _codex_user,
    ("codex", "project"): _codex_project,
    ("gemini", "user"): _gemini_user,
    ("gemini", "project"): _gemini_project,
    ("opencode", "user"): _opencode_user,
    ("opencode", "project"): _opencode_project,
    ("copilot", "user"): _copilot_user,
    ("cursor", "user"): _cursor_user,
}
CLIENTS = tuple(dict.fromkeys(client for client, _ in _TABLE))


def is_ours(value: object) -> bool:
    """Whether a hook, a group of hooks or a status line calls goalkeeper and nothing else."""
    if not isinstance(value, dict):
        return False
    command = value.get("command") or value.get("bash")
    if isinstance(command, str):
        return FRONT in command
    inner = value.get("hooks")
    return isinstance(inner, list) and bool(inner) and all(is_ours(hook) for hook in inner)


def _owned(base: str, files: Mapping[str, bytes]) -> tuple[Owned, ...]:
    return tuple(Owned(os.path.join(base, name), data) for name, data in files.items())


def _skills(base: str) -> tuple[Owned, ...]:
    """Where all clients look: under a name that nobody else has."""
    files = {f"skills/goalkeeper-{name}/SKILL.md": _skill(name) for name in SKILLS}
    return _owned(base, files)


def _skill(name: str) -> bytes:
    return _text(f"skills/{name}.md").replace(
        f"name: {name}\n".encode(), f"name: goalkeeper-{name}\n".encode()
    )


def _text(name: str) -> bytes:
    return resources.files(__package__).joinpath("texts", *name.split("/")).read_bytes()


def _command(description: str, body: str) -> bytes:
    return f"---\ndescription: {description}\n---\n{body}\n".encode()


def _toml(description: str, prompt: str) -> bytes:
    # A string of JSON is one of TOML, too.
    return f"description = {json.dumps(description)}\nprompt = {json.dumps(prompt)}\n".encode()


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
