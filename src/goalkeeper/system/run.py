"""The one way to start a program: with limits, bounded output, and nothing left running.

A program may be hostile. It gets its own session and a marker in its environment; its output
is counted and digested as it arrives, and only head and tail are kept; at the end the processes
that it left behind are killed (see `reaper`).
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Literal, TypeAlias

from goalkeeper.system import family, reaper
from goalkeeper.system.environment import encode_words, find_system_program
from goalkeeper.system.output import OutputCapture, Stream
from goalkeeper.wire.value import Value

MARKER = "INVOCATION_ID"  # systemd sets it for everything that it starts, so it tells nothing
KEEP_BYTES = 65536
MB = 1 << 20

_TERM_GRACE_SECONDS = 0.5
_PIPE_GRACE_SECONDS = 0.2  # a child process may write a little longer than its program runs
_LOOK_SECONDS = 0.1  # the time between two looks at what a program uses
_HIGHEST = -20
_FREE_MEMORY = 256 * MB  # so much of the machine's memory must stay free
_POLL_SECONDS = 0.02  # the time between two looks at the program, where the kernel has no pidfd
_CHUNK = 65536
_LAST_CHUNKS = 16  # it is more than a full pipe; a process that we cannot kill might write for ever

LimitName: TypeAlias = Literal["time", "output", "memory", "processes", "file", "disk"]


class ProgramLimits(Value):
    seconds: float = 600.0
    memory_mb: int = 4096  # of each process, by the kernel, and of all together, by our watch
    processes: int = 1000  # the limit of all together, and every thread counts
    output_mb: int = 64  # the limit of both streams together
    file_mb: int = 2048  # the limit of each file
    free_mb: int = 256  # so much must stay free where the program works


class Exited(Value):
    code: int
    out: Stream
    err: Stream
    seconds: float


class Signalled(Value):
    signal: int
    out: Stream
    err: Stream
    seconds: float


class LimitHit(Value):
    """A limit ended the program. Often the program itself reports `file` and `memory` as errors."""

    limit: LimitName
    out: Stream
    err: Stream
    seconds: float


class NotStarted(Value):
    reason: str


Ran: TypeAlias = Exited | Signalled | LimitHit | NotStarted


def run(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    limits: ProgramLimits,
    keep_bytes: int = KEEP_BYTES,
    inherited: Sequence[int] = (),
    limits_itself: bool = False,
) -> Ran:
    """Run a program until it ends or hits a limit. Threads may run many at once.

    The program has the `inherited` files open under the same numbers. One that `limits_itself`
    begins with the words of `build_limiting_words`, somewhere in its command.
    """
    reason = _explain_no_start(argv, cwd, env, limits)
    if reason:
        return NotStarted(reason)
    reaper.become_subreaper()
    marker = f"{MARKER}={os.urandom(16).hex()}".encode()
    kills = _out_of_memory_kills()
    watch = _ProgramWatcher(limits, cwd, keep_bytes, marker)
    try:
        caps = {} if limits_itself else _choose_kernel_limits(limits)
        child = _start_program(argv, cwd, env, caps, marker, inherited=inherited)
        if isinstance(child, NotStarted):
            return child
        watch.watch_child(child)
        with _being_first():
            limit = watch.follow_program()
    finally:  # no process lives longer than the call, even after an interrupt
        watch.kill_group()
        reaper.end_family(watch.pid, marker)
        watch.close_pipes()
    if watch.output_size > limits.output_mb * MB:
        limit = limit or "output"
    if child.returncode == -signal.SIGKILL and _out_of_memory_kills() > kills:
        limit = limit or "memory"
    return _make_outcome(child.returncode, limit, watch)


@contextmanager
def _being_first() -> Iterator[None]:
    """Give this thread the highest priority, if it may: many processes must not keep it waiting.

    The kernel limits the processes of other users in a sandbox, and those of root nowhere.
    """
    thread = threading.get_native_id()
    usual = os.getpriority(os.PRIO_PROCESS, thread)
    try:
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, thread, _HIGHEST)
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, thread, usual)


# These functions say how it ended.


def _make_outcome(code: int, limit: LimitName | None, watch: _ProgramWatcher) -> Ran:
    out, err, seconds = watch.out.to_stream(), watch.err.to_stream(), watch.seconds
    if limit is None and code == -signal.SIGXFSZ:
        limit = "file"
    if limit is not None:
        return LimitHit(limit, out, err, seconds)
    if code < 0:
        return Signalled(-code, out, err, seconds)
    if code in {126, 127} and out.size == 0 and err.head.startswith(b"prlimit: "):
        return NotStarted(err.text.removeprefix("prlimit: ").strip())
    return Exited(code, out, err, seconds)


def describe_end(ran: Ran, program: str = "it") -> str:
    match ran:
        case Exited(code):
            return f"exit {code}"
        case LimitHit(limit):
            return f"it hit the limit on {limit}"
        case Signalled(number):
            return f"it was killed by signal {number}"
        case NotStarted(reason):
            return f"{program} could not be started: {reason}"


def _out_of_memory_kills() -> int:
    with suppress(OSError), open("/proc/vmstat", "rb") as file:
        return int(file.read().rpartition(b"oom_kill ")[2].split(b"\n", 1)[0] or 0)
    return 0


class _ProgramWatcher:
    """Follows one program: its two pipes, its end, its limits."""

    def __init__(self, limits: ProgramLimits, cwd: str, keep_bytes: int, marker: bytes) -> None:
        self.out, self.err = OutputCapture(keep_bytes), OutputCapture(keep_bytes)
        self.pid = 0
        self.seconds = 0.0
        self._child: subprocess.Popen[bytes] | None = None
        self._limits = limits
        self._cwd = cwd
        self._marker = marker
        self._begun = time.monotonic()
        self._deadline = self._begun + limits.seconds
        self._next_look = self._begun + _LOOK_SECONDS
        self._ended = True
        self._selector = selectors.DefaultSelector()
        self._open: dict[int, tuple[IO[bytes], OutputCapture]] = {}
        self._pidfd: int | None = None

    def watch_child(self, child: subprocess.Popen[bytes]) -> None:
        self._child, self.pid, self._ended = child, child.pid, False
        for pipe, capture in ((child.stdout, self.out), (child.stderr, self.err)):
            if pipe is not None:
                self._selector.register(pipe, selectors.EVENT_READ)
                self._open[pipe.fileno()] = (pipe, capture)
        self._pidfd = reaper.open_pidfd(child.pid)
        if self._pidfd is not None:
            self._selector.register(self._pidfd, selectors.EVENT_READ)

    @property
    def output_size(self) -> int:
        return self.out.size + self.err.size

    def follow_program(self) -> LimitName | None:
        """Read until the program ends and its pipes are empty; return the limit it hit, if any."""
        while not self._ended:
            now = time.monotonic()
            limit = self._limit_hit(now)
            if limit == "processes":  # each moment would bring more of them
                return limit
            if limit:
                reaper.signal_group(self.pid, signal.SIGTERM)
                self._read_for(_TERM_GRACE_SECONDS, until=lambda: self._ended)
                return limit
            self._wait_for_event(min(self._deadline, self._next_look) - now)
        self._read_for(_PIPE_GRACE_SECONDS, until=lambda: not self._open)
        return None

    def kill_group(self) -> None:
        """Kill what is left of the group, and reap the program."""
        if self._child is None:
            return
        reaper.signal_group(self.pid, signal.SIGKILL)
        self._read_for(reaper.DEATH_SECONDS, until=lambda: self._ended)
        with reaper.lock:  # as soon as it is reaped another process may get its number
            if self._ended:
                self._child.wait()
            else:  # it runs as a user whose processes we may not kill
                self._child.returncode = -signal.SIGKILL
            reaper.running.pop(self.pid, None)

    def close_pipes(self) -> None:
        """Read what is left in the pipes, without waiting for processes that hold them open."""
        for _ in range(_LAST_CHUNKS):
            if not self._wait_for_event(0):
                break
        self.seconds = time.monotonic() - self._begun
        for pipe, _ in self._open.values():
            pipe.close()
        self._selector.close()
        if self._pidfd is not None:
            os.close(self._pidfd)

    def _limit_hit(self, now: float) -> LimitName | None:
        if now >= self._deadline:
            return "time"
        if self.output_size > self._limits.output_mb * MB:
            return "output"
        if now >= self._next_look:
            self._next_look = now + _LOOK_SECONDS
            if read_free_mb(self._cwd) < self._limits.free_mb:
                return "disk"
            return self._find_excess()
        return None

    def _find_excess(self) -> LimitName | None:
        """Return the limit that all processes of the program together have hit."""
        kin = family.list_family(self.pid, self._marker, self._limits.processes)
        if kin is None:
            return "processes"
        most = self._limits.memory_mb * MB
        if family.measure_memory(kin, most) > most:
            return "memory"
        # Shared memory that no process has mapped belongs to nobody; the machine must not run out.
        return "memory" if family.read_free_memory() < _FREE_MEMORY else None

    def _read_for(self, seconds: float, *, until: Callable[[], bool]) -> None:
        deadline = time.monotonic() + seconds
        while not until() and (left := deadline - time.monotonic()) > 0:
            self._wait_for_event(left)

    def _wait_for_event(self, timeout: float) -> bool:
        """Wait for output or for the end of the program; return whether anything was read."""
        if self._pidfd is None:
            timeout = min(timeout, _POLL_SECONDS)
            self._ended = self._ended or reaper.is_dead(self.pid)
        read = False
        for key, _ in self._selector.select(timeout):
            if key.fd == self._pidfd:
                self._ended = True
                self._selector.unregister(key.fd)
                continue
            pipe, capture = self._open[key.fd]
            if data := os.read(key.fd, _CHUNK):
                read = True
                capture.add_bytes(data)
            else:
                self._selector.unregister(pipe)
                del self._open[key.fd]
                pipe.close()
        return read


# These functions start a program.


def _explain_no_start(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], limits: ProgramLimits
) -> str:
    """Return why the program cannot be started. `prlimit` would hide the reason from us later."""
    if not argv or not argv[0]:
        return "there is no program to start"
    if not os.path.isdir(cwd):
        return f"there is no directory {cwd}"
    if read_free_mb(cwd) < limits.free_mb:
        return f"less than {limits.free_mb} MB are free where {cwd} lies"
    found = [path for path in _list_candidates(argv[0], cwd, env) if os.path.isfile(path)]
    if not found:
        return f"there is no program {argv[0]}"
    if not any(os.access(path, os.X_OK) for path in found):
        return f"{argv[0]} may not be executed"
    return ""


def _list_candidates(program: str, cwd: str, env: Mapping[str, str]) -> Iterator[str]:
    if "\0" in program:
        return
    if "/" in program:
        yield os.path.join(cwd, program)
        return
    for entry in env.get("PATH", os.defpath).split(os.pathsep):
        yield os.path.join(cwd, entry, program)


def _start_program(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    caps: Mapping[str, int],
    marker: bytes,
    *,
    inherited: Sequence[int],
) -> subprocess.Popen[bytes] | NotStarted:
    limiting = _build_prlimit(caps) if _is_kernel_format(argv[0], cwd, env) else []
    try:
        with reaper.lock:
            child = subprocess.Popen(
                encode_words([*limiting, *argv]),
                cwd=cwd,
                env={**env, MARKER: marker.decode().partition("=")[2]},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                pass_fds=inherited,
            )
            reaper.running[child.pid] = marker
    except OSError as exc:  # it may name prlimit, which the caller did not ask for
        return NotStarted(f"{exc.strerror}: {cwd if exc.filename == cwd else argv[0]}")
    except ValueError as exc:
        return NotStarted(str(exc))
    if not limiting and sys.platform == "linux":
        for name, most in caps.items():
            with suppress(OSError):  # the program may have ended already
                resource.prlimit(child.pid, getattr(resource, f"RLIMIT_{name}"), (most, most))
    return child


def build_limiting_words(limits: ProgramLimits, **more: int) -> list[str]:
    """Return the words before a command that make the kernel limit it; none without `prlimit`."""
    return _build_prlimit({**_choose_kernel_limits(limits), **more})


def _build_prlimit(caps: Mapping[str, int]) -> list[str]:
    program = find_system_program("prlimit") if caps else None
    options = [f"--{name.lower()}={most}" for name, most in caps.items()]
    return [program, *options, "--"] if program else []


def _choose_kernel_limits(limits: ProgramLimits) -> dict[str, int]:
    """Return the limits that the kernel enforces; none is above our own."""
    wanted = {"DATA": limits.memory_mb * MB, "FSIZE": limits.file_mb * MB, "CORE": 0}
    for name, most in wanted.items():
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
        if hard != resource.RLIM_INFINITY:
            wanted[name] = min(most, hard)
    return wanted


def _is_kernel_format(program: str, cwd: str, env: Mapping[str, str]) -> bool:
    """Return whether prlimit can start it as we would; it hands a file that is no program to sh."""
    for path in _list_candidates(program, cwd, env):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            with suppress(OSError), open(path, "rb") as file:
                return file.read(4).startswith((b"#!", b"\x7fELF"))
            return True
    return False


def read_free_mb(path: str) -> int:
    try:
        disk = os.statvfs(path)
    except OSError:  # the program moved or locked its own directory
        return sys.maxsize
    return disk.f_bavail * disk.f_frsize // MB
