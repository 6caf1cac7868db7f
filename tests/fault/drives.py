"""A drive that can be killed at any moment, and what must be the same in the end."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from goalkeeper.clients.spawn import MARKER
from tests.patience import patience

BRIEF = """Small things.

@goal: One
Write one.
```contract
criteria:
  - {id: C1, text: one is there, check: {command: [grep, -q, right, one.txt]}}
```

@goal: Two
Write two.
```contract
criteria:
  - {id: C1, text: two is there, check: {command: [grep, -q, right, two.txt]}}
  - {id: C2, text: one stays, check: {command: [grep, -q, right, one.txt]}, guard: true}
depends_on: [G001]
```
"""
USAGE = {"usage": {"input": 100, "output": 10, "cost": 0.25}}
STORY = {
    "G001": {
        "1": [{"write": {"path": "one.txt", "text": "wrong\n"}}, USAGE, {"say": "done"}],
        "2": [{"write": {"path": "one.txt", "text": "right\n"}}, USAGE, {"say": "done"}],
    },
    "G002": {
        "1": [{"say": "nothing to do"}, USAGE],
        "2": [
            {"write": {"path": "two.txt", "text": "right\n"}},
            USAGE,
            {"commit": {"message": "x"}},
        ],
    },
}
RUN = ("run", "--agent", "rehearsal", "--script", "story.json", "--isolation", "checkout")
DEADLINE_SECONDS = 60.0
_POLL_SECONDS = 0.001  # whoever looks all the time takes the processor from those it waits for


class End(NamedTuple):
    """What a drive comes to, whatever happened on the way."""

    goals: tuple[tuple[str, str, int], ...]  # id, status, iterations
    spend: dict[str, Any]
    tree: str
    finished: dict[str, int]  # how often each phase came to its own end


class Driven:
    def __init__(
        self, place: Path, *, brief: str = BRIEF, story: Mapping[str, Any] = STORY
    ) -> None:
        self.root = place / "repository"
        self.root.mkdir(parents=True)
        self._home = place / "home"
        self._home.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        (self.root / "README").write_text("small\n")
        (self.root / "brief.md").write_text(brief)
        (self.root / "story.json").write_text(json.dumps(story))
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message=base")
        self.call("create-goals", "--gate", "standard", "--brief-file", "brief.md")

    def _git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=self._environ, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    @property
    def _environ(self) -> dict[str, str]:
        kept = {n: v for n, v in os.environ.items() if not n.startswith("XDG_")}
        return {**kept, "HOME": str(self._home)}

    def call(self, *words: str) -> Any:  # noqa: ANN401  a JSON document
        done = subprocess.run(
            [sys.executable, "-m", "goalkeeper", *words, "--json"],
            cwd=self.root, env=self._environ, capture_output=True, check=False,
            timeout=patience(120),
        )  # fmt: skip
        assert done.returncode in {0, 1}, done
        return json.loads(done.stdout)

    def start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "goalkeeper", *RUN, "--json"], cwd=self.root,
            env=self._environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    @property
    def ledger(self) -> Path:
        return next(self.root.glob(".goalkeeper/runs/[0-9]*/ledger.jsonl"))

    def lines(self) -> int:
        return self.ledger.read_bytes().count(b"\n")

    def kill_at_line(self, number: int) -> bool:
        """Kill the drive as soon as its ledger has so many lines; whether it lived to see it."""
        driver = self.start()
        deadline = time.monotonic() + patience(DEADLINE_SECONDS)
        while driver.poll() is None and self.lines() < number:
            assert time.monotonic() < deadline
            with suppress(subprocess.TimeoutExpired):
                driver.wait(_POLL_SECONDS)
        return self._kill(driver)

    def kill_after(self, seconds: float) -> bool:
        driver = self.start()
        try:
            driver.wait(seconds)
        except subprocess.TimeoutExpired:
            return self._kill(driver)
        return self._kill(driver)

    def _kill(self, driver: "subprocess.Popen[bytes]") -> bool:
        lived = driver.poll() is None
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        return lived

    def finish(self) -> End:
        """Drive on to the end, undisturbed."""
        driver = self.start()
        out, _ = driver.communicate(timeout=patience(DEADLINE_SECONDS))
        assert driver.returncode == 0, out
        return self.end()

    def end(self) -> End:
        found = self.call("report")
        entries = self.call("ledger", "show")["entries"]
        ended = [e["data"] for e in entries if e["kind"] == "phase_ended"]
        finished = Counter(
            f"{e['goal_id']}/{e['iteration']}/{e['phase']}"
            for e in ended
            if e["record"]["ending"] == "ok"
        )
        self.call("ledger", "verify")
        spend = {
            name: found["spend"][name] for name in ("input_tokens", "output_tokens", "dollars")
        }
        return End(
            tuple((g["id"], g["status"], g["iterations"]) for g in found["goals"]),
            spend,
            self._git("rev-parse", f"{found['branch']}^{{tree}}"),
            dict(finished),
        )

    def left_running(self) -> list[str]:
        """Processes that a drive of this repository started and that still live."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                environ = (place / "environ").read_bytes()
                if MARKER.encode() in environ and str(self._home).encode() in environ:
                    found.append((place / "cmdline").read_text())
            except OSError:
                continue
        return found
