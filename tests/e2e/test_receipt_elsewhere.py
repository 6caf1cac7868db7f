"""Receipts of another commit, another repository, another time: genuine, and of no use here."""

from pathlib import Path

import pytest

from tests.e2e.project import BROKEN, MENDED, Project
from tests.e2e.receipts import CHECKOUT, HOLDS, SEEN, Desk, Stranger, git, refused
from tests.tables import for_each


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk.at(tmp_path_factory.mktemp("desk"))


def test_a_receipt_of_the_commit_before_does_not_hold_for_this_one(desk: Desk) -> None:
    assert desk.stranger.by_all(desk.first, desk.trusted) == refused("parent-commit")


def test_a_receipt_does_not_hold_for_the_commit_before_its_own(desk: Desk) -> None:
    earlier = ("--commit", "HEAD~1")

    assert desk.stranger.by_all(desk.final, desk.trusted, *earlier) == refused("stale")


@for_each("commit", ["no-such-branch", "HEAD~99", "--all", "HEAD^{tree}"])
def test_a_commit_that_is_none_is_no_reason_to_believe(desk: Desk, commit: str) -> None:
    at = f"--commit={commit}"

    assert desk.stranger.by_all(desk.final, desk.trusted, at) == refused("no-repository")


def test_one_byte_that_was_changed_and_committed_since_outdates_it(
    desk: Desk, tmp_path: Path
) -> None:
    stranger = Stranger(tmp_path / "stranger", desk.project.root)
    (stranger.clone / "product.txt").write_text("fixed!\n")
    git("commit", "--quiet", "--all", "--message", "one byte", cwd=stranger.clone)

    assert stranger.by_all(desk.final, desk.trusted) == refused("parent-commit")


def test_another_repository_with_the_same_files_is_not_the_one_that_was_proven(
    desk: Desk, tmp_path: Path
) -> None:
    other = Project(tmp_path / "other", {**BROKEN, **CHECKOUT, **MENDED, **SEEN})
    ignored = desk.project.state / ".gitignore"
    other.write({".goalkeeper/.gitignore": ignored.read_bytes()} if ignored.exists() else {})
    other.commit("the same files")
    assert other.git("rev-parse", "HEAD^{tree}") == desk.project.git("rev-parse", "HEAD^{tree}")

    stranger = Stranger(tmp_path / "stranger", other.root)
    assert stranger.by_all(desk.final, desk.trusted) == refused("foreign")


def test_a_folder_that_is_no_repository_has_nothing_to_hold_it_against(
    desk: Desk, tmp_path: Path
) -> None:
    more = ("--repository", str(tmp_path))

    ruling = desk.stranger.by_script(desk.final, desk.trusted, *more)
    assert ruling.brief == refused("no-repository")
    without = ("--no-repository",)
    assert desk.stranger.by_script(desk.final, desk.trusted, *without).brief == HOLDS


def test_a_receipt_can_be_held_against_a_tree_where_there_is_no_git(
    desk: Desk, tmp_path: Path
) -> None:
    tree = desk.project.git("rev-parse", "HEAD^{tree}").strip()
    nowhere = ("--repository", str(tmp_path))

    for by in (desk.stranger.by_script, desk.stranger.by_command):
        for named, expected in ((tree, HOLDS), (tree[:12], refused("stale"))):
            more = ("--tree", named, *nowhere)
            assert by(desk.final, desk.trusted, *more).brief == expected
