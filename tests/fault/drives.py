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
from tests.doubles.faults import ENVIRON
from tests.fault.forking import Forks
from tests.fault.rig import wait_until
from tests.in_process import run_in_process
from tests.patience import patience
from tests.prepared import prepare

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
_POLL_SECONDS = 0.002  # whoever looks all the time takes the processor from those it waits for


class End(NamedTuple):
    """What a drive comes to, whatever happened on the way."""

    goals: tuple[tuple[str, str, int], ...]  # id, status, iterations
    tree: str
    finished: dict[str, int]  # how often each phase came to its own end
    calls_too_many: list[str]  # phases that began although the work on their goal was done


class Driven:
    def __init__(
        self, place: Path, *, brief: str = BRIEF, story: Mapping[str, Any] = STORY
    ) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self._words = (brief, json.dumps(story))
        self.root = place / "repository"
        self._home = place / "home"
        prepare(place, self._words, self._build)
        self.call("create-goals", "--gate", "standard", "--brief-file", "brief.md")

    def _build(self) -> None:
        self.root.mkdir()
        self._home.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        (self.root / "README").write_text("small\n")
        for name, text in zip(("brief.md", "story.json"), self._words, strict=True):
            (self.root / name).write_text(text)
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message=base")

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
        done = run_in_process((*words, "--json"), cwd=self.root, environ=self._environ)
        assert done.code in {0, 1}, done
        return json.loads(done.out)

    def start(self, *words: str, fault: str = "") -> "subprocess.Popen[bytes]":
        """Start a drive, or another command; with a fault, on a disk that has it."""
        module = ["tests.doubles.faults", fault] if fault else ["goalkeeper"]
        return subprocess.Popen(
            [sys.executable, "-m", *module, *(words or RUN), "--json"], cwd=self.root,
            env={**self._environ, **(ENVIRON if fault else {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    @property
    def ledger(self) -> Path:
        return next(self.root.glob(".goalkeeper/runs/[0-9]*/ledger.jsonl"))

    def lines(self) -> int:
        return self.ledger.read_bytes().count(b"\n")

    def kill_at_line(self, forks: Forks, number: int) -> None:
        """Kill the drive as soon as its ledger has so many lines."""
        driver = forks.start(self.root, self._environ, "", *RUN, "--json")
        deadline = time.monotonic() + patience(DEADLINE_SECONDS)
        ledger = self.ledger
        while ledger.read_bytes().count(b"\n") < number and not forks.has_ended(_POLL_SECONDS):
            assert time.monotonic() < deadline
        with suppress(ProcessLookupError):
            os.kill(driver, signal.SIGKILL)
        forks.end()
        wait_until(lambda: not self.left_running(), "the end of the agent")

    def kill_after(
        self, seconds: float, *words: str, number: signal.Signals = signal.SIGKILL
    ) -> bool:
        """Kill a drive, or another command; whether it lived to see it."""
        process = self.start(*words)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return self._kill(process, number)

    def _kill(
        self, process: "subprocess.Popen[bytes]", number: signal.Signals = signal.SIGKILL
    ) -> bool:
        lived = process.poll() is None
        process.send_signal(number)
        process.communicate(timeout=patience(DEADLINE_SECONDS))
        wait_until(lambda: not self.left_running(), "the end of the agent")
        return lived

    def finish(self) -> End:
        """Drive on to the end, undisturbed."""
        done = run_in_process((*RUN, "--json"), cwd=self.root, environ=self._environ)
        assert done.code == 0, done
        return self.end()

    def end(self) -> End:
        found = self.report()
        entries = self.call("ledger", "show")["entries"]
        ended = [e["data"] for e in entries if e["kind"] == "phase_ended"]
        finished = Counter(
            f"{e['goal_id']}/{e['iteration']}/{e['phase']}"
            for e in ended
            if e["record"]["ending"] == "ok"
        )
        self.call("ledger", "verify")
        return End(
            tuple((g["id"], g["status"], g["iterations"]) for g in found["goals"]),
            self._find_work(found["branch"]),
            dict(finished),
            _find_calls_too_many(entries),
        )

    def _find_work(self, branch: str) -> str:
        """Return the tree of the branch, or of what has landed: then the branch may be gone."""
        kept = self._git("for-each-ref", "--format=%(refname)", f"refs/heads/{branch}")
        return self._git("rev-parse", f"{kept or 'HEAD'}^{{tree}}")

    def report(self) -> Any:  # noqa: ANN401  a JSON document
        return self.call("report")

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


def _find_calls_too_many(entries: list[Any]) -> list[str]:
    """Find phases that began after a phase of the same goal had left the tree that was proven."""
    proven = {
        entry["data"]["goal_id"]: entry["data"]["judgement"]["tree"]
        for entry in entries
        if entry["kind"] == "goal_completed"
    }
    done: set[str] = set()
    found = []
    for entry in entries:
        told = entry["data"]
        if entry["kind"] == "phase_began" and told["running"]["goal_id"] in done:
            found.append(f"{told['running']['goal_id']}/{told['running']['attempt']}")
        ends = entry["kind"] == "phase_ended" and told["record"]["ending"] != "interrupted"
        if ends and told["tree"] == proven.get(told["goal_id"]):
            done.add(told["goal_id"])
    return found
