"""What the strict gate costs beside its checks: time, and git processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from shutil import copy
from typing import Any

from bench.loop import spied_git
from bench.timing import median, table
from bench.witness import Project

CRITERIA, REPLAYS = 20, 6
_MOST_RATIO, _MOST_GIT = 1.3, 6
_BUSY = (
    "import os, sys, time\n"
    "while time.process_time() < 0.2: pass\n"
    "sys.exit(not os.path.exists('done'))\n"
)
_PYTHON = os.path.realpath(sys.executable)
_SCRIPT = 'i=0; while [ $i -lt "$1" ]; do i=$((i+1)); echo "line $i"; done\n'
_PICTURE = Path(__file__).parent.parent / "tests/data/screenshots/table.png"
_SCREEN = "\x1b[2J\x1b[1;1H\x1b[1mStock\x1b[m\r\n\x1b[2;1Happles  12\r\n\x1b[3;1Hpears    7\r\n"
_TRANSCRIPT: dict[str, Any] = {
    "schemaVersion": 1,
    "tool": "bench",
    "surface": "web",
    "actions": [
        {"type": "goto", "url": "http://localhost/", "timestamp": 0},
        {"type": "click", "selector": "button", "timestamp": 1},
    ],
    "assertions": [{"selector": "h1", "status": "passed", "timestamp": 2}],
}
_REPORT = '<testsuite tests="1"><testcase classname="test_stock" name="test_sum"/></testsuite>'
_SAID = {"evidence": "as the bench has it", "blockers": []}


def gate(work: Path, goalkeeper: str, *, rounds: int) -> str:
    """A goal with many criteria and artifacts of every kind, completed."""
    found = [_completed(work / f"gate{number}", goalkeeper) for number in range(rounds)]
    whole = median([taken for taken, _, _ in found])
    bare = median([alone for _, alone, _ in found])
    git = max(count for _, _, count in found)
    rows = [
        ["the checks alone, one after another", f"{bare:.2f} s", ""],
        [
            "checkpoint --status complete",
            f"{whole:.2f} s",
            f"{whole / bare:.2f}×, limit {_MOST_RATIO}×",
        ],
        ["git processes in it", str(git), f"limit {_MOST_GIT}"],
    ]
    return table([f"{CRITERIA} criteria, {len(_artifacts())} artifacts", "", ""], rows)


def _completed(place: Path, goalkeeper: str) -> tuple[float, float, int]:
    """Seconds of the command, seconds of its checks alone, and git processes."""
    check = json.dumps({"command": [_PYTHON, "-ISc", _BUSY]})
    criteria = [f"  - {{id: C{n}, text: fact {n}, check: {check}}}" for n in range(CRITERIA)]
    project = Project(place, goalkeeper, 20, criteria, gate="strict")
    _hand_in(project.root)
    log = spied_git(place)
    words = ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done",
             "--quality-gate-json", "gate.json")  # fmt: skip
    taken = project.call(*words, path=f"{place / 'bin'}:{os.environ['PATH']}")
    return taken, _alone(project.root), len(log.read_text().splitlines())


def _alone(root: Path) -> float:
    """What the checkpoint runs, without it."""
    start = time.perf_counter()
    for argv in [[_PYTHON, "-ISc", _BUSY]] * CRITERIA + [_replayed(n) for n in range(REPLAYS)]:
        subprocess.run(argv, cwd=root, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _replayed(number: int) -> list[str]:
    return ["sh", "lines.sh", str(number)]


def _hand_in(root: Path) -> None:
    """The work, and what its reviewers say of it."""
    (root / "done").write_text("yes\n")
    (root / "lines.sh").write_text(_SCRIPT)
    (root / ".git/info/exclude").write_text("/shown/\n/gate.json\n")  # evidence is no work
    (root / "shown").mkdir()
    copy(_PICTURE, root / "shown/page.png")
    (root / "shown/screen.raw").write_text(_SCREEN)
    (root / "shown/transcript.json").write_text(json.dumps(_TRANSCRIPT))
    (root / "shown/report.xml").write_text(_REPORT)
    (root / "gate.json").write_text(json.dumps(_gate()))


def _artifacts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"id": f"replay{n}", "kind": "command-replay", "replay": _record(n)} for n in range(REPLAYS)
    ]
    files = {
        "page": ("screenshot", "shown/page.png"),
        "screen": ("pty-capture", "shown/screen.raw"),
        "transcript": ("browser-automation", "shown/transcript.json"),
        "report": ("test-report", "shown/report.xml"),
    }
    found += [{"id": name, "kind": kind, "path": path} for name, (kind, path) in files.items()]
    return [{**row, "description": row["id"]} for row in found]


def _record(number: int) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "kind": "cli-replay",
        "replaySafe": True,
        "command": _replayed(number),
        "recordedStdout": "".join(f"line {n}\n" for n in range(1, number + 1)),
    }


def _gate() -> dict[str, Any]:
    replays = [f"replay{n}" for n in range(REPLAYS)]
    surfaces = {"cli": replays, "tui": ["screen"], "web": ["page", "transcript"], "api": ["report"]}
    row = {"contractRef": "G001", "status": "passed"}
    return {
        "architectReview": {
            **dict.fromkeys(("architectureStatus", "productStatus", "codeStatus"), "CLEAR"),
            "recommendation": "APPROVE",
            "commands": ["git diff"],
            **_SAID,
        },
        "executorQa": {
            **dict.fromkeys(("status", "e2eStatus", "redTeamStatus"), "passed"),
            "e2eCommands": ["sh lines.sh 3"],
            "redTeamCommands": ["sh lines.sh 0"],
            "artifactRefs": _artifacts(),
            "contractCoverage": [
                {**row, "id": "all", "obligation": "all of it", "surfaceEvidenceRefs": [*surfaces]}
            ],
            "surfaceEvidence": [
                {**row, "id": name, "surface": name, "invocation": name, "artifactRefs": refs}
                for name, refs in surfaces.items()
            ],
            "adversarialCases": [
                {
                    **row,
                    "id": "none",
                    "scenario": "no lines",
                    "expectedBehavior": "nothing is printed",
                    "artifactRefs": ["replay0"],
                }
            ],
            **_SAID,
        },
        "iteration": {
            "status": "passed",
            "fullRerun": True,
            "rerunCommands": ["sh lines.sh 3"],
            **_SAID,
        },
    }
