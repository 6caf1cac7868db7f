"""What a hook loads, seen on the very lines that are installed: nothing that is not on the list."""

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import goalkeeper
from goalkeeper.clients.install import trial
from goalkeeper.clients.install.parts import TRIAL_SESSION
from goalkeeper.clients.install.record import InstallRecord
from goalkeeper.clients.table import find_install
from goalkeeper.wire import layout
from tests.e2e.installs import HOUSES, OURS, Home, command_lines
from tests.tables import for_each

SOURCE = Path(goalkeeper.__file__).parents[1]

# Beyond what a bare interpreter has loaded already; each is here for a reason.
ALLOWED = {
    "goalkeeper",
    "goalkeeper.hooks",
    "goalkeeper.clients",
    "goalkeeper.hooks.decide",
    "goalkeeper.hooks.files",
    "goalkeeper.wire.fingerprint",
    "goalkeeper.hooks.main",
    "goalkeeper.hooks.words",
    "goalkeeper.wire",
    "goalkeeper.wire.clients",
    "goalkeeper.wire.hold",
    "goalkeeper.wire.hook",
    "goalkeeper.wire.layout",
    "goalkeeper.wire.light_json",
    "goalkeeper.wire.switches",
    "goalkeeper.wire.value",
    "__future__",  # annotations that are never looked at
    "_blake2",  # the seal of a hold
    "_json",  # without json, which brings re
    "fcntl",  # the lock
    "os",  # and what it brings:
    "_collections_abc",
    "_stat",
    "genericpath",
    "posixpath",
    "stat",
}
HEAVY = {
    "argparse", "collections.abc", "dataclasses", "enum", "functools", "hashlib", "importlib",
    "inspect", "json", "pathlib", "re", "subprocess", "tempfile", "threading", "typing",
}  # fmt: skip
CLAUDE = {"goalkeeper.clients.claude", "goalkeeper.clients.claude.hook"}
USERS = [house for house in HOUSES if house.scope == "user"]


class Hook(NamedTuple):
    """One line that a client calls, with an interpreter in it that says what it loads."""

    line: str
    imports: Path

    def call(self, payload: Mapping[str, object], state: Path) -> tuple[str, set[str] | None]:
        """What it answers, and what it loaded; None where no interpreter was started."""
        done = subprocess.run(
            ["sh", "-c", self.line], input=json.dumps(payload).encode(), capture_output=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(state), "XDG_STATE_HOME": str(state)},
            check=True,
        )  # fmt: skip
        assert done.stderr == b""
        return done.stdout.decode(), _loaded(self.imports) if self.imports.exists() else None


def hook(place: Path, client: str, kind: str) -> Hook:
    home = Home(place, bare=True)
    home.did("install", client)
    (line,) = {
        line.replace("@KIND@", kind)
        for name, (_, _, data) in home.seen().items()
        for line in command_lines(name, data)
        if OURS in line and (f" {client} {kind} " in line or "@KIND@" in line)
    }
    quoted = shlex.quote(sys.executable)
    assert f" {quoted} " in line
    imports, python = place / "imports", place / "python"
    python.write_text(
        f'#!/bin/sh\nexec {quoted} -X importtime "$@" 2>{shlex.quote(str(imports))}\n'
    )
    python.chmod(0o755)
    return Hook(line.replace(f" {quoted} ", f" {shlex.quote(str(python))} "), imports)


def _loaded(path: Path) -> set[str]:
    rows = path.read_text().splitlines()[1:]
    return {row.rpartition("|")[2].strip() for row in rows if row.startswith("import time:")}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What an interpreter has loaded that does nothing."""
    imports = tmp_path_factory.mktemp("bare") / "imports"
    words = [sys.executable, "-I", "-S", "-X", "importtime", "-c", "import sys"]
    with imports.open("wb") as file:
        subprocess.run(words, stderr=file, check=True)
    return _loaded(imports)


@for_each("client", [house.client for house in USERS])
def test_a_stop_that_is_held_loads_only_what_is_on_the_list(
    client: str, bare: set[str], tmp_path: Path
) -> None:
    stop = hook(tmp_path, client, "stop")
    trial.arm(client, str(tmp_path))

    said, loaded = stop.call(find_install(client).stop, tmp_path)

    room = f"goalkeeper.clients.{client}"
    assert "[goalkeeper]" in said
    assert loaded is not None
    assert loaded - bare <= ALLOWED | {room, f"{room}.hook"}
    assert not loaded & HEAVY


@for_each("client", [house.client for house in USERS])
def test_a_stop_where_nothing_is_held_starts_no_interpreter(client: str, tmp_path: Path) -> None:
    stop = hook(tmp_path, client, "stop")

    said, loaded = stop.call(find_install(client).stop, tmp_path)

    assert (said, loaded) == ("", None)


def test_a_stop_of_another_session_loads_no_more(bare: set[str], tmp_path: Path) -> None:
    stop = hook(tmp_path, "claude", "stop")
    trial.arm("claude", str(tmp_path))

    said, loaded = stop.call({**find_install("claude").stop, "session_id": "other"}, tmp_path)

    assert said == ""
    assert loaded is not None
    assert loaded - bare <= ALLOWED | CLAUDE


@for_each(
    ("kind", "payload", "more"),
    [
        ("tool", {"hook_event_name": "PreToolUse", "tool_name": "Bash",
                  "tool_input": {"command": "ls"}}, {"goalkeeper.hooks.tools"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "go on"}, set()),
        ("start", {"hook_event_name": "SessionStart", "source": "resume"}, set()),
        ("compact", {"hook_event_name": "PreCompact"}, set()),
        ("status", {}, set()),
    ],
)  # fmt: skip
def test_other_events_of_a_held_session_are_as_light(
    kind: str, payload: dict[str, object], more: set[str], bare: set[str], tmp_path: Path
) -> None:
    called = hook(tmp_path, "claude", kind)
    trial.arm("claude", str(tmp_path))

    _, loaded = called.call({"session_id": TRIAL_SESSION, **payload}, tmp_path)

    assert loaded is not None
    assert loaded - bare <= ALLOWED | CLAUDE | more
    assert not (tmp_path / "goalkeeper" / layout.HOOK_LOG).exists()


def test_loading_the_hook_alone_loads_only_what_is_on_the_list() -> None:
    """As the front has it, asked of the interpreter itself."""
    code = (
        f"import sys; before = set(sys.modules); sys.path.insert(0, {str(SOURCE)!r})\n"
        "import goalkeeper.hooks.main; print(*sorted(set(sys.modules) - before))"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True, text=True
    )

    loaded = set(done.stdout.split())
    assert loaded <= ALLOWED | {"os.path"}
    assert not loaded & HEAVY


def test_the_lines_tried_here_are_those_that_doctor_tries(tmp_path: Path) -> None:
    home = Home(tmp_path, bare=True)
    home.did("install", "claude")
    record = InstallRecord(str(home.records / "claude-user"))

    files = trial.read_files(record.files())
    (line,) = trial.find_stop_commands(find_install("claude"), files)

    assert f" claude stop {shlex.quote(sys.executable)} " in line
