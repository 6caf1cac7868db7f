"""Finds and ends the processes that programs leave behind.

We are a subreaper: a process below us that loses its parent becomes our child, so none escapes by
forking twice. An orphan belongs to a run if it is in the session that the run began, if it has the
run's marker in its environment, or if it descends from such a process. An orphan that belongs to no
run and is outside of our own session is a stray.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import FrameType

from goalkeeper.system.procfs import (
    Process,
    list_children,
    list_processes,
    read_environment,
    read_process,
)

DEATH_SECONDS = 5.0  # a killed process may take this long to be gone

_SUBREAPER = 36
_POLL_SECONDS = 0.005  # it is used only where the kernel has no pidfd
_REQUESTS = (signal.SIGTERM, signal.SIGHUP)
_AT_ONCE = 256  # we wait for so many processes; each one takes a file descriptor

lock = threading.Lock()  # held while a program starts or is reaped, and while strays are listed
running: dict[int, bytes] = {}  # the marker of each run in progress
helpers: set[int] = set()  # children of ours that go on running in our session; they are no strays


@cache
def become_subreaper() -> None:
    """Make this process inherit orphans from now on, and end none too early."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    for number in _REQUESTS:
        # Whoever ignores a signal, such as nohup, wants it ignored; only this thread may ask.
        if threading.current_thread() is threading.main_thread() and (
            signal.getsignal(number) is signal.SIG_DFL
        ):
            signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """End as at Ctrl-C: programs that we started are ended, and how far we came is recorded."""
    for each in _REQUESTS:  # `timeout` sends each twice, and the second would cut that short
        signal.signal(each, lambda *_: None)
    raise KeyboardInterrupt(number)


def end_strays() -> None:
    """Kill and reap every orphan that we inherited and that belongs to no run in progress.

    A program that other code starts from this process is safe as long as it stays in our session.
    """
    _kill_chosen(_is_stray)


def reap_dead_orphans() -> None:
    """Reap the dead processes that we inherited, while other programs run."""
    _kill_chosen(lambda process: process.dead and _is_stray(process))


def end_runs() -> None:
    """Kill every run in progress; each one returns Signalled to its caller."""
    with lock:
        for pid in running:
            signal_group(pid, signal.SIGKILL)


def end_family(pid: int, marker: bytes) -> None:
    """End what a program left behind, and all strays that belong to no other run."""
    with lock:  # an interrupt during the start leaves a program that nobody waits for
        for lost in [other for other, its in running.items() if its == marker]:
            del running[lost]

    def is_kin(process: Process) -> bool:
        if pid and process.session == pid:  # 0 is our own session, if it began outside a container
            return pid not in running  # otherwise a newer run has the same number
        alone = process.dead or not running  # it belongs to no other run
        return (alone and _is_stray(process)) or marker in read_environment(process.pid)

    _kill_chosen(is_kin)


def signal_group(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def is_dead(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def open_pidfd(pid: int) -> int | None:
    """Return a handle that never comes to mean another process; None if the kernel has none."""
    if sys.platform == "linux":
        with suppress(OSError):
            return os.pidfd_open(pid)
    return None


def ends_within(pid: int, seconds: float) -> bool:
    """Return whether a child of ours ends within this time. It is not reaped."""
    pidfd = open_pidfd(pid)
    if pidfd is not None:
        try:
            return wait_for_pidfd(pidfd, seconds)
        finally:
            os.close(pidfd)
    deadline = time.monotonic() + seconds
    while not (dead := is_dead(pid)) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return dead


def wait_for_pidfd(pidfd: int, seconds: float) -> bool:
    """Return whether the process ends within this time."""
    poll = select.poll()  # select.select fails if more than 1024 files are open
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def _is_stray(process: Process) -> bool:
    if process.parent != os.getpid() or process.session in {os.getsid(0), *running}:
        return False
    variables = read_environment(process.pid)
    return not any(marker in variables for marker in running.values())


def _kill_chosen(chosen: Callable[[Process], bool]) -> None:
    """Kill and reap all that are chosen, with their descendants, until none is left."""
    deadline = time.monotonic() + DEATH_SECONDS
    while time.monotonic() < deadline:
        with lock:  # no program may start while we look which processes are ours
            picked = [] if _is_childless() else _pick_processes(chosen)
            victims = [(v, None if v.dead else open_pidfd(v.pid)) for v in picked[:_AT_ONCE]]
        if not victims:
            break
        for victim, pidfd in victims:
            with suppress(OSError):
                if pidfd is not None:
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                elif not victim.dead:
                    os.kill(victim.pid, signal.SIGKILL)
        for victim, pidfd in victims:
            _reap_process(victim, pidfd, deadline)


def _pick_processes(chosen: Callable[[Process], bool]) -> list[Process]:
    """Return those that are chosen, with all that descends from them."""
    us = os.getpid()
    is_told = os.path.exists("/proc/thread-self/children")
    list_below = list_children if is_told else _read_table()
    picked: list[Process] = []
    ahead = [(pid, False) for pid in list_below(us)]
    while ahead:
        pid, inherited = ahead.pop()
        process = None if pid in running else read_process(pid)
        if process is None:
            continue
        mine = inherited or chosen(process)
        if mine and not (process.dead and process.parent != us):
            picked.append(process)
        ahead += [(child, mine) for child in list_below(pid)]
    return picked


def _read_table() -> Callable[[int], set[int]]:
    """Return what lists children where the kernel does not; it reads of every process."""
    below: dict[int, set[int]] = {}
    for process in list_processes():
        below.setdefault(process.parent, set()).add(process.pid)
    return lambda pid: below.get(pid, set())


def _is_childless() -> bool:
    """Return whether we have no child processes.

    An orphan cannot be missed: its dead parent is our child until we reap it.
    """
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


def _reap_process(victim: Process, pidfd: int | None, deadline: float) -> None:
    """Wait until the process is dead, then reap it if it is our child."""
    if pidfd is not None:
        wait_for_pidfd(pidfd, deadline - time.monotonic())
        os.close(pidfd)
    with lock, suppress(ChildProcessError):
        if victim.pid not in running:
            os.waitpid(victim.pid, os.WNOHANG)
