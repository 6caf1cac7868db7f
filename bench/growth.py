"""Does a command cost more when the history is long, and does the disk fill up?"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from bench import plans
from bench.timing import ROUND, measure, median, table
from bench.witness import Project
from goalkeeper.witness.garbage import measure_folder

GOALS = 100


def growth(work: Path, goalkeeper: str, *, sizes: tuple[int, ...], rounds: int) -> str:
    cases: dict[str, list[str]] = {}
    places: dict[str, Path] = {}
    for size in sizes:
        print(f"  making a ledger of {size:,} events …", file=sys.stderr)
        place = work / f"events-{size}"
        plans.make(place, goals=GOALS, ledger_events=size)
        for name, argv in commands(goalkeeper).items():
            cases[f"{name} {size}"] = argv
            places[f"{name} {size}"] = place
    seconds = measure(cases, rounds=rounds, cwd=places)
    rows = [_row(name, sizes, seconds) for name in commands(goalkeeper)]
    return table(["command", *(f"{size:,} events" for size in sizes), "growth"], rows)


def commands(goalkeeper: str) -> dict[str, list[str]]:
    note = ["--evidence", "bench", "--rationale", "bench"]
    return {
        "status --json": [goalkeeper, "status", "--json"],
        "ledger show --last 20": [goalkeeper, "ledger", "show", "--last", "20"],
        "steer": [goalkeeper, "steer", "--kind", "revise_pending_wording", "--goal-id", "G100",
                  "--title", f"Title {ROUND}", *note, "--json"],
    }  # fmt: skip


def _row(name: str, sizes: tuple[int, ...], seconds: dict[str, list[float]]) -> list[str]:
    medians = [median(seconds[f"{name} {size}"]) for size in sizes]
    cells = [f"{1000 * value:.1f} ms" for value in medians]
    return [name, *cells, f"{medians[-1] / medians[0]:.2f}×"]


def memory(work: Path, goalkeeper: str, *, events: int) -> str:
    """What reading a long ledger takes, all of it or its end."""
    place = work / f"memory-{events}"
    plans.make(place, goals=GOALS, ledger_events=events)
    cases = {
        "ledger show --last 20": ("ledger", "show", "--last", "20"),
        "ledger show --json": ("ledger", "show", "--json"),
        "ledger verify": ("ledger", "verify"),
    }
    rows = [[name, *_measure_memory([goalkeeper, *words], place)] for name, words in cases.items()]
    return table([f"{events:,} events", "seconds", "MB"], rows)


def _measure_memory(argv: list[str], place: Path) -> list[str]:
    """Run a command in a child of its own, because the kernel adds up all children of a process."""
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        code = subprocess.call(argv, cwd=place, stdout=subprocess.DEVNULL)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        os._exit(255 if code else min(used >> 10, 254))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [f"{time.perf_counter() - start:.2f}", str(status)]


def runs(work: Path, goalkeeper: str, *, runs: int = 100, judgements: int = 10) -> str:
    """Make runs one after another, each judged often and completed, with `clean` by itself."""
    project = Project(work / "runs", goalkeeper, 200, [], brief=False)
    keep = "version = 1\n[keep]\ndays = 0\nmegabytes = 64\n"
    (project.root / ".goalkeeper").mkdir()
    (project.root / ".goalkeeper/config.toml").write_text(keep)
    rows = []
    for number in range(1, runs + 1):
        seconds = _play_run(project, number, judgements)
        if number in {1, 2, *range(runs // 4, runs + 1, runs // 4)}:
            rows.append([str(number), str(number * judgements), *_describe(project, seconds)])
    return table(["runs", "judgements", "state", "trees", "cache", "s a judgement"], rows)


def _play_run(project: Project, number: int, judgements: int) -> float:
    check = f"{{command: [grep, -q, done-{number}, notes.txt]}}"
    criteria = f"criteria:\n  - {{id: C1, text: one, check: {check}}}"
    brief = f"@goal: Run {number}\nMake it true.\n```contract\n{criteria}\n```\n"
    project.call("create-goals", "--gate", "standard", "--brief", brief)
    project.call("complete-goals")
    seconds = []
    for turn in range(judgements - 1):
        (project.root / "src/part000/module0.py").write_text(f"VALUE = {number * 1000 + turn}\n")
        seconds.append(project.call("judge", codes=(0, 1)))
    (project.root / "notes.txt").write_text(f"done-{number}\n")
    words = ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "x")
    project.call(*words)
    return median(seconds)


def _describe(project: Project, seconds: float) -> list[str]:
    places = (
        project.root / ".goalkeeper",
        project.home / ".local/state/goalkeeper",
        project.home / ".cache/goalkeeper",
    )
    return [*(f"{measure_folder(str(each)) / 1e6:.2f} MB" for each in places), f"{seconds:.2f}"]
