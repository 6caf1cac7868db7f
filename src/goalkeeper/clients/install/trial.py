"""Tries what is installed: the exact command lines, with a payload as the client sends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from goalkeeper.clients.install.files import read_file
from goalkeeper.clients.install.parts import FRONT, TRIAL_SESSION, ClientInstall
from goalkeeper.clients.install.record import InstalledFile
from goalkeeper.errors import DiskFailed
from goalkeeper.system.scratch import make_scratch
from goalkeeper.wire import hold as wire
from goalkeeper.wire import layout
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.hold import Hold, HoldVerdict
from goalkeeper.wire.value import Value

HOOKS = "GOALKEEPER_HOOKS"  # with "off" no hook does anything
SLOW_IDLE_MS = 20.0
_TIMES = 5
_KEY = b"doctor"
_HOLDS = "Ultrawork holds this session"  # hooks.words says this when it blocks
_CLIENT = "AI_AGENT"  # by this a client tells its version, and one answer depends on it
# These variables would make a hook look at another session than ours, or at none.
_LEFT_OUT = (
    HOOKS,
    _CLIENT,
    layout.SPAWNED,
    *(name for row in CLIENTS.values() for name in row.sessions),
)


class HookTrial(Value):
    """What came of trying one command line."""

    command: str
    problem: str  # it is empty if the command runs
    idle_ms: float
    held_ms: float


class HookCall(Value):
    """One call of a hook."""

    code: int
    said: str
    ms: float
    ended: bool = True

    @property
    def is_quiet(self) -> bool:
        return not self.code and self.said in ("", "{}")

    def has_block(self, field: str) -> bool:
        """Return whether the client is told to go on, in the field that it reads."""
        try:
            told = json.loads(self.said)
        except ValueError:
            return False
        return not self.code and isinstance(told, dict) and _HOLDS in str(told.get(field))


def find_stop_commands(install: ClientInstall, files: Iterable[bytes]) -> Iterator[str]:
    """Find the command lines that the client calls at a stop, given the contents of its files.

    A file that cannot be read gives none: whatever its client makes of it, we are not called.
    """
    for data in files:
        try:
            text = data.decode()
            if FRONT in text:
                yield from install.find_stop_commands(text)
        except ValueError:  # NotJsonText and UnicodeDecodeError are ValueErrors
            continue


def read_files(files: Iterable[InstalledFile]) -> Iterator[bytes]:
    for file in files:
        with suppress(DiskFailed):
            yield read_file(file.path) or b""


def try_command(
    install: ClientInstall, command: str, environ: Mapping[str, str], timeout_seconds: float = 30
) -> HookTrial:
    """Try a command in a state directory of its own, with a session that is held there."""
    with make_scratch("doctor") as place:
        kept = {name: value for name, value in environ.items() if name not in _LEFT_OUT}
        surroundings = {**kept, "XDG_STATE_HOME": place}
        payload = json.dumps(install.stop).encode()

        def call_idle() -> HookCall:
            return _call(command, payload, surroundings, timeout_seconds)

        def call_held() -> HookCall:
            arm(install.client, place)
            return call_idle()

        idle = _repeat(call_idle)
        held = _repeat(call_held) if idle[-1].ended else idle
    return HookTrial(
        command,
        _find_problem(idle, held, install.block_field),
        idle_ms=_find_median(idle),
        held_ms=_find_median(held),
    )


def _find_median(calls: list[HookCall]) -> float:
    return sorted(each.ms for each in calls)[len(calls) // 2]


def _repeat(call: Callable[[], HookCall]) -> list[HookCall]:
    """Call it as often as a median needs, but only once if it does not end."""
    calls = [call()]
    while calls[-1].ended and len(calls) < _TIMES:
        calls.append(call())
    return calls


def _find_problem(idle: list[HookCall], held: list[HookCall], block_field: str) -> str:
    for each in (*idle, *held):
        if not each.ended:
            return f"a stop did not end within {each.ms / 1000:.0f} s"
    for each in idle:
        if not each.is_quiet:
            return f"a stop that nothing holds {_describe(each)}"
    for each in held:
        if not each.has_block(block_field):
            return f"a stop that should be held {_describe(each)}"
    return ""


def _describe(call: HookCall) -> str:
    answer = f"was answered {call.said!r}" if call.said else "got no answer"
    return answer + (f" (exit code {call.code})" if call.code else "")


def arm(client: str, place: str) -> None:
    """Hold TRIAL_SESSION of the client, as if its user had asked for it."""
    home = os.path.join(place, "goalkeeper")
    watch = os.path.join(home, layout.WATCH)
    os.makedirs(watch, exist_ok=True)
    path = os.path.join(place, "hold.json")
    # The verdict is newer than any stop, so it is the answer and nothing is proven.
    verdict = HoldVerdict(wire.FAILED, "0" * 40, float("inf"), failing=("C1",), text="a trial")
    held = Hold(client, TRIAL_SESSION, "trial", time.time(), "", place, run="", own=False, bare=(),
                ledger="", objective="", verify=(), verdict=verdict)  # fmt: skip
    for file, data in (
        (os.path.join(home, layout.HOLD_KEY), _KEY),
        (path, wire.dump(held, _KEY)),
        (
            os.path.join(watch, layout.hold_name(client, TRIAL_SESSION)),
            os.fsencode(wire.format_watch(path, held)),
        ),
    ):
        with open(file, "wb") as opened:
            opened.write(data)


def _call(
    command: str, payload: bytes, environ: Mapping[str, str], timeout_seconds: float
) -> HookCall:
    # Output goes to files: whoever holds the other end of a pipe could keep us waiting for ever.
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
            return HookCall(1, "", timeout_seconds * 1000, ended=False)
        finally:
            end_group(process)
        ms = (time.perf_counter() - began) * 1000
        told.seek(0)
        return HookCall(code, told.read().decode(errors="replace").strip(), ms)


def end_group(process: subprocess.Popen[Any]) -> None:
    """End a process that leads a group of its own, with all that it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
