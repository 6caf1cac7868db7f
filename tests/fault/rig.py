"""A repository to do harm to, and what can be seen of it from outside."""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from goalkeeper.app.ports import Clock
from goalkeeper.bootstrap import LOCK_TIMEOUT, World, now
from goalkeeper.cli.main import main
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.lock import find_holder
from goalkeeper.storage.places import State
from goalkeeper.storage.run import FileRun
from goalkeeper.storage.runs import Runs
from goalkeeper.wire import layout
from tests.doubles.faults import ENVIRON, Fault, FaultyDisk
from tests.patience import patience

BRIEF = "Keep it small.\n@goal: One\nDo one.\n@goal: Two\nDo two.\n@goal: Three\nDo three.\n"
WHY = ("--evidence", "seen in import.log", "--rationale", "it decides the rest")
SESSION = "GOALKEEPER_SESSION"
DEADLINE_SECONDS = 30.0
_POLL_SECONDS = 0.001  # whoever looks all the time takes the processor from those it waits for

Argv = tuple[str, ...]


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = self.data["error"]
        return found


class Repo:
    def __init__(self, root: Path, *, session: str = "") -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        self.state = root / ".goalkeeper"
        self._env = {SESSION: session} if session else {}

    @property
    def environ(self) -> dict[str, str]:
        return {LOCK_TIMEOUT: str(patience(10)), **os.environ, **self._env}

    def call(self, *argv: str, disk: Disk | None = None, clock: Clock = now) -> Result:
        """Run the command line in this process: quick, for what needs no process of its own."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        world = World(self.environ, str(self.root), io.BytesIO(), out, err, clock=clock)
        code = main([*argv], world.replace(disk=disk or Disk()))
        for stream in (out, err):
            stream.seek(0)
        return Result(code, out.read(), err.read())

    def did(self, *argv: str) -> Result:
        """Run a command that must succeed, in this process."""
        result = self.call(*argv)
        assert result.code == 0, (argv, result)
        return result

    def run(self, *argv: str, **environ: str) -> Result:
        """Run the command line as a process."""
        return finished(self.start("goalkeeper", *argv, **environ))

    def faulty(self, where: str, *argv: str) -> Result:
        """Run the command line as a process that meets a fault: `append:half@1`."""
        return finished(self.start("tests.doubles.faults", where, *argv))

    def start(self, module: str, *argv: str, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", module, *argv],
            cwd=self.root,
            env={**self.environ, **ENVIRON, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def reached(self, *argv: str) -> list[str]:
        """Run a command; the write points it came by, in order."""
        fault = Fault()
        self.call(*argv, disk=FaultyDisk(fault))
        return fault.reached

    def files(self) -> dict[str, bytes]:
        """Every file of the state directory; a directory is a name that ends with a slash."""
        found = {
            str(path.relative_to(self.state)): path.read_bytes()
            for path in self.state.rglob("*")
            if path.is_file()
        }
        folders = [p for p in self.state.rglob("*") if p.is_dir()]
        return found | {f"{path.relative_to(self.state)}/": b"" for path in folders}

    def ledgers(self) -> dict[str, Path]:
        """Every ledger, oldest run first: `runs/<id>` or `archive/<id>`."""
        found = [path.parent for path in self.state.glob("[ra]*/[0-9]*/ledger.jsonl")]
        ordered = sorted(found, key=lambda run: run.name)
        return {str(run.relative_to(self.state)): run / "ledger.jsonl" for run in ordered}

    @property
    def here(self) -> Path:
        """The folder of the only run."""
        (ledger,) = self.state.glob("runs/[0-9]*/ledger.jsonl")
        return ledger.parent

    @property
    def ledger(self) -> Path:
        return self.here / "ledger.jsonl"

    @property
    def goals(self) -> Path:
        return self.here / "goals.json"

    @property
    def seen(self) -> Path:
        return self.state / "cache" / self.here.name

    def kinds(self) -> list[str]:
        return [line["kind"] for line in lines(self.ledger)]

    @property
    def runs(self) -> Runs:
        state = State(str(self.root), layout.state_home(self.environ))
        return Runs(state, Disk(), timeout_seconds=patience(DEADLINE_SECONDS))

    def file_run(self, run_id: str = "") -> FileRun:
        return self.runs.named(run_id or self.here.name)


class Tail:
    """The last command of a ledger, to be torn at will."""

    def __init__(self, repo: Repo, *argv: str) -> None:
        followers = (repo.goals, repo.seen)
        self._ledger = repo.ledger
        self._sound = repo.ledger.read_bytes()
        self._lagging = {path: path.read_bytes() for path in followers}
        repo.did(*argv)
        self.bytes = repo.ledger.read_bytes()[len(self._sound) :]

    def cut(self, length: int) -> bytes:
        """Leave only so many bytes of it, and the projections as they were before it."""
        self._ledger.write_bytes(self._sound + self.bytes[:length])
        for path, data in self._lagging.items():
            path.write_bytes(data)
        return self.bytes[:length]


def planned(root: Path, *commands: Argv, session: str = "") -> Repo:
    """A repository with a plan of three goals, after these commands."""
    repo = Repo(root, session=session)
    repo.did("create-goals", "--gate", "standard", "--brief", BRIEF)
    for command in commands:
        repo.did(*command)
    return repo


def lines(ledger: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ledger.read_bytes().splitlines()]


def finished(process: subprocess.Popen[str]) -> Result:
    out, err = process.communicate(timeout=patience(DEADLINE_SECONDS))
    return Result(process.returncode, out, err)


def wait_until(true: Callable[[], bool], what: str) -> None:
    """Look again and again, at most until the deadline."""
    deadline = time.monotonic() + patience(DEADLINE_SECONDS)
    while not true():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(_POLL_SECONDS)


def is_holding(process: subprocess.Popen[str], *locks: Path) -> bool:
    """Whether the process has signed one of the locks."""
    holders = [find_holder(str(lock)) for lock in locks]
    return any(holder is not None and holder.pid == process.pid for holder in holders)


@contextmanager
def stopped(repo: Repo, where: str, *argv: str) -> Iterator[subprocess.Popen[str]]:
    """A command that stands still at a write point; it goes on or dies with the block."""
    process = repo.start("tests.doubles.faults", f"{where},stop", *argv)
    try:
        wait_until(lambda: _has_stopped(process.pid), f"{argv} to reach {where}")
        yield process
    finally:
        process.kill()
        process.communicate(timeout=patience(DEADLINE_SECONDS))


def _has_stopped(pid: int) -> bool:
    look = os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT
    change = os.waitid(os.P_PID, pid, look)
    assert change is None or change.si_code == os.CLD_STOPPED, "it ended before it was stopped"
    return change is not None


def without(mapping: Mapping[str, bytes], *ends: str) -> dict[str, bytes]:
    """The files whose names do not end so."""
    return {name: data for name, data in mapping.items() if not name.endswith(ends)}
