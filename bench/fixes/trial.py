"""One step: the old release is the base, the new one is the work, and the witness judges it."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.fixes.fix import RealFix
from bench.history.releases import open_releases
from bench.projects.trial import StepTaken, commit_all, lay_out, run_git, take_step
from goalkeeper.wire.value import Value

MOST_RELEASES = 21
_GOAL = ("--goal-id", "G001")
_KEPT = frozenset({".git", ".goalkeeper"})


class FixTrial(Value):
    """What one step came to."""

    fix: RealFix
    steps: tuple[StepTaken, ...]

    @property
    def is_proven(self) -> bool:
        """Return whether it was proven as it is."""
        return self.steps[-1].name == "judge" and self.steps[-1].code == 0

    @property
    def is_only_asked(self) -> bool:
        """Return whether nothing stands against it but questions about the change."""
        said = self.steps[-1].said
        is_met = all(each["verdict"] == "passed" for each in _list_criteria(said))
        return bool(self.questions) and is_met and self.questions == len(_list_findings(said))

    @property
    def questions(self) -> int:
        found = self.steps[-1].said.get("findings") or []
        return sum(each["level"] == "asking" for each in found)

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)

    @property
    def reasons(self) -> list[str]:
        """Return what stands against it, or what the proof rests on."""
        said = self.steps[-1].said
        told = [str(each["reason"]) for each in _list_criteria(said)]
        found = [str(each) for each in _list_findings(said)]
        return [*told, *found] or [self.steps[-1].told.strip().splitlines()[-1]]


def try_fix(fix: RealFix, cache: Path, place: Path) -> FixTrial:
    """Make a plan on the old release, lay the new one, and have it judged."""
    shutil.rmtree(place, ignore_errors=True)
    tree = place / "tree"
    tree.mkdir(parents=True)
    lay_out(place)
    releases = open_releases(fix.registry, fix.package, cache, most=MOST_RELEASES)
    run_git(place, "init", "--quiet")
    lay_release(releases, fix.old, tree)
    (tree / ".goalkeeper").mkdir()
    (tree / ".goalkeeper" / "config.toml").write_text(
        fix.write_settings(find_builders(releases, (fix.old, fix.new)))
    )
    commit_all(place, f"release {fix.old}")
    brief = place / "brief.md"
    old, new = (find_builders(releases, (version,)) for version in (fix.old, fix.new))
    brief.write_text(fix.write_brief(builds_otherwise=old != new))
    steps: list[StepTaken] = []
    for words in (
        ("trust", "--yes"),
        ("create-goals", "--brief-file", str(brief)),
        ("complete-goals",),
        ("judge", *_GOAL),
    ):
        if words[0] == "judge":
            lay_release(releases, fix.new, tree)
        steps.append(take_step(words, place))
        (place / f"{words[0]}.txt").write_text(steps[-1].told)
        if steps[-1].code:
            break
    return FixTrial(fix, tuple(steps))


def lay_release(releases: Path, version: str, tree: Path) -> None:
    """Lay the files of a release in the place of all that lie there."""
    for path in tree.iterdir():
        if path.name not in _KEPT:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    packed = _read_git(releases, "archive", list_releases(releases)[version])
    subprocess.run(["tar", "-x", "-C", str(tree)], input=packed, check=True)


def list_releases(releases: Path) -> dict[str, str]:
    """List the commits of releases by their versions, from the lowest to the highest."""
    form = "--format=%(refname:short) %(objectname)"
    listed = _read_git(releases, "for-each-ref", "--sort=version:refname", form, "refs/heads")
    return dict(line.split() for line in listed.decode().splitlines())


def find_builders(releases: Path, versions: Sequence[str]) -> list[str]:
    """Find what Python releases are built with, by what they declare."""
    found: dict[str, None] = {}
    for version in versions:
        commit = list_releases(releases)[version]
        names = _read_git(releases, "ls-tree", "--name-only", commit).decode().splitlines()
        if "pyproject.toml" in names:
            told = tomllib.loads(_read_git(releases, "show", f"{commit}:pyproject.toml").decode())
            found |= dict.fromkeys(told.get("build-system", {}).get("requires", []))
        if "setup.py" in names:
            found |= dict.fromkeys(("setuptools", "wheel"))
    # It asks for this one only when it builds an editable package, and declares it nowhere.
    linking = ["editables"] if any(each.startswith("hatchling") for each in found) else []
    return [*found, *linking]


def _read_git(releases: Path, *words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=releases, capture_output=True, check=True).stdout


def _list_criteria(said: dict[str, Any]) -> list[dict[str, Any]]:
    found = said.get("criteria")
    return [each for each in found if "reason" in each] if isinstance(found, list) else []


def _list_findings(said: dict[str, Any]) -> list[Any]:
    found = said.get("findings") or []
    return [
        f"{each['rule']} {each['path']}: {each['message']}"
        for each in found
        if each.get("level") != "advisory"
    ]
