"""Starts the rest of goalkeeper from a hook, on its own, so that it can outlast the hook."""

from __future__ import annotations

import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence  # it loads more than all of our modules together

    from goalkeeper.wire.hold import Hold

_FIRST_PAUSE_SECONDS = 0.002
_LONGEST_PAUSE_SECONDS = 0.05
_MOST_TOLD_BYTES = 1 << 20


def call_ulw(hold: Hold, verb: str, *more: str, seconds: float) -> int | None:
    """Return its exit code; None if it is still running after that time (0 does not wait)."""
    args = ["ulw", verb, "--json", "--client", hold.client, "--session", hold.session, *more]
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    pid = _start(args, hold.worktree, nothing, nothing)
    return _wait(pid, time.monotonic() + seconds) if seconds else None


def ask(args: Sequence[str], place: str, stdin: int, seconds: float) -> bytes:
    """Return what it prints, given this file on its stdin. End it after that time."""
    printed, stdout = os.pipe()
    pid = _start(args, place, stdin, stdout)
    os.close(stdout)
    deadline = time.monotonic() + seconds
    said = b""
    while select.select([printed], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(printed, _MOST_TOLD_BYTES)
        if not part:
            os.waitpid(pid, 0)
            return said
        said += part
    os.killpg(pid, signal.SIGKILL)  # a result that nobody was told must not come to be
    return b""


def _start(args: Sequence[str], place: str, stdin: int, stdout: int) -> int:
    python = _find_python()
    argv = [python, "-E", "-P", "-m", "goalkeeper", *args]
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        os.chdir(place)
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execv(python, argv)  # noqa: S606  there is no shell to be fooled
    finally:
        os._exit(127)


def _find_python() -> str:
    return sys.argv[3] if len(sys.argv) > 3 else sys.executable  # noqa: PLR2004


def _wait(pid: int, deadline: float) -> int | None:
    pause = _FIRST_PAUSE_SECONDS
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            return None
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
