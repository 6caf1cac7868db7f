"""Starts the processes of sessions. They outlive whoever started them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Protocol

from goalkeeper.system.safe_open import (
    NEW,
    make_folder,
    open_without_links,
    read_plain_file,
    remove_file,
)


class Executor(Protocol):
    """Where sessions are worked on."""

    def start(self, name: str, words: Sequence[str]) -> None:
        """Start a process under a name; one that ran before under it has ended."""

    def is_running(self, name: str) -> bool:
        """Return whether the process that we started under this name runs still."""

    def find_exit(self, name: str) -> int | None:
        """Return how our last process of this name ended; None if we never started one."""

    def read_output(self, name: str) -> str:
        """Return what the last process of this name printed."""

    def interrupt(self, name: str) -> None:
        """Ask it to end, and wait until it has."""


class LocalExecutor:
    """Starts processes on this machine, each in a process group of its own."""

    def __init__(self, logs: str, cwd: str, environ: Mapping[str, str]) -> None:
        self._logs = logs
        self._cwd = cwd
        self._environ = dict(environ)
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, words: Sequence[str]) -> None:
        make_folder(self._logs)
        fds = [self._open_log(name, kind) for kind in ("out", "err")]
        try:
            self._started[name] = subprocess.Popen(
                list(words), cwd=self._cwd, env=self._environ, stdin=subprocess.DEVNULL,
                stdout=fds[0], stderr=fds[1], start_new_session=True,
            )  # fmt: skip
        finally:
            for fd in fds:
                os.close(fd)

    def is_running(self, name: str) -> bool:
        return name in self._started and self._started[name].poll() is None

    def find_exit(self, name: str) -> int | None:
        return self._started[name].poll() if name in self._started else None

    def read_output(self, name: str) -> str:
        return read_plain_file(self._find_log(name, "out")).decode(errors="replace")

    def interrupt(self, name: str) -> None:
        if self.is_running(name):
            self._started[name].send_signal(signal.SIGINT)
            self._started[name].wait()

    def _find_log(self, name: str, kind: str) -> str:
        return os.path.join(self._logs, f"{name}.{kind}")

    def _open_log(self, name: str, kind: str) -> int:
        remove_file(self._find_log(name, kind))
        return open_without_links(self._find_log(name, kind), NEW | os.O_APPEND)
