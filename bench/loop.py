"""What driving an agent costs beside the agent itself: time, git processes, memory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.timing import median, table
from bench.witness import Project

_MISHAPS = str(Path(__file__).parents[1] / "tests/doubles/mishaps.py")
_STREAM_MB = 1024
_MOST_MB = 150
_MOST_MS = 150
_MOST_GIT = 3


def drives(work: Path, goalkeeper: str, *, rounds: int) -> str:
    """An agent that does nothing, asked again and again: its tree is judged once only."""
    found = [_idle(work / f"idle{number}", goalkeeper) for number in range(rounds)]
    whole = median([ms for times, _ in found for ms in times])
    bare = median([_bare(work) for _ in range(10)])
    git = max(count for _, count in found)
    memory = _memory(work / "stream", goalkeeper)
    rows = [
        ["the agent alone", f"{bare:.0f} ms", ""],
        [
            "an iteration with it",
            f"{whole:.0f} ms",
            f"{whole - bare:.0f} ms more, limit {_MOST_MS}",
        ],
        ["git processes in it", str(git), f"limit {_MOST_GIT}"],
        [f"memory after {_STREAM_MB} MB of output", f"{memory} MB", f"limit {_MOST_MB} MB"],
    ]
    return table(["a drive", "", ""], rows)


def _story(place: Path, acts: list[dict[str, Any]], own_acts: str = "") -> Path:
    story = place / "story.json"
    script = {"*": acts} | ({"acts": own_acts} if own_acts else {})
    story.write_text(json.dumps(script))
    return story


def _idle(place: Path, goalkeeper: str) -> tuple[list[float], int]:
    """Milliseconds from one beginning of work to the next, and git processes between them."""
    project = Project(
        place, goalkeeper, 20, ["  - {id: C1, text: x, check: {command: [test, -f, done]}}"]
    )
    log = spied_git(place)
    story = _story(place, [{"say": "nothing to do"}])
    path = f"{place / 'bin'}:{os.environ['PATH']}"
    _drive(project, story, path)
    began = _moments(project)
    unjudged = list(pairwise(began[1:]))
    gaps = [(after - before) * 1000 for before, after in unjudged]
    used = [float(line) for line in log.read_text().splitlines()]
    counts = [sum(before < at < after for at in used) for before, after in unjudged]
    return gaps, max(counts)


def spied_git(place: Path) -> Path:
    """A git that writes down when it was called."""
    log, spy = place / "git.log", place / "bin/git"
    log.touch()
    spy.parent.mkdir()
    real = shutil.which("git")
    spy.write_text(f'#!/bin/sh\ndate +%s.%N >> "{log}"\nexec {real} "$@"\n')
    spy.chmod(0o755)
    return log


def _drive(project: Project, story: Path, path: str) -> int:
    """Drive it to its end; the most memory goalkeeper used, in MB."""
    words = ["run", "--agent", "rehearsal", "--script", str(story), "--isolation", "checkout"]
    env = {"PATH": path, "HOME": str(project.home), "LANG": "C.UTF-8"}
    driver = subprocess.Popen(
        [project.goalkeeper, *words, "--json"], cwd=project.root, env=env,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, _, used = os.wait4(driver.pid, 0)
    return used.ru_maxrss // 1024


def _moments(project: Project) -> list[float]:
    (ledger,) = project.root.glob(".goalkeeper/runs/*/ledger.jsonl")
    entries = [json.loads(line) for line in ledger.read_text().splitlines()]
    return [
        datetime.fromisoformat(entry["at"]).timestamp()
        for entry in entries
        if entry["kind"] == "phase_began"
    ]


def _bare(work: Path) -> float:
    story = _story(work, [{"say": "nothing to do"}])
    argv = [sys.executable, "-P", "-m", "goalkeeper.rehearsal", "--script", str(story)]
    env = {"PATH": os.environ["PATH"], "GOALKEEPER_PHASE": "G001/1/impl/1"}
    start = time.perf_counter()
    subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return (time.perf_counter() - start) * 1000


def _memory(place: Path, goalkeeper: str) -> int:
    criteria = ["  - {id: C1, text: x, check: {command: [test, -f, done]}}"]
    project = Project(place, goalkeeper, 20, criteria)
    flood = {"flood": {"mb": _STREAM_MB, "line_mb": 1}}
    done = {"write": {"path": "done", "text": "x"}}
    return _drive(project, _story(place, [flood, done], _MISHAPS), os.environ["PATH"])
