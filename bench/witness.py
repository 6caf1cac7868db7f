"""What a proof costs: a big tree, many checks, nothing changed, two cores."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.timing import median, table

FILES = 20_000
CHECKS = 200
_BUSY = "import time\nwhile time.process_time() < 0.05: pass"
_CHECKS_OF_50_MS = {
    "waiting": "sleep 0.05",
    "computing": f"{os.path.realpath(sys.executable)} -ISc '{_BUSY}'",
}


class Project:
    """A repository with a plan whose contract is frozen, and the command in it."""

    def __init__(
        self,
        place: Path,
        goalkeeper: str,
        files: int,
        criteria: list[str],
        gate: str = "standard",
        *,
        brief: bool = True,
        first_on_path: Path | None = None,
    ) -> None:
        own = [str(first_on_path)] if first_on_path else []
        self.path = os.pathsep.join([*own, os.environ["PATH"]])
        self.root = place / "repository"
        self.home = place / "home"
        self.home.mkdir(parents=True)
        self.goalkeeper = goalkeeper
        _grow(self.root, files)
        if brief:
            self.plan(criteria, gate)

    def plan(self, criteria: list[str], gate: str = "standard") -> None:
        fence = "\n".join(["criteria:", *criteria])
        brief = f"@goal: Bench\nMake it true.\n```contract\n{fence}\n```\n"
        self.call("create-goals", "--gate", gate, "--brief", brief)
        self.call("complete-goals")
        self.call("contract", "freeze", "--goal-id", "G001")

    def commit(self) -> None:
        _git(self.root, "add", "--all")
        _git(self.root, "commit", "--quiet", "--message=more")

    def call(self, *words: str, codes: tuple[int, ...] = (0,), path: str = "") -> float:
        env = {**self.environ, "PATH": path or self.path}
        start = time.perf_counter()
        done = subprocess.run(
            [self.goalkeeper, *words, "--json"], cwd=self.root, env=env, capture_output=True,
            check=False,
        )  # fmt: skip
        taken = time.perf_counter() - start
        if done.returncode not in codes:
            raise RuntimeError(f"{words}: {done.stdout.decode()} {done.stderr.decode()}")
        return taken

    def judge(self, *words: str) -> float:
        return self.call("judge", *words)

    @property
    def environ(self) -> dict[str, str]:
        return {"PATH": self.path, "HOME": str(self.home), "LANG": "C.UTF-8"}

    @property
    def slots(self) -> Path:
        (found,) = (self.home / ".cache/goalkeeper/witness").glob("*/slots")
        return found


def _grow(root: Path, files: int) -> None:
    for number in range(files):
        folder = root / f"src/part{number % 200:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module{number}.py").write_text(f"VALUE = {number}\n" * 20)
    _git(root, "init", "--quiet")
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "--message=base")


def _git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


def _met(root: Path) -> None:
    (root / "done").write_text("yes\n")


def criterion(number: int, argv: list[str], paths: str = "") -> str:
    check = json.dumps({"command": argv})
    more = f", paths: [{paths}]" if paths else ""
    return f"  - {{id: C{number}, text: fact {number}, check: {check}{more}}}"


def big_tree(work: Path, goalkeeper: str, *, rounds: int) -> str:
    """A proof against `git worktree add` of the same tree, cold and warm."""
    project = Project(work / "big", goalkeeper, FILES, [criterion(1, ["test", "-f", "done"])])
    _met(project.root)
    linked = work / "linked"
    peers, cold, warm = [], [], []
    for number in range(rounds):
        peers.append(timed(lambda: _git(project.root, "worktree", "add", "--detach", str(linked))))
        _git(project.root, "worktree", "remove", "--force", str(linked))
        shutil.rmtree(project.slots)
        cold.append(project.judge("--no-cache"))
        (project.root / "src/part000/module0.py").write_text(f"VALUE = {number}\n")
        warm.append(project.judge("--no-cache"))
    peer = median(peers)
    rows = [
        ["git worktree add", f"{peer:.2f}", "1.00×"],
        ["first proof", f"{median(cold):.2f}", f"{median(cold) / peer:.2f}×"],
        ["next proof, a file changed", f"{median(warm):.2f}", f"{median(warm) / peer:.2f}×"],
    ]
    return table([f"{FILES:,} files", "seconds", "of git worktree add"], rows)


def timed(act: Callable[[], None]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def overhead(work: Path, goalkeeper: str, *, rounds: int) -> str:
    """One core, so that what the witness adds is not hidden behind another check.

    The time of the processor says more where the machine is busy with other work.
    """
    bare = _take_medians([_measured(lambda: _bare(["test", "-d", "src"])) for _ in range(200)])
    rows = [["bare command", *(f"{each * 1000:.1f}" for each in bare), ""]]
    for level in ("checkout", "sandbox"):
        few, many = (
            Project(work / f"{level}{count}", goalkeeper, 20,
                    [criterion(n, ["test", "-f", "done"]) for n in range(count)])
            for count in (1, 101)
        )  # fmt: skip
        _met(few.root)
        _met(many.root)
        turns = [[_measured(partial(_judge_on_one_core, project, level)) for project in (few, many)]
                 for _ in range(rounds)]  # fmt: skip
        first, last = (_take_medians([*each]) for each in zip(*turns, strict=True))
        added = [(a - b) / 100 - alone for a, b, alone in zip(last, first, bare, strict=True)]
        shown = [f"{each * 1000:.1f}" for each in added]
        rows.append([f"{level}: added by the witness", *shown, "limit 15 ms"])
    return table(["per check", "ms", "ms of a processor", ""], rows)


def _bare(argv: list[str]) -> None:
    subprocess.run(argv, check=False, cwd="/")


def _judge_on_one_core(project: Project, level: str) -> None:
    argv = ["taskset", "-c", "0", project.goalkeeper, "judge", "--no-cache", "--isolation", level]
    subprocess.run([*argv, "--json"], cwd=project.root, env=project.environ, check=True,
                   capture_output=True)  # fmt: skip


def _measured(act: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds on the clock, and those of the processor in all that was started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = timed(act)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _take_medians(taken: list[tuple[float, float]]) -> list[float]:
    return [median([*each]) for each in zip(*taken, strict=True)]


def many_checks(work: Path, goalkeeper: str, *, rounds: int) -> str:
    """Two hundred checks of 50 ms, which wait or compute; and again with nothing changed."""
    rows = []
    for name, program in _CHECKS_OF_50_MS.items():
        argv = ["sh", "-c", f"{program}; test -f done"]
        criteria = [criterion(n, argv, "src/**, done") for n in range(CHECKS)]
        project = Project(work / name, goalkeeper, 20, criteria)
        _met(project.root)
        rows += _judged(name, argv, project, rounds)
    return table([f"{CHECKS} checks of 50 ms", "seconds", ""], rows)


def _judged(name: str, argv: list[str], project: Project, rounds: int) -> list[list[str]]:
    cores = len(os.sched_getaffinity(0))
    ideal = CHECKS * median([timed(partial(_bare, argv)) for _ in range(20)]) / cores
    rows = [[f"{name}: ideal on {cores} cores", f"{ideal:.2f}", "1.00×"]]
    for level in ("checkout", "sandbox"):
        words = ("--isolation", level)
        each = [project.judge("--no-cache", *words) for _ in range(max(rounds // 3, 1))]
        fresh = median(each)
        rows.append([f"{name}: {level}", f"{fresh:.2f}", f"{fresh / ideal:.2f}× of ideal"])
        project.judge(*words)
        again = median([project.judge(*words) for _ in range(rounds)])
        part = f"{100 * again / fresh:.1f} % of fresh"
        rows.append([f"{name}: {level}, nothing changed", f"{again:.2f}", part])
    return rows
