"""What is installed, tried: the exact command lines, with a payload as the client sends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from statistics import median
from threading import Timer
from typing import Any

from goalkeeper.clients.install.files import read
from goalkeeper.clients.install.json_text import parse
from goalkeeper.clients.install.parts import FRONT
from goalkeeper.clients.install.record import Kept
from goalkeeper.errors import DiskFailed
from goalkeeper.wire import hold as wire
from goalkeeper.wire import layout
from goalkeeper.wire.hold import Hold, Verdict
from goalkeeper.wire.value import Value

HOOKS = "GOALKEEPER_HOOKS"  # "off": no hook does anything
SLOW_IDLE_MS = 20.0
_TIMES = 5
_SESSION = "goalkeeper-doctor"
_KEY = b"doctor"
_STOP_EVENTS = ("Stop", "AfterAgent", "stop")
_HOLDS = "Ultrawork holds this session"  # what hooks.words says when it blocks
# What would have a hook look at another session than ours, or at none.
_LEFT_OUT = (HOOKS, layout.SPAWNED, "CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID")

# A stop as each client sends it.
_PAYLOADS: dict[str, dict[str, object]] = {
    "claude": {
        "session_id": _SESSION, "hook_event_name": "Stop", "stop_hook_active": False,
        "last_assistant_message": "done", "permission_mode": "default", "background_tasks": [],
    },
    "codex": {
        "session_id": _SESSION, "turn_id": "t", "hook_event_name": "Stop", "model": "m",
        "permission_mode": "default", "stop_hook_active": False, "last_assistant_message": "done",
    },
    "gemini": {
        "session_id": _SESSION, "hook_event_name": "AfterAgent", "prompt": "x",
        "timestamp": "2026-01-01T00:00:00.000Z", "prompt_response": "done",
        "stop_hook_active": False,
    },
    "copilot": {
        "session_id": _SESSION, "hook_event_name": "Stop", "stop_reason": "end_turn",
        "timestamp": "2026-01-01T00:00:00.000Z", "stop_hook_active": False,
    },
    "cursor": {
        "conversation_id": _SESSION, "generation_id": "g", "hook_event_name": "stop",
        "status": "completed", "loop_count": 0, "cursor_version": "1",
    },
    "opencode": {"sessionID": _SESSION, "hook_event_name": "session.idle"},
}  # fmt: skip


class Tried(Value):
    """What came of it."""

    command: str
    problem: str  # empty: it runs
    idle_ms: float
    held_ms: float


class Ran(Value):
    """One call of a hook."""

    code: int
    said: str
    ms: float
    ended: bool = True

    @property
    def is_quiet(self) -> bool:
        return not self.code and self.said in ("", "{}")

    @property
    def holds(self) -> bool:
        """Whether the client is told to go on, in the field that it reads."""
        try:
            told = json.loads(self.said)
        except ValueError:
            return False
        blocks = isinstance(told, dict) and any(_HOLDS in str(told.get(key)) for key in _BLOCKS)
        return not self.code and blocks


_BLOCKS = ("reason", "followup_message", "block")


def stop_commands(files: tuple[Kept, ...]) -> Iterator[str]:
    """The command lines that a client calls at a stop, as its files have them now.

    From a file that cannot be read, none: whatever its client makes of it, we are not called.
    """
    for kept in files:
        try:
            data = (read(kept.path) or b"").decode()
            if FRONT in data:
                yield from _in_shim(data) if kept.path.endswith(".js") else _in_settings(data)
        except (DiskFailed, ValueError):  # NotJson and UnicodeDecodeError are ValueErrors
            continue


def _in_shim(data: str) -> Iterator[str]:
    for row in data.splitlines():
        if row.startswith("const HOOK"):
            yield str(json.loads(row.partition("=")[2])).replace("@KIND@", "stop")


def _in_settings(data: str) -> Iterator[str]:
    hooks = parse(data).child("hooks")
    for name in _STOP_EVENTS:
        groups = hooks.child(name) if hooks else None
        yield from _commands(groups.value if groups else None)


def _commands(groups: object) -> Iterator[str]:
    """Of groups of hooks, or of hooks alone."""
    for entry in groups if isinstance(groups, list) else ():
        if not isinstance(entry, dict):
            continue
        command = entry.get("command") or entry.get("bash")
        if isinstance(command, str) and FRONT in command:
            yield command
        yield from _commands(entry.get("hooks"))


def tried(
    client: str, command: str, environ: Mapping[str, str], timeout_seconds: float = 30
) -> Tried:
    """In a state directory of its own, with a session that is held there."""
    with tempfile.TemporaryDirectory(prefix="goalkeeper-doctor-") as place:
        kept = {name: value for name, value in environ.items() if name not in _LEFT_OUT}
        surroundings = {**kept, "XDG_STATE_HOME": place}
        payload = json.dumps(_PAYLOADS[client]).encode()

        def run() -> Ran:
            return _run(command, payload, surroundings, timeout_seconds)

        def run_held() -> Ran:
            _arm(client, place)
            return run()

        idle = _several(run)
        held = _several(run_held) if idle[-1].ended else idle
    return Tried(
        command,
        _problem(idle, held),
        idle_ms=median(each.ms for each in idle),
        held_ms=median(each.ms for each in held),
    )


def _several(run: Callable[[], Ran]) -> list[Ran]:
    """As often as a median takes; but nobody waits twice for what does not end."""
    found = [run()]
    while found[-1].ended and len(found) < _TIMES:
        found.append(run())
    return found


def _problem(idle: list[Ran], held: list[Ran]) -> str:
    for each in (*idle, *held):
        if not each.ended:
            return f"a stop did not end within {each.ms / 1000:.0f} s"
    for each in idle:
        if not each.is_quiet:
            return f"a stop that nothing holds {_answered(each)}"
    for each in held:
        if not each.holds:
            return f"a stop that should be held {_answered(each)}"
    return ""


def _answered(ran: Ran) -> str:
    answer = f"was answered {ran.said!r}" if ran.said else "got no answer"
    return answer + (f" (exit code {ran.code})" if ran.code else "")


def _arm(client: str, place: str) -> None:
    home = os.path.join(place, "goalkeeper")
    watch = os.path.join(home, layout.WATCH)
    os.makedirs(watch, exist_ok=True)
    path = os.path.join(place, "hold.json")
    # A verdict that is newer than any stop: it is answered by, and nothing is proven.
    verdict = Verdict(wire.FAILED, "0" * 40, float("inf"), failing=("C1",), text="a trial")
    held = Hold(client, _SESSION, "trial", time.time(), "", place, run="", own=False, bare=(),
                ledger="", objective="", verify=(), verdict=verdict)  # fmt: skip
    for file, data in (
        (os.path.join(home, layout.HOLD_KEY), _KEY),
        (path, wire.dump(held, _KEY)),
        (
            os.path.join(watch, layout.hold_name(client, _SESSION)),
            os.fsencode(wire.watch(path, held)),
        ),
    ):
        with open(file, "wb") as opened:
            opened.write(data)


def _run(command: str, payload: bytes, environ: Mapping[str, str], timeout_seconds: float) -> Ran:
    # Files, not pipes: who holds a pipe's other end could keep us waiting for ever.
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as told:
        asked.write(payload)
        asked.seek(0)
        began = time.perf_counter()
        process = subprocess.Popen(
            ["/bin/sh", "-c", command], env=environ, stdin=asked, stdout=told,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            code = process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            return Ran(1, "", timeout_seconds * 1000, ended=False)
        finally:
            _end(process)
        ms = (time.perf_counter() - began) * 1000
        told.seek(0)
        return Ran(code, told.read().decode(errors="replace").strip(), ms)


def _end(process: subprocess.Popen[Any]) -> None:
    """With all that it started; it leads a group of its own."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def codex_trust(program: str, cwd: str, environ: Mapping[str, str]) -> list[str] | None:
    """How Codex stands to each of our hooks, in its own words; None when it does not tell."""
    try:
        with subprocess.Popen(
            [program, "app-server"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, bufsize=1, start_new_session=True,
        ) as server:  # fmt: skip
            watchdog = Timer(_CODEX_SECONDS, _end, [server])
            watchdog.start()
            try:
                return _trust_told(server, cwd)
            finally:
                watchdog.cancel()
                _end(server)
    except OSError:
        return None


def _trust_told(server: subprocess.Popen[str], cwd: str) -> list[str] | None:
    asked = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": _WHO}},
        {"method": "initialized"},
        {"id": _LIST, "method": "hooks/list", "params": {"cwds": [cwd]}},
    ]
    if server.stdin is None or server.stdout is None:
        return None
    server.stdin.writelines(json.dumps(each) + "\n" for each in asked)
    for line in server.stdout:
        told = _object(line)
        if told.get("id") == _LIST:
            return _statuses(told.get("result"))
    return None


def _object(line: str) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _statuses(result: Any) -> list[str] | None:  # noqa: ANN401  JSON
    """None where the answer is none that we know; empty where Codex has none of our hooks."""
    try:
        listed = [hook for place in result["data"] for hook in place["hooks"]]
        return [str(hook["trustStatus"]) for hook in listed if FRONT in str(hook["command"])]
    except (KeyError, TypeError):
        return None


_LIST = 2
_CODEX_SECONDS = 30
_WHO = {"name": "goalkeeper", "title": "goalkeeper", "version": "1"}
