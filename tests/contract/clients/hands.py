"""Real agents' processes: started, followed and ended as the loop does it."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from goalkeeper.clients import spawn
from goalkeeper.clients.client import Launch
from goalkeeper.clients.spawn import Spawned, Traces

SH = ("sh", "-c")


def never(size: int) -> bool:
    return False


class Hand:
    """Starts one agent at a time, in a folder of its own."""

    def __init__(self, place: Path, marker: str = "") -> None:
        self.place = place
        self.marker = marker or os.urandom(8).hex()
        self.traces = Traces.at(str(place / "trace"))
        self.heard: list[bytes] = []
        self._prompt = place / "prompt.md"

    def start(
        self, *argv: str, prompt: bytes = b"", env: Mapping[str, str] | None = None
    ) -> Spawned:
        self._prompt.write_bytes(prompt)
        launch = Launch(argv, {"PATH": os.environ["PATH"]} if env is None else env)
        return spawn.start(
            launch, cwd=str(self.place), prompt_file=str(self._prompt), traces=self.traces,
            marker=self.marker,
        )  # fmt: skip

    def follow(self, spawned: Spawned, over: Callable[[int], bool] = never) -> bool:
        return spawn.follow(spawned, self.traces, hear=self.heard.append, over=over)

    def end(self, spawned: Spawned, grace: float = 0) -> None:
        spawn.end(spawned.pid, self.marker, grace=grace)

    def run(self, *argv: str, prompt: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """To its end; what it printed."""
        spawned = self.start(*argv, prompt=prompt, env=env)
        try:
            assert self.follow(spawned)
        finally:
            self.end(spawned)
        return Path(self.traces.out).read_bytes()

    def python(self, code: str, *args: str) -> Spawned:
        return self.start(sys.executable, "-c", code, *args)
