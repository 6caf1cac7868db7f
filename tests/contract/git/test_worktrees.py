"""Worktrees on real git: where goals begin, and what stays the user's."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from goalkeeper.git.refs import read_refs
from goalkeeper.git.trees import Trees
from goalkeeper.git.worktrees import BranchInTheWay
from tests.contract.git.yards import BRANCH, Agent, Plot
from tests.contract.system.test_removal import nest_folders

MAIN = "refs/heads/main"

# Where a goal begins


def test_a_goal_begins_on_a_branch_of_its_own_with_the_users_commit(plot: Plot) -> None:
    head = plot.git("rev-parse", "HEAD")

    agent = plot.settle()

    assert agent.worktree.commit == agent.kept() == head
    assert agent.git("symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"
    assert (agent.path / "product.txt").read_text() == "base\n"
    assert agent.git("status", "--porcelain") == ""


def test_nobody_else_can_read_the_work(plot: Plot) -> None:
    path = plot.settle().path

    for place in (path, path.parent):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_a_branch_of_the_user_in_the_way_of_ours_is_named(plot: Plot) -> None:
    plot.git("branch", "goalkeeper")

    with pytest.raises(BranchInTheWay) as raised:
        plot.settle()

    assert raised.value.hint.startswith("git branch -m goalkeeper ")


def test_what_was_not_committed_is_there_and_what_is_ignored_is_not(plot: Plot) -> None:
    plot.repository.write("product.txt", "changed\n")
    plot.repository.write("staged.txt", "staged\n")
    plot.git("add", "staged.txt")
    plot.repository.write("new/untracked.txt", "new\n")
    plot.repository.write("noise.log", "noise\n")
    before = plot.theirs()

    agent = plot.settle()

    assert sorted(file.name for file in agent.path.rglob("*.txt")) == [
        "product.txt", "staged.txt", "untracked.txt"
    ]  # fmt: skip
    assert (agent.path / "product.txt").read_text() == "changed\n"
    assert not (agent.path / "noise.log").exists()
    assert agent.git("rev-parse", "HEAD^") == plot.git("rev-parse", "HEAD")
    assert plot.theirs() == before


def test_the_tree_at_the_start_is_the_tree_of_the_base(plot: Plot) -> None:
    plot.repository.write("new.txt", "new\n")
    base = plot.repository.trees().take_snapshot()

    agent = plot.settle()

    assert agent.site.write_tree() == base.tree


def test_a_repository_without_a_commit_can_be_worked_on(tmp_path: Path) -> None:
    plot = Plot(tmp_path)
    plot.repository.write("product.txt", "base\n")

    agent = plot.settle()
    agent.write("product.txt", "better\n")
    agent.end()

    assert agent.git("show", f"{BRANCH}:product.txt") == "better"
    assert plot.git("status", "--porcelain") == "?? product.txt"


def test_an_empty_repository_can_be_worked_on(tmp_path: Path) -> None:
    agent = Plot(tmp_path).settle()

    agent.write("product.txt", "new\n")
    agent.end()

    assert agent.git("show", f"{BRANCH}:product.txt") == "new"


def test_a_repository_with_sha256_ids_can_be_worked_on(tmp_path: Path) -> None:
    plot = Plot(tmp_path, "--object-format=sha256")
    plot.repository.write("product.txt", "base\n")
    plot.repository.commit()
    plot.repository.write("product.txt", "changed\n")

    agent = plot.settle()
    agent.write("product.txt", "better\n")
    tree = agent.end()

    assert len(tree) == len(agent.kept()) == 64
    assert agent.kept("^{tree}") == tree
    assert read_refs(agent.worktree.path) == {"refs/heads/main": plot.git("rev-parse", "main")}


def test_a_linked_worktree_of_the_users_can_be_worked_on(plot: Plot) -> None:
    linked = str(plot.place / "linked")
    plot.git("worktree", "add", "--quiet", "-b", "theirs", linked)
    trees = Trees(linked, str(plot.place / "store"))
    worktrees = plot.worktrees.replace(root=linked)

    agent = Agent(
        worktrees.make_worktree("G001", trees.commit_of(trees.take_snapshot())), worktrees
    )
    agent.write("product.txt", "better\n")
    agent.end()

    assert agent.git("show", f"{BRANCH}:product.txt") == "better"
    assert plot.git("-C", linked, "symbolic-ref", "--short", "HEAD") == "theirs"
    assert set(read_refs(linked)) == {"refs/heads/main", "refs/heads/theirs"}


def test_each_goal_has_a_worktree_of_its_own(plot: Plot) -> None:
    first, second = plot.settle("G001"), plot.settle("G002")

    first.write("product.txt", "of the first\n")
    first.end()

    assert (second.path / "product.txt").read_text() == "base\n"
    assert second.kept() == second.worktree.commit


# One that is known


def test_a_worktree_that_is_there_goes_on_as_it_is(plot: Plot, agent: Agent) -> None:
    agent.write("half.txt", "half done\n")

    again = plot.worktrees.make_worktree("G001", agent.worktree.commit)

    assert again == agent.worktree
    assert (agent.path / "half.txt").read_text() == "half done\n"


@pytest.mark.parametrize("how", ["rm", "remove", "prune"])
def test_a_worktree_that_somebody_removed_is_made_again_from_its_branch(
    plot: Plot, agent: Agent, how: str
) -> None:
    agent.write("product.txt", "better\n")
    tree = agent.end()
    if how == "remove":
        plot.git("worktree", "remove", "--force", str(agent.path))
    else:
        shutil.rmtree(agent.path)
    if how == "prune":
        plot.git("worktree", "prune", "--expire=now")

    assert agent.site.write_tree() == tree
    assert (agent.path / "product.txt").read_text() == "better\n"


def test_a_worktree_without_its_tie_is_tied_again_with_all_that_lies_there(
    agent: Agent,
) -> None:
    agent.write("product.txt", "better\n")
    (agent.path / ".git").unlink()

    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert agent.git("show", f"{BRANCH}:product.txt") == "better"


def test_an_agent_that_begins_a_repository_of_its_own_loses_only_that(agent: Agent) -> None:
    agent.write("product.txt", "better\n")
    (agent.path / ".git").unlink()
    agent.git("init", "--quiet")
    agent.commit("a clean beginning")

    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert agent.git("show", f"{BRANCH}:product.txt") == "better"
    assert agent.log() == ["G001: iteration 1, impl"]


# What is the user's


def test_the_users_files_index_stash_and_branch_stay_as_they_are(plot: Plot) -> None:
    plot.repository.write("product.txt", "stashed\n")
    plot.git("stash")
    plot.repository.write("product.txt", "staged\n")
    plot.git("add", "product.txt")
    plot.repository.write("product.txt", "and changed\n")
    plot.repository.write("untracked.txt", "new\n")
    status = plot.git("status", "--porcelain")
    before = plot.theirs()

    agent = plot.settle()
    agent.write("product.txt", "better\n")
    agent.end()
    agent.write("product.txt", "best\n")
    agent.end()
    plot.worktrees.remove_worktree(agent.worktree.goal_id)

    assert plot.theirs() == before
    assert plot.git("status", "--porcelain") == status
    assert plot.git("stash", "list").count("\n") == 0
    plot.git("fsck", "--strict")


def test_a_worktree_that_is_removed_leaves_its_branch(plot: Plot, agent: Agent) -> None:
    agent.write("product.txt", "better\n")
    agent.end()

    plot.worktrees.remove_worktree(agent.worktree.goal_id)

    assert not agent.path.exists()
    assert plot.git("show", f"{BRANCH}:product.txt") == "better"


def test_a_worktree_with_work_that_is_only_there_is_not_removed(plot: Plot, agent: Agent) -> None:
    agent.write("product.txt", "better\n")

    plot.worktrees.remove_worktree(agent.worktree.goal_id)

    assert (agent.path / "product.txt").read_text() == "better\n"


@pytest.mark.parametrize(
    ("left", "is_removed"),
    [
        ("node_modules/left/index.js", True),
        (".venv/lib/site.py", True),
        ("new.txt", False),
    ],
)
def test_what_programs_leave_behind_keeps_no_worktree(
    plot: Plot, agent: Agent, left: str, is_removed: bool
) -> None:
    agent.write("product.txt", "better\n")
    agent.end()
    agent.write(left, "left\n")

    plot.worktrees.remove_worktree(agent.worktree.goal_id)

    assert agent.path.exists() is not is_removed


def test_folders_that_are_too_deep_for_git_keep_no_worktree(plot: Plot, agent: Agent) -> None:
    agent.write("product.txt", "better\n")
    agent.end()
    with nest_folders(agent.path / "node_modules"):
        plot.worktrees.remove_worktree(agent.worktree.goal_id)

        assert not os.path.lexists(agent.path)
        assert plot.git("worktree", "list").count("\n") == 0


# What a hostile agent does to its worktree


def test_a_worktree_that_became_a_link_to_the_users_checkout_leaves_that_alone(plot: Plot) -> None:
    agent = plot.settle()
    head, index = plot.git("rev-parse", "HEAD"), (plot.root / ".git/index").read_bytes()
    shutil.rmtree(agent.path)
    agent.path.symlink_to(plot.root)

    agent.end()

    assert not agent.path.is_symlink()
    assert (plot.git("rev-parse", "HEAD"), plot.git("symbolic-ref", "HEAD")) == (head, MAIN)
    assert (plot.root / ".git/index").read_bytes() == index


def test_a_tie_to_the_users_own_git_folder_is_not_followed(plot: Plot) -> None:
    agent = plot.settle()
    index = (plot.root / ".git/index").read_bytes()
    (agent.path / ".git").write_text(f"gitdir: {plot.root}/.git\n")
    agent.write("work.txt", "done\n")

    agent.end()

    assert plot.git("symbolic-ref", "HEAD") == MAIN
    assert (plot.root / ".git/index").read_bytes() == index
    assert agent.kept(":work.txt")


def test_a_repository_that_an_agent_began_is_kept_aside(plot: Plot) -> None:
    agent = plot.settle()
    (agent.path / ".git").unlink()
    agent.git("init", "--quiet")
    agent.write("work.txt", "done\n")

    agent.end()

    assert agent.kept(":work.txt")
    assert list(agent.path.parent.glob("*.aside-*/HEAD"))


def test_pipes_among_the_refs_make_nobody_wait(plot: Plot) -> None:
    os.mkfifo(plot.root / ".git/refs/heads/pipe")

    assert read_refs(str(plot.root)).get("refs/heads/pipe") == ""
