"""Starts the processes of sessions. They outlive whoever started them, and are found again."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO, Protocol

from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.procfs import read_start_time, read_words
from goalkeeper.system.safe_open import (
    NEW,
    make_folder,
    open_without_links,
    read_plain_file,
    remove_file,
    replace_file,
)

_POLL_SECONDS = 0.02
_END = signal.SIGTERM  # shells let what they start in the background ignore SIGINT


class Executor(Protocol):
    """Where sessions are worked on."""

    def start(self, name: str, words: Sequence[str], *, answers: bool = False) -> None:
        """Start a process under a name; one that ran before under it has ended.

        The answer of one that answers is for us alone: nobody else can write it.
        """

    def is_running(self, name: str) -> bool:
        """Return whether the last process of this name runs still, whoever started it."""

    def take_exit(self, name: str) -> int | None:
        """Return once how a process of ours ended; None if we know of no end that is new."""

    def read_output(self, name: str) -> str:
        """Return what the last process of this name printed."""

    def take_answer(self, name: str) -> str:
        """Return once what a process of ours answered; nothing if another one started it."""

    def interrupt(self, name: str) -> None:
        """Ask it to end, and wait until it has."""

    def interrupt_all(self) -> None:
        """Ask all to end that were started or found here, and wait; no record is needed for it."""


class LocalExecutor:
    """Starts processes on this machine, each in a process group of its own."""

    def __init__(self, logs: str, cwd: str, environ: Mapping[str, str]) -> None:
        self._logs = logs
        self._cwd = cwd
        self._environ = dict(environ)
        self._started: dict[str, subprocess.Popen[bytes]] = {}
        self._orphans: dict[str, tuple[int, str]] = {}  # what others started: pid, and when born
        self._answers: dict[str, BinaryIO] = {}

    def start(self, name: str, words: Sequence[str], *, answers: bool = False) -> None:
        with disk_errors("start a process with its output in", self._logs):
            make_folder(self._logs)
            fds = [self._open_log(name, kind) for kind in ("out", "err")]
            if answers:
                self._answers[name] = tempfile.TemporaryFile()  # noqa: SIM115  until it is taken
            try:
                process = subprocess.Popen(
                    list(words), cwd=self._cwd, env=self._environ, stdin=subprocess.DEVNULL,
                    stdout=self._answers[name] if answers else fds[0], stderr=fds[1],
                    start_new_session=True,
                )  # fmt: skip
            finally:
                for fd in fds:
                    os.close(fd)
            self._started[name] = process  # if we cannot write down its name, we still end it
            told = f"{process.pid}\n{read_start_time(process.pid)}\n"
            replace_file(self._find_log(name, "pid"), told.encode())

    def is_running(self, name: str) -> bool:
        if name in self._started:
            return self._started[name].poll() is None
        return self._find_orphan(name) != 0

    def take_exit(self, name: str) -> int | None:
        if name not in self._started or self._started[name].poll() is None:
            return None
        return self._started.pop(name).returncode

    def read_output(self, name: str) -> str:
        return read_plain_file(self._find_log(name, "out")).decode(errors="replace")

    def take_answer(self, name: str) -> str:
        file = self._answers.pop(name, None)
        if file is None:
            return ""
        with file:
            file.seek(0)
            return file.read().decode(errors="replace")

    def interrupt(self, name: str) -> None:
        orphan = self._find_orphan(name)
        if name in self._started:
            self._started[name].send_signal(_END)  # it does nothing to one that has ended
            self._started[name].wait()
        elif orphan:
            pid, born = self._orphans[name]
            _end_orphan(pid, born)
            _wait_for_orphan(pid, born)

    def interrupt_all(self) -> None:
        for process in self._started.values():
            process.send_signal(_END)
        for pid, born in self._orphans.values():
            _end_orphan(pid, born)
        for process in self._started.values():
            process.wait()
        for pid, born in self._orphans.values():
            _wait_for_orphan(pid, born)

    def _find_orphan(self, name: str) -> int:
        """Find the process that somebody before us started under this name; 0 if it is gone."""
        told = read_plain_file(self._find_log(name, "pid")).decode(errors="replace").split()
        if len(told) != len(("pid", "born")) or not told[0].isdecimal():
            return 0
        pid = int(told[0])
        # Anybody may have written this file.
        is_ours = read_start_time(pid) == told[1] and b"goalkeeper" in read_words(pid)
        if is_ours:
            self._orphans[name] = pid, told[1]
        return pid if is_ours else 0

    def _find_log(self, name: str, kind: str) -> str:
        return os.path.join(self._logs, f"{name}.{kind}")

    def _open_log(self, name: str, kind: str) -> int:
        remove_file(self._find_log(name, kind))
        return open_without_links(self._find_log(name, kind), NEW | os.O_APPEND)


def _end_orphan(pid: int, born: str) -> None:
    if read_start_time(pid) == born:
        with suppress(ProcessLookupError):
            os.kill(pid, _END)


def _wait_for_orphan(pid: int, born: str) -> None:
    while read_start_time(pid) == born:
        time.sleep(_POLL_SECONDS)
