"""Real clients, driven from a brief to a proven end: they lie, tamper, and are interrupted."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.clients import installed
from tests.e2e.hold_desk import until
from tests.e2e.real_clients import CLIENTS, Client, surroundings
from tests.in_process import run_in_process
from tests.patience import patience
from tests.scripted_model.server import Lane, Models, serving
from tests.tables import sampled

ADDING = """Keep it small.

@goal: Adding works
`add` in calc.py adds two numbers.
```contract
criteria:
  - {id: C1, text: numbers are added, check: {command: [python3, -m, unittest, -q, test_calc]}}
```
"""
NOTING = """
@goal: There is a note
NOTES says hello.
```contract
criteria:
  - {id: C1, text: the note says hello, check: {command: [grep, -q, hello, NOTES]}}
  - id: C2
    text: adding still works
    check: {command: [python3, -m, unittest, -q, test_calc]}
    guard: true
depends_on: [G001]
```
"""
TESTS = """import unittest

from calc import add


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
"""
WORKED = "printf 'def add(a, b):\\n    return a + b\\n' > calc.py"
DEADLINE_SECONDS = 120


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with serving() as models:
        yield models


class Desk:
    """A repository, a client, and goalkeeper beside it."""

    def __init__(self, place: Path, client: Client, lane: Lane, program: Path, brief: str) -> None:
        self.root = place / "repository"
        self.root.mkdir(parents=True)
        self.client = client
        self.lane = lane
        self.environ = surroundings(client.name, lane.url, place / "home", program)
        (self.root / "calc.py").write_text("def add(a, b):\n    return a - b\n")
        (self.root / "test_calc.py").write_text(TESTS)
        (self.root / "brief.md").write_text(brief)
        who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
        for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "base")):
            subprocess.run(["git", *who, *words], cwd=self.root, env=self.environ, check=True)

    def start(self, *more: str) -> "subprocess.Popen[bytes]":
        words = [
            "run",
            "--gate",
            "standard",
            "--brief-file",
            "brief.md",
            "--agent",
            self.client.name,
            "--json",
            *more,
        ]
        return subprocess.Popen(
            [sys.executable, "-m", "goalkeeper", *words], cwd=self.root, env=self.environ,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def call(self, *words: str) -> Any:  # noqa: ANN401  a JSON document
        done = run_in_process((*words, "--json"), cwd=self.root, environ=self.environ)
        return json.loads(done.out)

    def entries(self, kind: str) -> list[dict[str, Any]]:
        """What the ledger says so far, read as it grows."""
        found = []
        for ledger in self.root.glob(".goalkeeper/runs/[0-9]*/ledger.jsonl"):
            whole = ledger.read_text().rpartition("\n")[0].splitlines()
            found = [entry for entry in map(json.loads, whole) if entry["kind"] == kind]
        return found

    def kill_when_judged(self, times: int) -> None:
        named = ("--model", self.client.model) if self.client.model else ()
        driver = self.start(*named)
        try:
            until(lambda: len(self.entries("goal_judged")) >= times, driver)
        finally:
            driver.send_signal(signal.SIGKILL)
            driver.communicate()

    def finish(self) -> Any:  # noqa: ANN401  a JSON document
        """Drive to the end: the work is proven, and all of it is recorded."""
        driver = self.start()
        out, err = driver.communicate(timeout=patience(DEADLINE_SECONDS))
        assert driver.returncode == 0, err.decode()
        report = json.loads(out)
        assert report["reason"] == "done"
        assert report["spend"]["input_tokens"] > 0
        assert self.call("ledger", "verify")["ok"]
        return report

    def assert_the_lie_was_seen(self) -> None:
        first, *_ = [entry["data"]["judgement"] for entry in self.entries("goal_judged")]
        assert first["criteria"][0]["verdict"] == "failed"
        assert any(f["rule"].startswith("test-") for f in first["findings"])

    def land(self) -> None:
        assert self.call("land")["ok"]
        assert (self.root / "test_calc.py").read_text() == TESTS


@pytest.mark.parametrize("name", sampled(["codex", "claude"], one_in=2))
def test_a_real_client_is_driven_to_a_proven_end_though_goalkeeper_is_killed(
    name: str, models: Models, tmp_path: Path
) -> None:
    desk = set_up(name, models, tmp_path, ADDING + NOTING, LYING)

    desk.kill_when_judged(1)
    report = desk.finish()

    desk.assert_the_lie_was_seen()
    assert [(g["id"], g["status"], g["iterations"]) for g in report["goals"]] == [
        ("G001", "complete", 2),
        ("G002", "complete", 1),
    ]
    assert_each_phase_was_recorded_once(desk, ("G001", 1), ("G001", 2), ("G002", 1))
    desk.land()
    assert (desk.root / "NOTES").read_text() == "hello\n"


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["gemini", "opencode"])
def test_a_client_that_is_slow_to_start_is_driven_to_a_proven_end(
    name: str, models: Models, tmp_path: Path
) -> None:
    """One iteration: that others, goals and kills follow is the same for all clients."""
    desk = set_up(name, models, tmp_path, ADDING, {r"Goal G001": WORKED})

    report = desk.finish()

    assert [(g["id"], g["status"], g["iterations"]) for g in report["goals"]] == [
        ("G001", "complete", 1)
    ]
    assert_each_phase_was_recorded_once(desk, ("G001", 1))
    desk.land()


# A model that first bends the test, and then does the work: which prompt has it do what.
LYING = {
    r"(?s)Goal G001.*Iteration 2 —": f"git checkout main -- test_calc.py; {WORKED}",
    r"Goal G001": "printf 'import unittest\\n' > test_calc.py",
    r"Goal G002": "echo hello > NOTES",
}


def set_up(name: str, models: Models, place: Path, brief: str, commands: Mapping[str, str]) -> Desk:
    """A client whose model runs one of the commands, and says that all is done."""
    program = installed(name)
    if program is None:
        pytest.skip(f"needs {name}")
    client, lane = CLIENTS[name], models.lane(f"driven-{name}")
    lane.script(
        rules=[
            {"when": {"last": prompt}, "turns": [client.shell(command)]}
            for prompt, command in commands.items()
        ],
        turns=[{"text": "All done, everything passes."}],
        side={"text": "A title"},
    )
    return Desk(place, client, lane, program, brief)


def assert_each_phase_was_recorded_once(desk: Desk, *phases: tuple[str, int]) -> None:
    ended = [entry["data"] for entry in desk.entries("phase_ended")]
    finished = [d for d in ended if d["record"]["ending"] == "ok"]
    names = [(d["goal_id"], d["iteration"]) for d in finished]
    assert names == [*phases]
    sessions = [d["record"].get("session") for d in finished]
    assert len({*sessions}) == len(sessions)
    if desk.client.model:
        assert {d["record"]["model"] for d in finished} == {desk.client.model}
