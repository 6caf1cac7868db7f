"""Whether a working tree is still what it was: told by one look, as surely as by a snapshot."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.git.repository import NoCommitInside
from goalkeeper.git.trees import Trees
from tests.contract.witness.repository import Repository
from tests.contract.witness.spies import Spy
from tests.contract.witness.states import STATES, plain

Act = Callable[[Repository], None]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


@pytest.fixture
def spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spy:
    spy = Spy(tmp_path / "spy")
    monkeypatch.setenv("PATH", spy.path)
    return spy


@pytest.mark.parametrize("state", STATES)
def test_a_tree_that_stays_is_seen_to_stay(state: Act, repo: Repository, spy: Spy) -> None:
    state(repo)
    trees = repo.trees()
    tree = trees.take_snapshot().tree
    before = repo.fingerprint()
    spy.forget()

    assert trees.is_still(tree)
    assert spy.asked() == ["ls-files"]
    assert repo.fingerprint() == before
    assert not trees.is_still("0" * len(tree))


def edited(repo: Repository) -> None:
    """The same size, in the same second."""
    repo.write("a.txt", "two\n")


def edited_and_dated_back(repo: Repository) -> None:
    about = (repo.root / "a.txt").stat()
    repo.write("a.txt", "three\n")
    os.utime(repo.root / "a.txt", ns=(about.st_atime_ns, about.st_mtime_ns))


def added(repo: Repository) -> None:
    repo.write("deep/new.txt", "")


def executable(repo: Repository) -> None:
    (repo.root / "a.txt").chmod(0o755)


def gone(repo: Repository) -> None:
    (repo.root / "src/b.py").unlink()


def a_link(repo: Repository) -> None:
    (repo.root / "a.txt").unlink()
    (repo.root / "a.txt").symlink_to("one\n")


def a_folder(repo: Repository) -> None:
    (repo.root / "a.txt").unlink()
    repo.write("a.txt/inside", "one\n")


def hidden(repo: Repository) -> None:
    repo.write("hidden.txt", "hid?\n")


def skipped(repo: Repository) -> None:
    """It is back, though git was told that it is not here."""
    repo.write("skipped.txt", "back\n")


def a_repository(repo: Repository) -> None:
    plain(Repository(repo.root / "nested"))


def no_more_ignored(repo: Repository) -> None:
    repo.write(".git/info/exclude", "")


def added_by_force(repo: Repository) -> None:
    repo.git("add", "--force", "private.txt")


MOVES: list[Act] = [
    edited, edited_and_dated_back, added, executable, gone, a_link, a_folder, hidden, skipped,
    a_repository, no_more_ignored, added_by_force,
]  # fmt: skip


@pytest.fixture
def seen(repo: Repository) -> tuple[Trees, str]:
    """A repository with all that can move, and a tree of it that was just taken."""
    plain(repo)
    for name in ("hidden", "skipped"):
        repo.write(f"{name}.txt", "hid.\n")
    repo.write(".gitignore", "ignored/\n")
    repo.commit()
    repo.git("update-index", "--assume-unchanged", "hidden.txt")
    repo.git("update-index", "--skip-worktree", "skipped.txt")
    (repo.root / "skipped.txt").unlink()
    (repo.root / ".git/info").mkdir(exist_ok=True)
    repo.write(".git/info/exclude", "private.txt\n")
    repo.write("private.txt", "private")
    trees = repo.trees()
    return trees, trees.take_snapshot().tree


@pytest.mark.parametrize("move", MOVES)
def test_a_tree_that_moves_is_seen_to_move(
    move: Act, repo: Repository, seen: tuple[Trees, str]
) -> None:
    trees, tree = seen

    move(repo)

    assert not trees.is_still(tree)
    assert repo.trees().take_snapshot().tree != tree


def undone(repo: Repository) -> None:
    repo.write("a.txt", "two\n")
    repo.write("a.txt", "one\n")


def committed(repo: Repository) -> None:
    repo.git("commit", "--quiet", "--allow-empty", "--message", "so far")


def leftovers(repo: Repository) -> None:
    repo.write("src/__pycache__/b.pyc", "compiled")
    repo.write("ignored/x", "x")
    repo.write(".goalkeeper/runs/1/ledger.jsonl", "{}\n")
    repo.write(".goalkeeper/current", "1")


def refreshed(repo: Repository) -> None:
    (repo.root / "a.txt").touch()
    repo.git("status")


@pytest.mark.parametrize("act", [undone, committed, leftovers, refreshed])
def test_what_is_no_move_is_none(act: Act, repo: Repository, seen: tuple[Trees, str]) -> None:
    trees, tree = seen

    act(repo)

    assert trees.is_still(tree)


def test_a_repository_without_a_commit_is_named_in_the_second_look_too(
    repo: Repository, seen: tuple[Trees, str]
) -> None:
    trees, tree = seen
    Repository(repo.root / "nested")

    with pytest.raises(NoCommitInside):
        trees.is_still(tree)


def test_without_a_snapshot_there_is_nothing_to_compare_with(
    repo: Repository, seen: tuple[Trees, str]
) -> None:
    _, tree = seen

    assert repo.trees().is_still(tree)
