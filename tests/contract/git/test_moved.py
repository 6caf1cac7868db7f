"""Worktrees of a repository that was moved or copied, or whose user has another HOME now."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.git.worktrees import Worktrees
from tests.contract.git.yards import BRANCH, RUN, Agent, Plot


def move(plot: Plot) -> Worktrees:
    root = plot.root.rename(plot.place / "moved")
    return Worktrees(str(root), str(plot.place / "other"), RUN)


def move_with_home(plot: Plot) -> Worktrees:
    home = plot.place / "home"
    home.mkdir()
    for name in ("repository", "yard"):
        (plot.place / name).rename(home / name)
    return Worktrees(str(home / "repository"), str(home / "other"), RUN)


def move_home(plot: Plot) -> Worktrees:
    yard = (plot.place / "yard").rename(plot.place / "other")
    return Worktrees(str(plot.root), str(yard), RUN)


def copy(plot: Plot) -> Worktrees:
    root = shutil.copytree(plot.root, plot.place / "copied")
    return Worktrees(str(root), str(plot.place / "other"), RUN)


def use_other_home(plot: Plot) -> Worktrees:
    return plot.worktrees.replace(place=str(plot.place / "home" / "other"))


COME_ALONG = (move, move_with_home, move_home)


@pytest.mark.parametrize("change", [*COME_ALONG, copy, use_other_home])
def test_work_goes_on_at_the_new_place(
    change: Callable[[Plot], Worktrees], plot: Plot, agent: Agent
) -> None:
    agent.write("product.txt", "kept\n")
    agent.end()
    agent.write("notes.txt", "in no commit\n")

    there = change(plot)
    made = Agent(there.make_worktree("G001", agent.worktree.commit), there)

    assert made.path == Path(there.find_path("G001")) != agent.path
    assert made.git("rev-parse", "--abbrev-ref", "HEAD") == BRANCH
    assert (made.path / "product.txt").read_text() == "kept\n"
    assert (made.path / "notes.txt").exists() == (change in COME_ALONG)
    assert (agent.path / "notes.txt").exists() == (change not in COME_ALONG)
    made.write("product.txt", "better\n")
    made.end()
    assert made.git("show", f"{BRANCH}:product.txt") == "better"
    there.remove_worktree("G001")
    assert [*Path(there.root, ".git/worktrees").glob("*")] == []


def test_a_copy_leaves_the_worktrees_of_the_first_one_alone(plot: Plot, agent: Agent) -> None:
    there = copy(plot)
    made = Agent(there.make_worktree("G001", agent.worktree.commit), there)
    (made.path / ".git").unlink()
    there.make_worktree("G001", agent.worktree.commit)

    assert made.git("rev-parse", "--git-common-dir") == f"{there.root}/.git"
    assert agent.git("rev-parse", "--git-common-dir") == f"{plot.root}/.git"


def test_files_of_a_home_that_was_left_for_a_while_are_not_taken_for_work(
    plot: Plot, agent: Agent
) -> None:
    there = use_other_home(plot)
    other = Agent(there.make_worktree("G001", agent.worktree.commit), there)
    other.write("product.txt", "better\n")
    other.end()

    agent.end()

    assert (agent.path / "product.txt").read_text() == "better\n"
    assert agent.git("show", f"{BRANCH}:product.txt") == "better"


def test_a_worktree_in_which_the_user_looks_at_our_branch_stays_his(plot: Plot) -> None:
    agent = plot.settle()
    agent.write("product.txt", "better\n")
    agent.end()
    plot.worktrees.remove_worktree("G001")
    look = str(plot.place / "look")
    plot.git("worktree", "add", "--quiet", look, BRANCH)

    again = plot.settle()

    assert (again.path / "product.txt").read_text() == "better\n"
    assert plot.git("-C", look, "rev-parse", "--show-toplevel") == look
    assert look in plot.git("worktree", "list")
