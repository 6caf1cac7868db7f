"""What is installed, tried: the exact command lines, with a payload as the client sends it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from statistics import median
from threading import Timer

from goalkeeper.agents.install.installing import Kept, read
from goalkeeper.agents.install.parts import FRONT
from goalkeeper.wire import hold as wire
from goalkeeper.wire import layout
from goalkeeper.wire.hold import Hold, Verdict
from goalkeeper.wire.value import Value

SLOW_IDLE_MS = 20.0
_TIMES = 5
_SECONDS = 30
_SESSION = "goalkeeper-doctor"
_KEY = b"doctor"
_STOP_EVENTS = ("Stop", "AfterAgent", "stop")
_SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID")

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
    """What came of it. `answer` is what a stop that must be held was answered."""

    command: str
    runs: bool
    idle_ms: float
    held_ms: float
    answer: str


def stop_commands(files: tuple[Kept, ...]) -> Iterator[str]:
    """The command lines that a client calls at a stop, as its files have them now."""
    for kept in files:
        data = read(kept.path) or b""
        if FRONT.encode() not in data:
            continue
        if kept.path.endswith(".js"):
            line = next(row for row in data.decode().splitlines() if row.startswith("const HOOK"))
            yield json.loads(line.partition("=")[2]).replace("@KIND@", "stop")
            continue
        hooks = json.loads(data).get("hooks", {})
        for name in _STOP_EVENTS:
            yield from _commands(hooks.get(name, []))


def _commands(groups: list[dict[str, object]]) -> Iterator[str]:
    for group in groups:
        inner = group.get("hooks")
        for hook in inner if isinstance(inner, list) else [group]:
            command = hook.get("command") or hook.get("bash")
            if isinstance(command, str) and FRONT in command:
                yield command


def tried(client: str, command: str, environ: Mapping[str, str]) -> Tried:
    """In a state directory of its own, with a session that is held there."""
    with tempfile.TemporaryDirectory(prefix="goalkeeper-doctor-") as place:
        surroundings = {
            name: value for name, value in environ.items() if name not in _SESSION_VARIABLES
        } | {"XDG_STATE_HOME": place}
        payload = json.dumps(_PAYLOADS[client]).encode()
        idle = [_run(command, payload, surroundings) for _ in range(_TIMES)]
        held = []
        for _ in range(_TIMES):
            _arm(client, place)
            held.append(_run(command, payload, surroundings))
    answer = held[-1][1]
    quiet = all(not code and said in ("", "{}") for code, said, _ in idle)
    return Tried(
        command,
        runs=quiet and wire.SENTINEL in answer,
        idle_ms=median(ms for _, _, ms in idle),
        held_ms=median(ms for _, _, ms in held),
        answer=answer,
    )


def _arm(client: str, place: str) -> None:
    home = os.path.join(place, "goalkeeper")
    watch = os.path.join(home, layout.WATCH)
    os.makedirs(watch, exist_ok=True)
    path = os.path.join(place, "hold.json")
    # A verdict that is newer than any stop: it is answered by, and nothing is proven.
    verdict = Verdict(wire.FAILED, "0" * 40, float("inf"), failing=("C1",), text="a trial")
    held = Hold(client, _SESSION, "trial", time.time(), place, "", own=False, objective="",
                verify=(), verdict=verdict)  # fmt: skip
    for file, data in (
        (os.path.join(home, layout.HOLD_KEY), _KEY),
        (path, wire.dump(held, _KEY)),
        (os.path.join(watch, wire.name_of(client, _SESSION)), os.fsencode(path)),
    ):
        with open(file, "wb") as opened:
            opened.write(data)


def _run(command: str, payload: bytes, environ: Mapping[str, str]) -> tuple[int, str, float]:
    began = time.perf_counter()
    try:
        ended = subprocess.run(
            ["sh", "-c", command], input=payload, env=environ, capture_output=True,
            timeout=_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as exc:
        return 1, str(exc), _SECONDS * 1000.0
    ms = (time.perf_counter() - began) * 1000
    return ended.returncode, ended.stdout.decode(errors="replace").strip(), ms


def codex_trust(program: str, cwd: str, environ: Mapping[str, str]) -> list[str] | None:
    """How Codex stands to each of our hooks, in its own words; None when it does not tell."""
    try:
        with subprocess.Popen(
            [program, "app-server"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, bufsize=1,
        ) as server:  # fmt: skip
            watchdog = Timer(_SECONDS, server.kill)
            watchdog.start()
            try:
                return _trust_told(server, cwd)
            finally:
                watchdog.cancel()
                server.kill()
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
        told = json.loads(line) if line.startswith("{") else {}
        if told.get("id") == _LIST:
            listed = told.get("result", {}).get("data", [{}])[0].get("hooks", [])
            return [str(h.get("trustStatus")) for h in listed if FRONT in str(h.get("command"))]
    return None


_LIST = 2
_WHO = {"name": "goalkeeper", "title": "goalkeeper", "version": "1"}
