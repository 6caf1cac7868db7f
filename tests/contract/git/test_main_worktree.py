"""A linked worktree shares the state of the main one, if both name each other."""

from pathlib import Path

import pytest

from goalkeeper.storage.places import find_root
from tests.contract.witness.repository import Repository


@pytest.fixture
def victim(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "victim")
    repo.commit()
    repo.git("worktree", "add", "--quiet", "../linked")
    return repo


def test_a_linked_worktree_has_the_root_of_the_main_one(victim: Repository) -> None:
    linked = victim.root.parent / "linked"
    back = victim.root / ".git/worktrees/linked/gitdir"

    assert find_root(str(linked)) == str(victim.root)

    back.write_text("../../../../linked/.git\n")  # newer versions of git can write it so
    (linked / ".git").write_text("gitdir: ../victim/.git/worktrees/linked\n")
    assert find_root(str(linked)) == str(victim.root)


@pytest.mark.parametrize(
    "told",
    [
        "../victim/.git/worktrees/missing",
        "../victim/.git/worktrees/linked",
        "l/../../victim/.git/worktrees/linked",
        "../victim/.git/worktrees/linked\0",
    ],
)
def test_an_archive_does_not_borrow_the_state_of_another_repository(
    victim: Repository, told: str
) -> None:
    archive = victim.root.parent / "archive"
    own = archive / "victim/.git/worktrees/linked"  # git comes to it through the link
    own.mkdir(parents=True)
    (own / "gitdir").write_text(f"{archive}/.git\n")
    (archive / "a/b").mkdir(parents=True)
    (archive / "l").symlink_to("a/b")
    (archive / ".git").write_text(f"gitdir: {told}\n")

    assert find_root(str(archive)).startswith(str(archive))


def test_a_link_to_the_file_of_a_worktree_is_no_worktree(victim: Repository) -> None:
    archive = victim.root.parent / "archive"
    archive.mkdir()
    (archive / ".git").symlink_to("../linked/.git")

    assert find_root(str(archive)) == str(archive)
