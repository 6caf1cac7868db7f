"""Worktrees that are lent for reading: what a reader changed there is told."""

import subprocess

from tests.contract.git.yards import Plot
from tests.tables import for_each

READERS = {
    "nothing": ("true", ""),
    "caches": ("mkdir __pycache__ .pytest_cache; touch __pycache__/a .pytest_cache/b", ""),
    "a file": ("echo x > product.txt", "it changed files:  M product.txt"),
    "a new file": ("mkdir new; echo x > new/file", "it changed files: ?? new/file"),
    "a commit": ("git commit -q --allow-empty -m x", "it made a commit of its own"),
    "what ties it to git": ("rm .git", "its worktree cannot be read any more: "),
    "all of it": ('rm -r "$PWD"', "its worktree cannot be read any more: "),
}


@for_each("does, told", READERS.values(), READERS)
def test_what_a_reader_changed_is_told_and_its_worktree_goes(
    plot: Plot, does: str, told: str
) -> None:
    commit = plot.git("rev-parse", "HEAD")
    place = plot.worktrees.lend_worktree("review", commit)
    subprocess.run(["sh", "-c", does], cwd=place, check=True)

    changed = plot.worktrees.describe_changes(place, commit)
    plot.worktrees.take_back(place)

    assert changed.startswith(told)
    assert bool(changed) == bool(told)
    assert plot.worktrees.list_lent() == []
    assert plot.git("worktree", "list").count("\n") == 0
