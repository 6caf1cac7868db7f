"""Links that whoever wrote a repository has put into the state directory: none is followed."""

import os
import shutil
from pathlib import Path

import pytest

from goalkeeper.core.drive.phases import Phase
from goalkeeper.core.drive.state import Worktree
from goalkeeper.loop.artifacts import remove_artifact
from tests.e2e.project import BROKEN, MENDED, Project, contract
from tests.e2e.receipts import CHECKOUT

MARK = "outside-and-not-ours"
# GOALKEEPER_LINKS=all tries every command at every path; `make test` a repair and one more.
AT_EACH = None if os.environ.get("GOALKEEPER_LINKS") == "all" else 1
REPAIR = ("state", "repair")
NOTE = ("steer", "--kind", "annotate_ledger", "--evidence", "seen", "--rationale", "it counts")
COMMANDS = (
    ("judge",),
    NOTE,
    ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "it is done"),
    ("status",),
    ("receipt", "verify"),
    ("create-goals", "--archive", "--brief", "@goal: Other\nDo it.\n"),
    ("state", "doctor"),
    ("ledger", "verify"),
    ("init", "--yes"),
    ("report",),
    ("receipt", "issue", "--final"),
    ("why", "G001"),
    ("ledger", "export"),
    ("state", "clear", "--force", "--mode", "ultragoal"),
)
MADE_LATER = ("hold", "archive", "lessons.md", "missing-criteria.jsonl", "runs/.new-x",
              "runs/{run}/quarantine", "runs/{run}/phases", "runs/{run}/drive.lock")  # fmt: skip


def test_H3_nothing_is_read_or_written_through_a_link_at_any_path_of_the_state(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path / "project", {**BROKEN, **CHECKOUT}).begin(contract(), contract())
    project.write(MENDED)
    assert project.complete().code == 0
    pristine = tmp_path / "pristine"
    shutil.copytree(project.state, pristine)
    (run,) = (path.name for path in (pristine / "runs").glob("2*"))
    later = [name.format(run=run) for name in MADE_LATER]
    there = sorted(str(path.relative_to(pristine)) for path in pristine.rglob("*"))
    for number, name in enumerate(["", *there, *later]):
        words = [REPAIR, *[*COMMANDS[number % len(COMMANDS) :], *COMMANDS][:AT_EACH]]
        outside = tmp_path / f"outside-{number}"
        plant(project.state / name, outside)
        before = contents(outside)
        for command in words:
            said = project.run(*command, env=project.human())
            assert said.code < 70, (name, command, said)
            assert contents(outside) == before, (name, command)
            assert MARK not in said.out + said.err, (name, command, said)
        kept = [p for p in project.root.rglob("*") if p.is_file() and not p.is_symlink()]
        assert not [p for p in kept if MARK.encode() in p.read_bytes()], name
        restore(project, pristine)


def plant(place: Path, outside: Path) -> None:
    """Put a link at a place, to a file with a mark or to a folder with all that was there."""
    if place.is_dir():
        place.rename(outside)
    elif place.suffix or place.exists():
        outside.write_text(MARK)
        place.unlink(missing_ok=True)
    else:
        outside.mkdir()
        (outside / "mine.txt").write_text("mine")
        (outside / "empty").mkdir()
    place.symlink_to(outside)


def restore(project: Project, pristine: Path) -> None:
    if project.state.is_symlink():
        project.state.unlink()
    shutil.rmtree(project.state, ignore_errors=True)
    shutil.copytree(pristine, project.state)


def contents(place: Path) -> dict[str, bytes]:
    found = [place, *place.rglob("*")]
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in found}


def test_H3_a_hold_is_not_written_through_a_link(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", {**BROKEN, **CHECKOUT})
    project.state.mkdir(exist_ok=True)
    plant(project.state / "hold", tmp_path / "outside")
    env = {**project.human(), "GOALKEEPER_SESSION": "s1"}

    said = project.run("ulw", "on", "--client", "claude", "--session", "s1", "--json", env=env)

    assert (said.code, said.reason) == (3, "state-misplaced")
    assert sorted(os.listdir(tmp_path / "outside")) == ["empty", "mine.txt"]


@pytest.mark.parametrize("name", [".goalkeeper", ".goalkeeper/cache"])
def test_H3_what_an_agent_left_is_not_removed_through_a_link(tmp_path: Path, name: str) -> None:
    target = tmp_path / "home"
    (target / "cache").mkdir(parents=True)
    (target / "plan.md").write_text("mine")
    (target / "cache/plan.md").write_text("mine")
    place = tmp_path / "tree" / name
    place.parent.mkdir(parents=True)
    place.symlink_to(target)

    remove_artifact(Worktree("G001", str(tmp_path / "tree"), "branch", "commit"), Phase.PLAN)

    assert (target / "plan.md").exists()
    assert (target / "cache/plan.md").exists()
