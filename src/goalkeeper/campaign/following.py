"""Follows what a session prints: its driver's lines, and between them those of its agents.

A driver says when it starts an agent, and says nothing more before that agent has ended. So what
the agent printed stands between the two lines, whether somebody follows it or comes later.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from goalkeeper.clients.spawn import MOST_LINE
from goalkeeper.system.safe_open import open_plain_file
from goalkeeper.wire.value import Value

_CHUNK = 1 << 16
_MOST_BEFORE = 256 << 10  # so much is shown of what an agent printed before somebody looked
_STARTS = {"exec": "phase", "review": "role"}  # lines that start an agent, and what names its phase
_MEANWHILE = frozenset({"activity"})  # lines that are told while an agent works


class HeardLine(Value):
    """A line that somebody printed; the phase is empty if it was the driver."""

    text: str
    phase: str = ""
    stream: str = ""


class FollowedFile:
    """A file that grows. It stays open, so that nothing is missed when another replaces it."""

    def __init__(self, path: str, most_before: int = 0) -> None:
        """Open a file, or raise OSError; with a limit, only the end of what it has is read."""
        self._path = path
        self._file = open_plain_file(path)
        self._part = bytearray()
        size = os.fstat(self._file.fileno()).st_size
        self._is_cut = bool(most_before) and size > most_before
        if self._is_cut:
            self._file.seek(size - most_before)

    def read_lines(self) -> Iterator[str]:
        """Read the lines that are complete by now."""
        while data := self._file.read(_CHUNK):
            *lines, last = data.split(b"\n")
            for line in lines:
                self._append(line)
                text, self._part = self._part, bytearray()
                if not self._is_cut:
                    yield text.decode(errors="replace")
                self._is_cut = False  # only the first line began before we did
            self._append(last)

    def read_rest(self) -> Iterator[str]:
        """Read to the end; its last line may have no end."""
        yield from self.read_lines()
        text, self._part = self._part, bytearray()
        if text:
            yield text.decode(errors="replace")

    def is_replaced(self) -> bool:
        try:
            there = os.stat(self._path, follow_symlinks=False)
        except OSError:
            return False
        return not os.path.samestat(there, os.fstat(self._file.fileno()))

    def close(self) -> None:
        self._file.close()

    def _append(self, data: bytes) -> None:
        self._part += data[: MOST_LINE - len(self._part)]


class FollowedPhase:
    """What one agent prints, on both of its streams."""

    def __init__(self, folder: str, begins: str) -> None:
        """Take the folder of the phases, and how the names of the files of this one begin."""
        self._folder, self._begins = folder, begins
        self._name = ""
        self._files: dict[str, FollowedFile] = {}

    def read(self, *, to_end: bool) -> Iterator[HeardLine]:
        self._open_files()
        for stream, file in self._files.items():
            for line in file.read_rest() if to_end else file.read_lines():
                yield HeardLine(line, self._name, stream)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files = {}

    def _open_files(self) -> None:
        """Open its files when they are there; of a phase that was repeated, the newest."""
        self._name = self._name or self._find_name()
        for stream in ("out", "err") if self._name else ():
            if stream not in self._files:
                path = os.path.join(self._folder, f"{self._name}.{stream}")
                with suppress(OSError):
                    self._files[stream] = FollowedFile(path, _MOST_BEFORE)

    def _find_name(self) -> str:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return ""
        mine = [each for each in names if each.startswith(self._begins) and each.endswith(".out")]
        return max(mine, key=self._find_age, default="").removesuffix(".out")

    def _find_age(self, name: str) -> float:
        prompt = f"{name.removesuffix('.out')}.md"  # it is written once, before the phase begins
        try:
            return os.stat(os.path.join(self._folder, prompt)).st_mtime
        except OSError:
            return 0.0


class SessionOutput:
    """All that the newest process of a session prints, and those that follow it."""

    def __init__(self, log: str, find_folder: Callable[[], str]) -> None:
        """Take the driver's log, and what finds the folder with the phases of its run."""
        self._path = log
        self._find_folder = find_folder
        self._log: FollowedFile | None = None
        self._folder = ""
        self._phase: FollowedPhase | None = None

    def read(self) -> Iterator[HeardLine]:
        """Read what has come since it was read last."""
        if self._log and self._log.is_replaced():
            yield from self._finish()
        if self._log is None:
            with suppress(OSError):
                self._log = FollowedFile(self._path)
                self._folder = self._find_folder()
        if self._log:
            yield from self._read_log(self._log.read_lines())
        if self._phase:
            yield from self._phase.read(to_end=False)

    def close(self) -> Iterator[HeardLine]:
        """Read what is left, also lines without an end."""
        yield from self.read()
        yield from self._finish()

    def _finish(self) -> Iterator[HeardLine]:
        if self._log:
            yield from self._read_log(self._log.read_rest())
            self._log.close()
        yield from self._end_phase()
        self._log = None

    def _read_log(self, lines: Iterator[str]) -> Iterator[HeardLine]:
        for line in lines:
            told = read_object(line)
            event = str(told.get("event", ""))
            if event not in _MEANWHILE:
                yield from self._end_phase()
            yield HeardLine(line)
            if event in _STARTS:
                names = ("goal_id", "iteration", _STARTS[event], "attempt")
                begins = "".join(f"{told.get(name, '')}-" for name in names)
                self._phase = FollowedPhase(self._folder, begins)

    def _end_phase(self) -> Iterator[HeardLine]:
        if self._phase:
            yield from self._phase.read(to_end=True)
            self._phase.close()
            self._phase = None


def read_object(line: str) -> dict[str, Any]:
    """Return the JSON object that a line is, or an empty one."""
    with suppress(ValueError, RecursionError):
        found = json.loads(line) if line.startswith("{") else None
        if isinstance(found, dict):
            return found
    return {}
