"""Starts an agent, follows it, and ends it with its children, also when we are killed.

Its streams are files, and a shell around it writes down its exit code: when goalkeeper is killed,
what the agent did and cost can still be read, and nothing that finished is repeated. A second shell
waits for the end of a pipe that only we hold open. The kernel closes it when we die, whatever
killed us, and then that shell becomes the program below, which ends the agent.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from goalkeeper.clients.client import Launch
from goalkeeper.system import reaper
from goalkeeper.system.environment import encode_words
from goalkeeper.system.procfs import list_processes, read_environment, read_start_time
from goalkeeper.system.safe_open import open_plain_file
from goalkeeper.wire import layout
from goalkeeper.wire.value import Value

MARKER = layout.SPAWNED
TERM_SECONDS = 5.0  # an agent has this time to save its own state
MOST_LINE = 32 << 20
MOST_FILE = 1 << 62
_TICK_SECONDS = 0.05
_BURIAL_SECONDS = 5.0  # an agent may leave thousands of dead processes in hours
_MOST_CODE = 16  # the longest exit code in bytes
_CHUNK = 1 << 16
_AT_ONCE = 4 << 20  # so many bytes are read before limits are looked at again
# The exit code is written last, to a file that was opened before the agent could put something in
# its place, and no text of ours is put into the shell. A trap keeps the shell alive when a signal
# gives the agent time to save its state.
_SHELL = """
code=$1 pipe=$2 python=$3 ender=$4 marker=$5; shift 5
(trap '' TERM; read -r _ < "/dev/fd/$pipe"; exec "$python" -P -c "$ender" $$ "$marker") \
    < /dev/null > /dev/null 2>&1 &
trap : TERM; "$@"; echo $? > "/dev/fd/$code"
"""
# It leaves the session of the agent, or it would end itself first.
_ENDER = """
import os, sys
from goalkeeper.clients.spawn import end
os.setsid()
end(int(sys.argv[1]), sys.argv[2], grace=0)
"""
# Children, which Python itself would reap without this, and the end of a pipe that only we hold.
_children: dict[int, tuple[subprocess.Popen[bytes], int]] = {}


class Traces(Value):
    """The files that an agent's process leaves."""

    out: str
    err: str
    code: str

    @classmethod
    def at(cls, stem: str) -> Traces:
        return cls(f"{stem}.out", f"{stem}.err", f"{stem}.code")

    @property
    def exit_code(self) -> int | None:
        """Return the exit code; None if nobody saw it end."""
        with suppress(OSError, ValueError), open_plain_file(self.code) as file:
            return int(file.read(_MOST_CODE))
        return None

    def read_errors(self, most: int = 65536) -> bytes:
        with suppress(OSError), open_plain_file(self.err) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most))
            return file.read(most)
        return b""


class Spawned(Value):
    pid: int
    born: str  # with the pid it names exactly one process for ever


def start(launch: Launch, *, cwd: str, prompt_file: str, traces: Traces, marker: str) -> Spawned:
    """Start it; raise OSError when that is not possible."""
    reaper.become_subreaper()
    waited_for, ours = os.pipe()  # no program that we start inherits our end
    ender = (str(waited_for), sys.executable, _ENDER, marker)
    try:
        with (
            open_plain_file(prompt_file) as prompt,
            open_plain_file(traces.out, os.O_RDWR | os.O_CREAT) as out,
            open_plain_file(traces.err, os.O_RDWR | os.O_CREAT) as err,
            open_plain_file(traces.code, os.O_RDWR | os.O_CREAT) as code,
            reaper.lock,
        ):
            for file in (out, err, code):
                file.truncate(0)
            told = str(code.fileno())
            child = subprocess.Popen(
                encode_words(["/bin/sh", "-c", _SHELL, "sh", told, *ender, *launch.argv]),
                cwd=cwd,
                env={**launch.env, MARKER: marker},
                stdin=prompt,
                stdout=out,
                stderr=err,
                start_new_session=True,
                pass_fds=(waited_for, code.fileno()),
            )
            _children[child.pid] = child, ours
            reaper.running[child.pid] = f"{MARKER}={marker}".encode()
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(waited_for)
    return Spawned(child.pid, read_start_time(child.pid))


class Growing:
    """A file that grows line by line. A line that is too long is cut."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._place = 0
        self._part = bytearray()

    def read(self, most: int = MOST_FILE) -> Iterator[bytes]:
        """Read up to where the file ends now: some agents write faster than anybody reads."""
        try:
            file = open_plain_file(self._path)
        except OSError:
            return
        with file:
            file.seek(self._place)
            end = min(self._place + most, os.fstat(file.fileno()).st_size)
            while data := file.read(min(_CHUNK, max(0, end - self._place))):
                self._place += len(data)
                yield from self._split_lines(data)

    def take_rest(self) -> bytes:
        """Return what came after the last line end."""
        part, self._part = bytes(self._part), bytearray()
        return part

    def _split_lines(self, data: bytes) -> Iterator[bytes]:
        *lines, last = data.split(b"\n")
        for line in lines:
            self._append(line)
            yield self.take_rest()
        self._append(last)

    def _append(self, data: bytes) -> None:
        self._part += data[: MOST_LINE - len(self._part)]


def follow(
    spawned: Spawned, traces: Traces, *, hear: Callable[[bytes], None], over: Callable[[int], bool]
) -> bool:
    """Follow it until it has ended. Return False if `over`, given the bytes so far, ends it."""
    printed = Growing(traces.out)
    pidfd = reaper.open_pidfd(spawned.pid)
    next_burial = time.monotonic() + _BURIAL_SECONDS
    try:
        while True:
            if time.monotonic() > next_burial:
                reaper.reap_dead_orphans()
                next_burial = time.monotonic() + _BURIAL_SECONDS
            ended = _has_ended(spawned.pid, pidfd)
            for line in printed.read(MOST_FILE if ended else _AT_ONCE):
                hear(line)
            if ended:
                hear(printed.take_rest())
                return True
            if over(_get_size(traces.out) + _get_size(traces.err)):
                return False
    finally:
        if pidfd is not None:
            os.close(pidfd)


def _has_ended(pid: int, pidfd: int | None) -> bool:
    if pidfd is not None:
        return reaper.wait_for_pidfd(pidfd, _TICK_SECONDS)
    time.sleep(_TICK_SECONDS)
    return reaper.is_dead(pid)


def _get_size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def end(pid: int, marker: str, *, grace: float = TERM_SECONDS) -> None:
    """End a process that we started, with all that it started. It first gets time to end itself.

    With a pid of 0 the process is gone, and only what it left behind is ended.
    """
    if pid:  # a group of 0 would be our own
        _end_group(pid, grace)
    reaper.end_family(pid, f"{MARKER}={marker}".encode())
    end_marked(marker)


def _end_group(pid: int, grace: float) -> None:
    if grace:
        reaper.signal_group(pid, signal.SIGTERM)
        _wait(pid, grace)
    reaper.signal_group(pid, signal.SIGKILL)
    _wait(pid, reaper.DEATH_SECONDS)
    with reaper.lock:
        reaper.running.pop(pid, None)
        if pid in _children:
            child, ours = _children.pop(pid)
            child.poll()
            os.close(ours)


def _wait(pid: int, seconds: float) -> None:
    pidfd = reaper.open_pidfd(pid)
    if pidfd is not None:
        reaper.wait_for_pidfd(pidfd, seconds)
        os.close(pidfd)


def list_marked(marker: str) -> list[int]:
    """List the processes that carry the marker, whoever their parents are."""
    wanted = f"{MARKER}={marker}".encode()
    others = (found.pid for found in list_processes() if found.pid != os.getpid())
    return [pid for pid in others if wanted in read_environment(pid)]


def end_marked(marker: str) -> None:
    """End what is left of an agent after it or we were killed."""
    deadline = time.monotonic() + reaper.DEATH_SECONDS
    while (left := list_marked(marker)) and time.monotonic() < deadline:
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            _wait(pid, 1.0)
