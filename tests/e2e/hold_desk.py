"""A repository, a real client with goalkeeper's hooks, and what came of its prompts."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self
from uuid import uuid4

import pytest

import goalkeeper
from tests.clients import installed
from tests.e2e.real_clients import CLIENTS, surroundings
from tests.in_process import run_in_process
from tests.patience import patience
from tests.scripted_model.request import Request
from tests.scripted_model.server import Models
from tests.trusting import trust_settings

ON = "[goalkeeper] The user has turned on ultrawork for this session"
BLOCK = "[goalkeeper] Ultrawork holds this session: not proven"
REGAINED = "[goalkeeper] Ultrawork holds this session (run"
PROVEN = "[goalkeeper] Proven on tree"
TRIPPED = "[goalkeeper] Ultrawork lets go, NOT proven (max_blocks)"
STILL_RUNNING = "[goalkeeper] Let go for now, NOT proven: the checks are still running"
OFF = "[goalkeeper] Ultrawork is off for this session"
DENIED = "[goalkeeper] Denied: "
_SAID = re.compile(r"\[goalkeeper\] [A-Z]")  # a skill's description has the mark alone

TESTS = """import unittest

from calc import add


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
"""
DEADLINE_SECONDS = 60
_POLL_SECONDS = 0.02

Turn = str | Mapping[str, object]


def adding(body: str) -> str:
    """A command that writes calc.py."""
    return f"printf 'def add(a, b):\\n    return {body}\\n' > calc.py"


class Gate:
    """What a command waits for; whatever goes wrong, not for ever."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.waiting = f"timeout 60 sh -c 'until [ -e {path} ]; do sleep 0.05; done'"

    def open(self) -> None:
        self._path.touch()


class Ran(NamedTuple):
    """What a client's process came to. `shown` is all that it told its user."""

    code: int
    session: str
    events: list[dict[str, Any]]
    shown: str


class Desk:
    """As a user has it: the client is set up, goalkeeper installed into it, the work committed."""

    def __init__(
        self, place: Path, name: str, models: Models, *, config: str = "", before: str = ":"
    ) -> None:
        program = installed(name)
        if program is None:
            pytest.skip(f"needs {name}")
        self.program = program
        self.name = name
        self.place = place
        self.root = place / "repository"
        self.root.mkdir()
        self.home = place / "home"
        self.lane = models.lane(uuid4().hex)  # names of folders come again
        self.environ = surroundings(name, self.lane.url, self.home, program)
        self._git("init", "-q", "-b", "main")
        self._write("calc.py", "def add(a, b):\n    return a - b\n")
        self._write("test_calc.py", TESTS)
        self._write("Makefile", f"test:\n\t@{before}; python3 -m unittest -q test_calc\n")
        self.call("init", "--no-try")  # what tests wait for is not there yet
        if config:
            self._write(".goalkeeper/config.toml", config)
            trust_settings(self.root, self.environ)
        self._git("add", "-A")
        self._git("commit", "-q", "-m", "base")
        self.call("install", name)
        self._hooks = self.home / _HOOKS[name]
        self._whole = self._hooks.read_text()

    def _write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text)

    def _git(self, *words: str) -> None:
        who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
        subprocess.run(["git", *who, *words], cwd=self.root, env=self.environ, check=True)

    def call(self, *words: str) -> Any:  # noqa: ANN401  a JSON document
        done = run_in_process((*words, "--json"), cwd=self.root, environ=self.environ)
        return json.loads(done.out)

    def says(self, *turns: Turn, rules: Sequence[Mapping[str, object]] = ()) -> None:
        """What the model says next, or which tools it uses."""
        told = [{"text": turn} if isinstance(turn, str) else turn for turn in turns]
        self.lane.script(turns=told, rules=rules, side={"text": "ok"})

    def shell(self, command: str) -> dict[str, object]:
        return CLIENTS[self.name].shell(command)

    def write(self, path: str, text: str) -> dict[str, object]:
        """The tool by which this client writes a new file."""
        full = str(self.root / path)
        if self.name == "codex":
            patch = f"*** Begin Patch\n*** Add File: {full}\n+{text}\n*** End Patch\n"
            return {"custom_tool": "apply_patch", "raw": patch}
        tool, named = _WRITING[self.name]
        return {"tool": tool, "input": {named: full, "content": text}}

    def start(self, text: str, *more: str, resume: str = "") -> "subprocess.Popen[bytes]":
        argv = _ARGV[self.name](text, resume)
        return subprocess.Popen(
            [str(self.program), *argv, *more], cwd=self.root, env=self.environ,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def prompt(self, text: str, *more: str, resume: str = "") -> Ran:
        return ended(self.start(text, *more, resume=resume))

    @property
    def asked(self) -> list[Request]:
        """What the agent's model was asked; clients ask for titles, too."""
        return [request for request in self.lane.requests if request.tools]

    @property
    def blocks(self) -> list[str]:
        """The reasons that the model was given, each when it came."""
        return [request.last for request in self.asked if BLOCK in request.last]

    def heard(self, text: str) -> list[int]:
        """How often each request has it."""
        return [f"{request.system}\n{request.all}".count(text) for request in self.asked]

    @property
    def is_left_alone(self) -> bool:
        """Whether no model was told anything by us."""
        return not any(_SAID.search(request.all) for request in self.asked)

    def hold(self, session: str) -> dict[str, Any]:
        """What `ulw status` says of a session."""
        told = self.call("ulw", "status", "--client", self.name, "--session", session)
        [hold] = told["holds"]
        return dict(hold)

    def kept(self, session: str) -> dict[str, Any]:
        """The hold's file."""
        path = self.root / f".goalkeeper/hold/{self.name}-{session}.json"
        return dict(json.loads(path.read_bytes())["hold"])

    @property
    def watched(self) -> list[str]:
        """The sessions that hooks look after."""
        folder = self.home / ".local/state/goalkeeper/watch"
        names = [path.name for path in folder.iterdir()] if folder.exists() else []
        return sorted(name for name in names if not name.startswith("."))

    def recorded(self, session: str) -> list[str]:
        told = self.call("ledger", "show", "--run", self.hold(session)["run_id"])
        return [entry["kind"] for entry in told["entries"]]

    def lose(self, what: str) -> None:
        """Let hooks look for goalkeeper, or for its interpreter, where there is none."""
        path = {"interpreter": sys.executable, "package": goalkeeper.__path__[0]}[what]
        assert path in self._whole
        self._hooks.write_text(self._whole.replace(path, str(self.place / "gone")))

    def prove(self, session: str) -> dict[str, Any]:
        """When whatever proof is under way has ended."""
        return dict(self.call("ulw", "prove", "--client", self.name, "--session", session))


def ended(process: "subprocess.Popen[bytes]") -> Ran:
    try:
        out, err = process.communicate(timeout=patience(DEADLINE_SECONDS))
    finally:
        process.kill()
    events = [json.loads(line) for line in out.decode().splitlines() if line.startswith("{")]
    names = ("session_id", "thread_id", "sessionID")
    sessions = (event[name] for event in events for name in names if name in event)
    return Ran(process.returncode, next(sessions, ""), events, (out + err).decode())


def until(holds: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    """Wait, while that process runs."""
    deadline = time.monotonic() + patience(DEADLINE_SECONDS)
    while not holds():
        assert time.monotonic() < deadline
        with suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"it ended, with {process.wait(_POLL_SECONDS)}")


class CodexServer:
    """`codex app-server`: one JSON document for each line."""

    def __init__(self, desk: Desk) -> None:
        self._process = subprocess.Popen(
            [str(desk.program), "app-server"], cwd=desk.root, env=desk.environ,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.ask("initialize", clientInfo={"name": "t", "title": "t", "version": "1"})
        self._tell({"method": "initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def _tell(self, told: dict[str, object]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(told).encode() + b"\n")
        self._process.stdin.flush()

    def _lines(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout
        yield from map(json.loads, self._process.stdout)

    def ask(self, method: str, **params: object) -> Any:  # noqa: ANN401  a JSON document
        self._tell({"id": method, "method": method, "params": params})
        return next(line["result"] for line in self._lines() if line.get("id") == method)

    def shown_until(self, method: str) -> list[tuple[str, str]]:
        """What hooks gave to be shown."""
        shown = []
        for line in self._lines():
            if line.get("method") == "hook/completed":
                entries = line["params"]["run"]["entries"]
                shown += [(entry["kind"], entry["text"]) for entry in entries]
            if line.get("method") == method:
                break
        return shown


_HOOKS = {
    "claude": ".claude/skills/goalkeeper/hooks/hooks.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/extensions/goalkeeper/hooks/hooks.json",
    "opencode": ".config/opencode/plugins/goalkeeper.js",
}
_WRITING = {
    "claude": ("Write", "file_path"),
    "gemini": ("write_file", "file_path"),
    "opencode": ("write", "filePath"),
}


def _claude(text: str, resume: str) -> list[str]:
    how = ["--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]
    return ["-p", text, *how, *(["--resume", resume] if resume else [])]


def _codex(text: str, resume: str) -> list[str]:
    how = ["--json", "--dangerously-bypass-hook-trust"]
    how += ["--dangerously-bypass-approvals-and-sandbox"]
    return ["exec", *(["resume", *how, resume] if resume else how), text]


def _gemini(text: str, resume: str) -> list[str]:
    more = ["--resume", resume] if resume else []
    return ["-p", text, "-o", "stream-json", "--approval-mode", "yolo", *more]


def _opencode(text: str, resume: str) -> list[str]:
    # Word by word: it puts a prompt in quotes that comes as one with blanks in it.
    more = ["--session", resume] if resume else []
    return ["run", "--format", "json", *more, *text.split()]


_ARGV = {"claude": _claude, "codex": _codex, "gemini": _gemini, "opencode": _opencode}
