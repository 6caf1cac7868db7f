"""Homes and projects with settings of somebody's in them, and all that can be seen of them."""

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from goalkeeper.clients.table import find_install
from goalkeeper.wire.clients import CLIENTS
from tests.e2e.world import Answer, World

OURS = "goalkeeper/hooks/front.sh"


class House(NamedTuple):
    """A client, in one of its scopes."""

    client: str
    scope: str

    @property
    def words(self) -> tuple[str, str, str]:
        return self.client, "--scope", self.scope

    def __str__(self) -> str:
        return f"{self.client}-{self.scope}"


HOUSES = [House(client, scope) for client in CLIENTS for scope in find_install(client).scopes]
CLAUDE, CLAUDE_HERE = House("claude", "user"), House("claude", "project")
CODEX, CODEX_HERE = House("codex", "user"), House("codex", "project")
GEMINI_HERE, CURSOR = House("gemini", "project"), House("cursor", "user")

# The file of the user's that ours is merged into, where there is one.
MERGED = {
    CLAUDE: ".claude/settings.json",
    CLAUDE_HERE: ".claude/settings.local.json",
    CODEX: ".codex/hooks.json",
    CODEX_HERE: ".codex/hooks.json",
    GEMINI_HERE: ".gemini/settings.json",
    CURSOR: ".cursor/hooks.json",
}


def _group(command: str, **more: object) -> dict[str, object]:
    return {**more, "hooks": [{"type": "command", "command": command, "timeout": 5}]}


_NOTED = {"note": 'né "𝄞" \\ // no comment, /* nor */ this, ] }', "empty": {}, "none": []}
SETTINGS: dict[str, dict[str, Any]] = {
    "claude": {
        "$schema": "https://json.schemastore.org/claude-code-settings.json",
        "permissions": {"allow": ["Bash(git:*)"], "deny": []},
        "env": {"TOKEN": "sécret"},
        "hooks": {
            "Stop": [_group("say done")],
            "PreToolUse": [_group("lint", matcher="Bash"), _group("log")],
        },
        "model": "opus",
        **_NOTED,
    },
    "codex": {"hooks": {"Stop": [_group("say done")], "SessionEnd": [_group("bye")]}, **_NOTED},
    "gemini": {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "hooks": {"AfterAgent": [_group("say done", matcher="*")]},
        "ui": {"theme": "Ayu"},
        **_NOTED,
    },
    "cursor": {"version": 1, "hooks": {"stop": [{"command": "./done.sh"}]}, **_NOTED},
}
CODEX_TOML = """\
# mine
model = "gpt-5.5"   # the good one
[mcp_servers.docs]
command = "npx"
args = [ "-y", "docs" ]

[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "say codex"
"""
_BESIDE = {
    ".codex/config.toml": CODEX_TOML,
    ".claude/CLAUDE.md": "Be brief.\n",
    ".claude/skills/mine/SKILL.md": "---\nname: mine\ndescription: Mine.\n---\n",
    ".agents/skills/mine/SKILL.md": "---\nname: mine\ndescription: Mine.\n---\n",
    ".gemini/GEMINI.md": "Be brief.\n",
    ".config/opencode/opencode.json": '{"theme": "mine"}\n',
    ".opencode/plugins/mine.js": "export const Mine = async () => ({})\n",
    ".copilot/config.json": '{"theme": "mine"}\n',
}

Write = Callable[[dict[str, Any]], str]


def _commented(value: dict[str, Any]) -> str:
    lines = json.dumps(value, indent=2, ensure_ascii=False).splitlines()
    noted = [f"{row} // a, b ] }}" if row.endswith((",", "{")) else row for row in lines]
    return "/* mine */\n" + "\n".join(noted) + "\n// the end"


def _with_last_commas(value: dict[str, Any]) -> str:
    rows = json.dumps(value, indent=2).splitlines()
    after = zip(rows, [*rows[1:], ""], strict=True)
    closing = ("}", "]")
    return "\n".join(
        f"{row}," if then.strip().startswith(closing) and not row.endswith(("{", "[")) else row
        for row, then in after
    )


LAYOUTS: dict[str, Write] = {
    "pretty": lambda value: json.dumps(value, indent=2) + "\n",
    "compact": lambda value: json.dumps(value, separators=(",", ":")),
    "one-line": lambda value: json.dumps(value, ensure_ascii=False) + "\n",
    "tabs": lambda value: json.dumps(value, indent="\t") + "\n",
    "crlf": lambda value: json.dumps(value, indent=4).replace("\n", "\r\n") + "\r\n",
    "no-newline": lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    "comments": _commented,
    "last-commas": _with_last_commas,
}

Seen = dict[str, tuple[str, int, bytes]]


class Home(World):
    """Somebody's: each client has been used, and set up to taste."""

    def __init__(
        self,
        place: Path,
        write: Write = LAYOUTS["pretty"],
        *,
        bare: bool = False,
        git: bool = True,
    ) -> None:
        super().__init__(place, git=git)
        self.records = self.home / ".local/state/goalkeeper/installed"
        if bare:
            return
        for base in (self.home, self.root):
            for name, text in _BESIDE.items():
                put(base / name, text)
        for house in MERGED:
            put(self.file(house), write(SETTINGS[house.client]))

    def file(self, house: House) -> Path:
        return (self.home if house.scope == "user" else self.root) / MERGED[house]

    def value(self, house: House) -> Any:  # noqa: ANN401  JSON
        return json.loads(self.file(house).read_bytes())

    def call(self, *args: str, **env: str) -> Answer:
        """Run the command, with these variables beside the usual ones."""
        return self.run(*args, env=env)

    def did(self, *args: str, **env: str) -> Answer:
        answer = self.call(*args, **env)
        assert answer.code == 0, answer
        return answer

    def seen(self) -> Seen:
        """Every file, folder and link of the home and the project; our own records apart."""
        return {name: each for name, each in _all(self) if not _is_record(name)}

    def all_seen(self) -> Seen:
        return dict(_all(self))


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def _all(world: World) -> Iterator[tuple[str, tuple[str, int, bytes]]]:
    for base in (world.home, world.root):
        for folder, folders, files in os.walk(base):
            if ".git" in folders:
                folders.remove(".git")
            for name in (*folders, *files):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, base.parent), _seen(path)


def _seen(path: str) -> tuple[str, int, bytes]:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return "link", 0, os.fsencode(os.readlink(path))
    if stat.S_ISDIR(mode):
        return "folder", stat.S_IMODE(mode), b""
    return "file", stat.S_IMODE(mode), Path(path).read_bytes()


def _is_record(name: str) -> bool:
    ours = "home/.local/state/goalkeeper"
    return ours.startswith(name) or name.startswith(f"{ours}/")


def command_lines(path: str, data: bytes) -> list[str]:
    """The lines of shell that a client's file has it call, ours and others."""
    if path.endswith(".js"):
        rows = [row for row in data.decode().splitlines() if row.startswith("const HOOK = ")]
        return [json.loads(row.removeprefix("const HOOK = ")) for row in rows]
    return list(_lines(json.loads(data))) if path.endswith(".json") else []


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (value[key] for key in ("command", "bash") if isinstance(value.get(key), str))
    for each in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]
        if isinstance(each, dict | list):
            yield from _lines(each)


def our_lines(seen: Seen) -> list[str]:
    lines = (line for name, (_, _, data) in seen.items() if OURS.encode() in data
             for line in command_lines(name, data))  # fmt: skip
    return [line for line in lines if OURS in line]
