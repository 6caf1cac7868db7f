"""What a client can be given: files of our own, and entries in files of the user's.

`clients/<name>/install.py` says what one client is given, with the functions of this module.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import resources
from shlex import quote
from typing import Any

from goalkeeper.clients.install.files import InstallChange, read_file
from goalkeeper.clients.install.json_text import (
    NotJsonText,
    add_member,
    append_item,
    cut_ours,
    parse,
)
from goalkeeper.core.shipped import read_tables
from goalkeeper.errors import ConfigError
from goalkeeper.wire.value import Value

FRONT = "goalkeeper/hooks/front.sh"
SKILLS = ("ultragoal", "ralph", "ultrawork", "ultraplan", "aspirations-verify")
ULW = "Hold this session until the work is proven"
STOP_CONTINUATION = "Let this session go, proven or not"
SAY_ULW = 'say "ulw" with what you want'
TRIAL_SESSION = "goalkeeper-doctor"
# A proof that takes longer than a stop's hook may take goes on alone.
_STOP_SECONDS = 600
_OTHER_SECONDS = 30

PathAndValue = tuple[tuple[str, ...], object]


class SettingsUnreadable(ConfigError, hint="mend {path}, then repeat the command"):
    """{path} cannot be changed ({reason}); nothing was written."""


class OwnFile(Value):
    """A file that is ours alone."""

    path: str
    data: bytes


class MergedFile(Value):
    """Entries in a JSON file of the user's: items to append, and members to add if missing."""

    path: str
    items: tuple[PathAndValue, ...] = ()
    members: tuple[PathAndValue, ...] = ()


class Setting(Value):
    """Where a client is installed, and which goalkeeper it is to call."""

    home: str
    root: str  # the root of the project
    environ: Mapping[str, str]
    python: str
    front: str
    version: str

    def hook(self, client: str, kind: str) -> str:
        """Make one line of POSIX shell. Whatever is missing or broken when it runs, it ends with 0.

        Other codes would block a client. A shell also leaves by its trap when the file that it
        reads is half a file. A shell inside the shell would do, too, and take twice as long.
        """
        return (
            f'trap "exit 0" 0; exec 2>/dev/null; h={quote(self.front)}; [ -f "$h" ] '
            f'&& set -- {client} {kind} {quote(self.python)} && . "$h"; exit 0'
        )

    def place(self, variable: str, usual: str) -> str:
        """Find a client's folder: where its variable says, else below the home."""
        given = self.environ.get(variable, "")
        return given if os.path.isabs(given) else os.path.join(self.home, usual)


class Parts(Value):
    files: tuple[OwnFile | MergedFile, ...]
    next: str  # what the user has to do, or may do


class ClientInstall(Value):
    """What one client is given, and how it is tried."""

    client: str
    scopes: Mapping[str, Callable[[Setting], Parts]]
    command_field: str = "command"  # a client's settings have the line that it calls there
    # Finds the lines that are called at a stop in a file that is no JSON.
    find_in_text: Callable[[str], Iterable[str]] | None = None
    block_field: str = "reason"  # our answer tells the client under this name to go on
    # Says whether the client runs our hooks: yes, no or unknown, given its program and environment.
    ask_trust: Callable[[str, str, Mapping[str, str]], str] | None = None
    trust_hint: str = ""

    @property
    def stop(self) -> Mapping[str, object]:
        """Return the payload of a stop in TRIAL_SESSION, as the client sends it."""
        told: Mapping[str, object] = load_table(self.client)["stop"]
        return told

    def find_stop_commands(self, text: str) -> Iterable[str]:
        """Find our command lines for a stop in the text of a file that was installed."""
        if self.find_in_text:
            return self.find_in_text(text)
        return find_commands(text, str(self.stop["hook_event_name"]), self.command_field)


def load_table(client: str) -> dict[str, Any]:
    """Load the names that a client has for events, and the payload of its stop."""
    return read_tables(f"goalkeeper.clients.{client}", "install.toml")


def allow_seconds(kind: str) -> int:
    """Say how long a client is to wait for a hook."""
    return _STOP_SECONDS if kind == "stop" else _OTHER_SECONDS


def make_groups(client: str, setting: Setting, units_per_second: int = 1) -> dict[str, object]:
    """Make groups of hooks by event, as most clients have them."""
    groups: dict[str, object] = {}
    for name, kind, matcher in load_table(client)["events"]:
        timeout = allow_seconds(kind) * units_per_second
        hook = {"type": "command", "command": setting.hook(client, kind), "timeout": timeout}
        groups[name] = {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}
    return groups


def make_hook_file(groups: Mapping[str, object]) -> bytes:
    return make_json({"hooks": {name: [group] for name, group in groups.items()}})


def merge_hooks(path: str, groups: Mapping[str, object]) -> MergedFile:
    return MergedFile(path, tuple((("hooks", name), group) for name, group in groups.items()))


def warn_of_commit(name: str) -> str:
    """Warn that a file may be committed: some clients have no other file for one machine."""
    return f"do not commit {name}: its paths are of this machine"


def find_commands(text: str, event: str, field: str) -> Iterator[str]:
    """Find our command lines for one event in a client's settings."""
    hooks = parse(text).child("hooks")
    groups = hooks.child(event) if hooks else None
    yield from _find_in_groups(groups.value if groups else None, field)


def _find_in_groups(groups: object, field: str) -> Iterator[str]:
    """Find the hooks that groups hold; some clients have hooks alone."""
    for entry in groups if isinstance(groups, list) else ():
        if not isinstance(entry, dict):
            continue
        command = entry.get(field)
        if isinstance(command, str) and FRONT in command:
            yield command
        yield from _find_in_groups(entry.get("hooks"), field)


def is_ours(value: object) -> bool:
    """Return whether a hook, a group of hooks or a status line calls only goalkeeper."""
    if not isinstance(value, dict):
        return False
    command = value.get("command")
    if isinstance(command, str):
        return FRONT in command
    inner = value.get("hooks")
    return isinstance(inner, list) and bool(inner) and all(is_ours(hook) for hook in inner)


def place_files(base: str, files: Mapping[str, bytes]) -> tuple[OwnFile, ...]:
    return tuple(OwnFile(os.path.join(base, name), data) for name, data in files.items())


def list_skills(prefix: str = "") -> dict[str, bytes]:
    """List the files of skills by path. Folders that others use, too, need a prefix of ours."""
    found = {}
    for skill in SKILLS:
        old, new = (f"name: {each}{skill}\n".encode() for each in ("", prefix))
        for name, text in read_skill(skill).items():
            found[f"skills/{prefix}{skill}/{name}"] = text.replace(old, new)
    return found


def read_skill(skill: str) -> dict[str, bytes]:
    """Read a skill: its main text, and the parts that an agent reads when it needs them."""
    folder = f"texts/skills/{skill}"
    references = resources.files(__package__).joinpath(*folder.split("/"), "references")
    names = ["SKILL.md", *sorted(f"references/{part.name}" for part in references.iterdir())]
    return {name: read_text(__package__, f"{folder}/{name}") for name in names}


def estimate_tokens(data: bytes) -> int:
    """Estimate what a text costs a model. Four bytes are about one token of English."""
    return -(-len(data) // 4)


def read_text(package: str, name: str) -> bytes:
    return resources.files(package).joinpath(*name.split("/")).read_bytes()


def make_command(description: str, body: str) -> bytes:
    return f"---\ndescription: {description}\n---\n{body}\n".encode()


def make_json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def plan_changes(files: tuple[OwnFile | MergedFile, ...]) -> tuple[InstallChange, ...]:
    """Plan what installing changes: files of our own, and our entries in files of the user's."""
    planned = []
    for file in files:
        before = read_file(file.path)
        if isinstance(file, OwnFile):
            planned.append(InstallChange(file.path, before, file.data))
        else:
            merged = _merge(file, before or b"{}\n")
            planned.append(InstallChange(file.path, before, merged, is_merged=True))
    return tuple(planned)


def list_contents(files: tuple[OwnFile | MergedFile, ...]) -> list[bytes]:
    """List what files contain where there is nothing but what we install."""
    return [file.data if isinstance(file, OwnFile) else _merge(file, b"{}\n") for file in files]


def _merge(file: MergedFile, before: bytes) -> bytes:
    """Take our entries out and put them in again. If nothing differs, no byte is changed."""
    try:
        text = before.decode()
        found = cut_ours(text, is_ours)
        for path, item in file.items:
            found = append_item(found, path, item)
        for path, value in file.members:
            found = add_member(found, path, value)
        is_same = parse(found).value == parse(text).value
    except (NotJsonText, UnicodeDecodeError) as exc:
        raise SettingsUnreadable(path=file.path, reason=str(exc)) from exc
    return before if is_same else found.encode()


def take_out(path: str, now: bytes) -> bytes:
    """Return the user's settings without our entries."""
    if not now:
        return now  # an empty file is no JSON, but it is fine
    try:
        return cut_ours(now.decode(), is_ours).encode()
    except (NotJsonText, UnicodeDecodeError) as exc:
        raise SettingsUnreadable(path=path, reason=str(exc)) from exc
