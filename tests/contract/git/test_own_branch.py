"""A branch of ours on real git: what stands in its place is no branch, and ours comes back."""

import subprocess

import pytest

from goalkeeper.core.plan.model import Base
from goalkeeper.git.own_branch import (
    create_branch,
    find_tip,
    move_branch,
    read_commit,
    restore_branch,
)
from goalkeeper.git.trees import Trees
from tests.contract.git.yards import Plot

REF = "refs/heads/goalkeeper/campaign-mine"
NO_COMMITS = (
    "echo garbage > $r", "echo 1111111111111111111111111111111111111111 > $r",
    f'echo "ref: {REF}" > $r', "echo hi | git hash-object -w --stdin > $r",
    "rm $r; mkdir -p $r/x; echo a > $r/x/y", "rm $r; mkfifo $r", "rm $r",
)  # fmt: skip


@pytest.fixture
def trees(plot: Plot) -> Trees:
    trees = plot.repository.trees()
    create_branch(trees, REF, read_head(plot))
    return trees


def read_head(plot: Plot) -> Base:
    return Base(plot.git("rev-parse", "HEAD^{tree}"), plot.git("rev-parse", "HEAD"))


def spoil(plot: Plot, words: str) -> None:
    script = f"r=.git/{REF}; {words}"
    subprocess.run(["sh", "-c", script], cwd=plot.root, check=True)


@pytest.mark.parametrize("words", NO_COMMITS)
def test_what_names_no_commit_is_no_branch_and_ours_comes_back(
    plot: Plot, trees: Trees, words: str
) -> None:
    root, old = str(plot.root), read_head(plot)
    plot.repository.write("product.txt", "more\n")
    plot.repository.commit("more")
    new = read_head(plot)

    spoil(plot, words)

    tip = find_tip(trees, root, REF)
    assert not tip or read_commit(trees, tip) is None
    assert not move_branch(trees, root, REF, old, new)
    restore_branch(trees, root, REF, old)
    assert find_tip(trees, root, REF) == old.commit
    assert read_commit(trees, old.commit) == old
    assert move_branch(trees, root, REF, old, new)
    assert find_tip(trees, root, REF) == plot.git("rev-parse", REF) == new.commit


def test_a_lock_that_somebody_left_is_in_nobodys_way(plot: Plot, trees: Trees) -> None:
    root, old = str(plot.root), read_head(plot)
    plot.repository.write("product.txt", "more\n")
    plot.repository.commit("more")

    spoil(plot, "touch $r.lock")
    assert move_branch(trees, root, REF, old, read_head(plot))
    spoil(plot, "touch $r.lock")
    restore_branch(trees, root, REF, old)

    assert find_tip(trees, root, REF) == old.commit
