"""Checkouts that we lay ourselves are those that git would make; a tree gets nowhere else."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.git.folders import LINK, PLAIN, Blob
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.witness.pool import CheckoutPool, is_as_written, write_checkout
from tests.contract.witness.repository import Repository
from tests.contract.witness.states import (
    file_to_folder,
    lfs_pointer,
    line_endings,
    links_and_modes,
    nested_repository,
    odd_names,
    submodule,
)
from tests.tables import for_each

STATES = (
    links_and_modes, odd_names, submodule, nested_repository, lfs_pointer, line_endings,
    file_to_folder,
)  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def everything(place: bytes) -> dict[bytes, tuple[int, bytes]]:
    """Modes and contents, links as they are."""
    found = {}
    for folder, folders, files in os.walk(place):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            said = os.readlink(path) if stat.S_ISLNK(mode) else b""
            if stat.S_ISREG(mode):
                with open(path, "rb") as file:
                    said = file.read()
            found[os.path.relpath(path, place)] = mode, said
    return found


def by_git(trees: Trees, tree: str, place: Path) -> dict[bytes, tuple[int, bytes]]:
    place.mkdir()
    index = f"--index-output={place}.index"
    trees.own_git.call("--work-tree", str(place), "read-tree", index, "--reset", "-u", tree)
    return everything(os.fsencode(place))


@for_each(
    ("state", "ids"),
    [
        *((state, "sha1") for state in STATES),
        (links_and_modes, "sha256"),
        (odd_names, "sha256"),
    ],
)
def test_a_checkout_is_the_one_that_git_makes(
    state: Callable[[Repository], None], ids: str, tmp_path: Path
) -> None:
    repo = Repository(tmp_path / "repo", f"--object-format={ids}")
    state(repo)
    repo.write("twice/one", b"\0big" * 500_000)
    repo.write("twice/two", b"\0big" * 500_000, 0o755)
    repo.write("empty", b"")
    trees = repo.trees()
    tree = trees.take_snapshot().tree

    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert everything(os.fsencode(slot.tree)) == by_git(trees, tree, tmp_path / "peer")
        entries = trees.list_entries(tree)
        files = {path for path, blob in entries.items() if blob.mode != "160000"}
        for path in files:
            assert is_as_written(trees.objects, os.path.join(slot.tree, path), entries[path])


def test_rights_are_those_of_the_user(repo: Repository, tmp_path: Path) -> None:
    links_and_modes(repo)
    trees = repo.trees()
    before = os.umask(0o027)
    try:
        tree = trees.take_snapshot().tree
        with CheckoutPool(trees).lease_slot(tree) as slot:
            assert everything(os.fsencode(slot.tree)) == by_git(trees, tree, tmp_path / "peer")
    finally:
        os.umask(before)


def raw_tree(trees: Trees, *rows: tuple[str, str, str]) -> str:
    """A tree with whatever names, as nobody's git would make it."""
    lines = (f"{m} {n}".encode() + b"\0" + bytes.fromhex(blob) for m, n, blob in rows)
    return trees.objects.write_object("tree", b"".join(lines))


@pytest.mark.parametrize("name", ["..", ".", "", ".git", ".GIT", "a/b", "../../out"])
def test_a_name_that_leads_out_of_a_checkout_is_refused(repo: Repository, name: str) -> None:
    trees = repo.trees()
    blob = trees.write_blob(b"evil")
    inner = raw_tree(trees, ("100644", name, blob))

    for tree in (inner, raw_tree(trees, ("40000", "folder", inner))):
        with (
            pytest.raises(GitFailed, match="what no checkout may hold"),
            CheckoutPool(trees).lease_slot(tree),
        ):
            pass


def test_a_name_that_is_a_link_and_a_folder_is_refused(repo: Repository, tmp_path: Path) -> None:
    trees = repo.trees()
    out = tmp_path / "out"
    out.mkdir()
    inner = raw_tree(trees, ("100644", "planted", trees.write_blob(b"evil")))
    link = trees.write_blob(os.fsencode(out))
    tree = raw_tree(trees, ("120000", "a", link), ("40000", "a", inner))

    with (
        pytest.raises(GitFailed, match="what no checkout may hold"),
        CheckoutPool(trees).lease_slot(tree),
    ):
        pass

    assert list(out.iterdir()) == []


def test_nothing_is_written_through_what_is_in_the_way(repo: Repository, tmp_path: Path) -> None:
    trees = repo.trees()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    place = tmp_path / "place"
    place.mkdir()
    for name in ("file", "link"):
        (place / name).symlink_to(victim)
    os.mkfifo(place / "pipe")
    plain = Blob(PLAIN, trees.write_blob(b"laid"))

    write_checkout(
        trees.objects, str(place), {"file": plain, "pipe": plain, "link": Blob(LINK, plain.id)}
    )

    assert victim.read_text() == "mine"
    assert (place / "file").read_text() == (place / "pipe").read_text() == "laid"
    assert os.readlink(place / "link") == "laid"


def test_lost_and_forged_contents_are_not_laid(repo: Repository, tmp_path: Path) -> None:
    trees = repo.trees()
    good, bad = trees.write_blob(b"good"), trees.write_blob(b"bad!")
    objects = Path(trees.git_dir, "objects")
    (objects / bad[:2] / bad[2:]).unlink()
    for forge in (False, True):
        if forge:
            data = (objects / good[:2] / good[2:]).read_bytes()
            (objects / bad[:2] / bad[2:]).write_bytes(data)
        with pytest.raises(GitFailed, match=r"bad .* is lost, or is not what its id says"):
            write_checkout(
                trees.objects, str(tmp_path), {"good": Blob(PLAIN, good), "bad": Blob(PLAIN, bad)}
            )


def test_what_was_touched_is_told_from_what_was_changed(repo: Repository) -> None:
    links_and_modes(repo)
    trees = repo.trees()
    tree = trees.take_snapshot().tree
    entries = trees.list_entries(tree)

    def says(path: str) -> bool:
        return is_as_written(trees.objects, os.path.join(slot.tree, path), entries[path])

    with CheckoutPool(trees).lease_slot(tree) as slot:
        root = Path(slot.tree)
        (root / "run.sh").touch()
        (root / "was_plain").write_text("x")
        assert [says(path) for path in ("run.sh", "was_plain", "link")] == [True] * 3
        (root / "run.sh").chmod(0o644)
        (root / "was_plain").write_text("y")
        (root / "link").unlink()
        (root / "link").write_text("run.sh")
        (root / "dangling").unlink()
        (root / "loop").unlink()
        os.mkfifo(root / "loop")
        names = ("run.sh", "was_plain", "link", "dangling", "loop")
        assert [says(path) for path in names] == [False] * 5
