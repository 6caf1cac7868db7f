"""The verbs of workers refuse texts that they were not made for."""

from pathlib import Path

import pytest

from bench.foulplay.checkout import base_tree, clean_checkout, snapshot
from bench.foulplay.edits import EditDoesNotFit, WorkerTree, emptied, gone, put, sub, swap
from bench.foulplay.host import HOSTS


@pytest.fixture
def tree(tmp_path: Path) -> WorkerTree:
    place = tmp_path / "tree"
    base_tree(HOSTS["shell"], place)
    return WorkerTree(place, HOSTS["shell"])


def test_what_is_not_there_cannot_be_replaced(tree: WorkerTree) -> None:
    for edit in (swap("Makefile", ("no such", "")), sub("Makefile", "no such", ""), gone("none")):
        with pytest.raises(EditDoesNotFit):
            edit(tree)


def test_emptied_tests_keep_their_names(tree: WorkerTree) -> None:
    emptied(tree)

    assert 'is 0 0 "tags come by number"' in tree.read("test/test_clean.sh")


def test_a_snapshot_has_what_git_would_take_and_leaves_the_index_alone(
    tree: WorkerTree, tmp_path: Path
) -> None:
    put("lib/new.sh", "")(tree)
    put("build/ignored.sh", "")(tree)
    status = tree.git("status", "--porcelain")

    taken = clean_checkout(tree.place, snapshot(tree.place), tmp_path / "taken")

    assert (taken / "lib/new.sh").exists()
    assert not (taken / "build").exists()
    assert tree.git("status", "--porcelain") == status
