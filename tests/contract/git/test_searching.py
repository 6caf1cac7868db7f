"""Whether a tree mentions something."""

from pathlib import Path

import pytest

from goalkeeper.git.repository import GitFailed
from tests.contract.witness.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.write("a.py", "def Parse(): ...\n")
    made.write("b/c.txt", "parse it\nparse\n")
    made.write("d.bin", b"\0parse")
    return made


@pytest.mark.parametrize(
    ("query", "files"),
    [("parse", 2), ("Parse()", 1), ("p.rse", 0), ("-e", 0), ("nowhere", 0), ("--cached", 0)],
)
def test_files_that_contain_a_text_are_counted_as_it_is_written(
    query: str, files: int, repo: Repository
) -> None:
    trees = repo.trees()

    assert trees.count_mentions(trees.take_snapshot().tree, query, without=()) == files


def test_files_may_be_left_out(repo: Repository) -> None:
    trees = repo.trees()
    tree = trees.take_snapshot().tree

    assert trees.count_mentions(tree, "parse", without=("b/c.txt", "nowhere")) == 1
    assert trees.count_mentions(tree, "parse", without=("*",)) == 2


def test_a_tree_that_is_not_there_is_an_error_and_not_a_zero(repo: Repository) -> None:
    with pytest.raises(GitFailed):
        repo.trees().count_mentions("0" * 40, "parse", without=())
