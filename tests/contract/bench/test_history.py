"""Real history: commits of a repository are read as goals' changes, under three contracts."""

import json
import subprocess
import sys
from pathlib import Path

from bench.foulplay.edits import git
from bench.history.releases import Release, find_base, order_releases
from bench.history.report import report
from bench.history.steps import FREED, Project, read_list, read_project
from goalkeeper.core.contract.findings import Level

TEST = "from rate import rate\n\n\ndef test_ten():\n    assert rate(10) == 3\n"


def make_history(root: Path) -> None:
    """Make a first commit, a fix, and a test that can no longer fail."""
    (root / "tests").mkdir(parents=True)
    git(root, "init", "--quiet")
    for name, text in (
        ("tests/test_rate.py", TEST),
        ("rate.py", "def rate(n):\n    return n // 3\n"),
        ("tests/test_rate.py", TEST.replace("== 3", "== 3 or True")),
    ):
        (root / name).write_text(text)
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", name)


def test_each_commit_is_a_step_and_the_tables_say_what_closes_the_gate(tmp_path: Path) -> None:
    make_history(tmp_path / "rate")
    (tmp_path / "list.toml").write_text('[[project]]\ngit = "rate"\n')

    (project,) = read_list(tmp_path / "list.toml")
    steps = list(read_project(project, tmp_path, most=9))
    table = report(steps, explain=True)

    assert project == Project("rate", "git", str(tmp_path / "rate"))
    assert [step.files for step in steps] == [1, 1]
    assert [step.has("nothing freed", Level.ASKING) for step in steps] == [False, True]
    assert "2 steps of 1 projects" in table
    assert "tests/test_rate.py:5: `rate(10) == 3` became `rate(10) == 3 or True`" in table


def test_the_steps_can_be_printed_as_json(tmp_path: Path) -> None:
    make_history(tmp_path / "rate")
    listed = tmp_path / "list.toml"
    listed.write_text('[[project]]\nname = "shown"\ngit = "rate"\n')

    command = [sys.executable, "-m", "bench.history", "--list", str(listed), "--json"]
    told = subprocess.run(
        command, cwd=Path(__file__).parents[3], capture_output=True, check=True, text=True
    ).stdout

    assert [step["project"] for step in json.loads(told)] == ["shown", "shown"]
    assert {*json.loads(told)[1]["findings"]} == {*FREED}


def test_a_release_is_compared_with_the_highest_below_it_that_was_published_before() -> None:
    published = ["2.4.0", "3.0.0", "2.4.1", "3.0.1", "4.0.0", "3.0.2", "3.0.10"]

    bases = [find_base(each, published[:place]) for place, each in enumerate(published)]

    assert bases == [None, "2.4.0", "2.4.0", "3.0.0", "3.0.1", "3.0.1", "3.0.2"]


def test_dates_at_which_a_mirror_fetched_releases_are_not_taken_for_their_own() -> None:
    def order(*dated: str) -> list[str]:
        pairs = [each.split(" ") for each in dated]
        releases = [Release(version, date, "") for version, date in pairs]
        return [each.version for each in order_releases(releases, most=4)]

    by_turns = order("2.4.0 01", "3.0.0 02", "2.4.1 03", "2.5.0 04", "1.9.0 00")
    fetched_late = order("2.4.0 05", "3.0.0 02", "2.4.1 03", "2.5.0 06")
    fetched_first = order("2.4.0 01", "3.0.0 02", "2.5.0 05", "2.6.0 04")

    assert by_turns == ["2.4.0", "3.0.0", "2.4.1", "2.5.0"]
    assert fetched_late == ["2.4.0", "2.4.1", "2.5.0", "3.0.0"]
    assert fetched_first == ["2.4.0", "2.5.0", "2.6.0", "3.0.0"]
    assert order("2.4.0 ", "2.5.0 ", "2.4.1 ") == ["2.4.0", "2.4.1", "2.5.0"]
