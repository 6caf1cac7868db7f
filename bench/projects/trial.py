"""One project from its archive to a proof: every command is timed, and what it refuses is kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.projects.archives import copy_settings, unpack_archive
from bench.projects.project import RealProject
from goalkeeper.core.plan.actors import APPROVAL, MARKERS
from goalkeeper.wire.value import Value

_KEY = "bench"  # the user of each place acts with it
_MOST_SECONDS = 1800
_SOMEBODY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A. Developer"), ("EMAIL", "dev@example.org"))
}


class StepTaken(Value):
    """One command of goalkeeper, as it came out."""

    name: str
    seconds: float
    code: int
    said: dict[str, Any]
    told: str  # what it printed for people


class ProjectTrial(Value):
    """What one project came to."""

    project: RealProject
    steps: tuple[StepTaken, ...]
    setups: int  # how many set-ups were kept, by what they were made from
    setup_runs: int  # how many times they were made

    @property
    def is_proven(self) -> bool:
        last = self.steps[-1]
        return last.name == "receipt" and last.code == 0

    @property
    def is_guarded(self) -> bool:
        """Return whether a command of the project's own was green before and after."""
        passed = [each for step in self.steps for each in _list_passed(step.said)]
        return any("/V" in each for each in passed)

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)

    @property
    def refusals(self) -> list[str]:
        return [_describe_refusal(step) for step in self.steps if step.code]


def try_project(project: RealProject, archive: Path, place: Path) -> ProjectTrial:
    """Lay out a project, and go from `init` to a verified receipt until something is refused."""
    tree = place / "tree"
    place.mkdir(parents=True)
    unpack_archive(archive, tree)
    lay_out(place)
    run_git(place, "init", "--quiet")
    commit_all(place, "as published")
    script = place / "script.json"
    script.write_text(json.dumps(project.write_script(tree)))
    agent = ("--agent", "rehearsal", "--script", str(script), "--accept-draft")
    steps: list[StepTaken] = []
    for words in (
        ("init", "--yes"), ("run", project.sentence, *agent), ("land",), ("receipt", "verify"),
    ):  # fmt: skip
        steps.append(take_step(words, place))
        (place / f"{words[0]}.txt").write_text(steps[-1].told)
        if steps[-1].code:
            break
        if words[0] == "init":
            commit_all(place, "goalkeeper init")  # as it advises
    return ProjectTrial(project, tuple(steps), *_count_setups(place))


def lay_out(place: Path) -> None:
    key = place / "config" / "goalkeeper" / "approval.key"
    key.parent.mkdir(parents=True)
    key.write_text(_KEY)
    copy_settings(place / "config")


def commit_all(place: Path, message: str) -> None:
    run_git(place, "add", "--all")
    run_git(place, "commit", "--quiet", "--allow-empty", "--message", message)


def run_git(place: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=place / "tree", check=True, env=make_environ(place))


def make_environ(place: Path) -> dict[str, str]:
    """Return the environment of a human without a terminal, with a place for everything."""
    kept = {name: value for name, value in os.environ.items() if name not in MARKERS}
    own = {f"XDG_{x.upper()}_HOME": str(place / x) for x in ("config", "state", "cache")}
    return {**kept, **own, **_SOMEBODY, APPROVAL: _KEY}


def take_step(words: Sequence[str], place: Path) -> StepTaken:
    began = time.monotonic()
    ran = subprocess.run(
        [sys.executable, "-m", "goalkeeper", *words, "--json"], cwd=place / "tree",
        env=make_environ(place), capture_output=True, text=True, check=False,
        timeout=_MOST_SECONDS,
    )  # fmt: skip
    seconds = time.monotonic() - began
    try:
        said = json.loads(ran.stdout)
    except ValueError:
        said = {}
    return StepTaken(words[0], seconds, ran.returncode, said, ran.stdout + ran.stderr)


def _count_setups(place: Path) -> tuple[int, int]:
    notes = [json.loads(path.read_text()) for path in (place / "cache").rglob("setups/*.json")]
    return len(notes), sum(int(note.get("times", 1)) for note in notes)


def _list_passed(said: dict[str, Any]) -> list[str]:
    criteria = said.get("criteria")
    return list(criteria.get("passed", ())) if isinstance(criteria, dict) else []


def _describe_refusal(step: StepTaken) -> str:
    error = step.said.get("error", {})
    reason = error.get("code") or step.said.get("reason") or f"exit {step.code}"
    return f"{step.name}: {reason}"
