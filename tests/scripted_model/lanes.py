"""What each lane answers next, and what all of them received. Safe to use from many threads."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping
from typing import Any

from goalkeeper.storage.disk import Disk
from goalkeeper.wire.value import Value
from tests.scripted_model.pick import Counts, pick
from tests.scripted_model.request import Request
from tests.scripted_model.script import Script, Turn


class Arrival(Value):
    """A request as it came in, without its keys."""

    at: float
    lane: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class Entry(Value):
    number: int
    arrival: Arrival
    why: str  # where the answer stands in the script, or what was made of the request
    request: Request | None = None

    def plain(self) -> dict[str, Any]:
        told = {"number": self.number, **self.arrival.as_dict(), "why": self.why}
        if (asked := self.request) is None:
            return told
        names = ("api", "model", "stream", "tools", "last")
        return told | {"request": {name: getattr(asked, name) for name in names}}


class Lanes:
    def __init__(self, default: Script, log_dir: str = "") -> None:
        self._default = default
        self._log_dir = log_dir
        self._lock = threading.Lock()
        self._scripts: dict[str, Script] = {}
        self._counts: dict[str, Counts] = {}
        self._entries: list[Entry] = []

    def load(self, lane: str, script: Script) -> None:
        """From the beginning, whatever was answered before."""
        with self._lock:
            self._scripts[lane] = script
            self._counts[lane] = Counts()

    def answer(self, arrival: Arrival, request: Request) -> Turn:
        lane = arrival.lane
        with self._lock:
            script = self._scripts.get(lane, self._default)
            picked = pick(script, self._counts.get(lane, Counts()), request)
            self._counts[lane] = picked.counts
            entry = self._append(arrival, picked.why, request)
        self._write(entry)
        return picked.turn

    def note(self, arrival: Arrival, why: str) -> None:
        with self._lock:
            entry = self._append(arrival, why)
        self._write(entry)

    def entries(self, lane: str = "") -> list[Entry]:
        """Of one lane; of all when none is named."""
        with self._lock:
            return [entry for entry in self._entries if lane in {"", entry.arrival.lane}]

    def _append(self, arrival: Arrival, why: str, request: Request | None = None) -> Entry:
        entry = Entry(len(self._entries), arrival, why, request)
        self._entries.append(entry)
        return entry

    def _write(self, entry: Entry) -> None:
        if not self._log_dir:
            return
        asked = re.sub(r"\W+", "-", entry.arrival.path.partition("?")[0])[:60].strip("-")
        name = f"{entry.number:04d}-{entry.arrival.method}-{asked}.json"
        path = os.path.join(self._log_dir, name)
        Disk().replace(path, json.dumps(entry.plain(), indent=1).encode())
