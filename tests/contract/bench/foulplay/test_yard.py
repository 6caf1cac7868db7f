"""The verbs of workers refuse texts that they were not made for."""

from pathlib import Path

import pytest

from bench.foulplay.checkout import base_tree, clean_checkout, snapshot
from bench.foulplay.host import HOSTS
from bench.foulplay.yard import EditDoesNotFit, Yard, emptied, gone, put, sub, swap


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    place = tmp_path / "tree"
    base_tree(HOSTS["shell"], place)
    return Yard(place, HOSTS["shell"])


def test_what_is_not_there_cannot_be_replaced(yard: Yard) -> None:
    for edit in (swap("Makefile", ("no such", "")), sub("Makefile", "no such", ""), gone("none")):
        with pytest.raises(EditDoesNotFit):
            edit(yard)


def test_emptied_tests_keep_their_names(yard: Yard) -> None:
    emptied(yard)

    assert 'is 0 0 "tags come by number"' in yard.read("test/test_clean.sh")


def test_a_snapshot_has_what_git_would_take_and_leaves_the_index_alone(
    yard: Yard, tmp_path: Path
) -> None:
    put("lib/new.sh", "")(yard)
    put("build/ignored.sh", "")(yard)
    status = yard.git("status", "--porcelain")

    taken = clean_checkout(yard.place, snapshot(yard.place), tmp_path / "taken")

    assert (taken / "lib/new.sh").exists()
    assert not (taken / "build").exists()
    assert yard.git("status", "--porcelain") == status
