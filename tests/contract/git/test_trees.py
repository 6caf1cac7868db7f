"""Trees of a repository: what is in them, how they differ, and trees composed of others."""

import os
from pathlib import Path

import pytest

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.errors import UsageError
from goalkeeper.git.folders import Blob
from goalkeeper.git.repository import GitFailed
from tests.contract.witness.repository import Repository
from tests.contract.witness.states import links_and_modes, odd_names, plain


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def test_entries_and_blobs_give_modes_and_contents(repo: Repository) -> None:
    links_and_modes(repo)
    odd_names(repo)
    trees = repo.trees()

    entries = trees.list_entries(trees.take_snapshot().tree)
    contents = trees.read_blobs([blob.id for blob in entries.values()])

    modes = {path: blob.mode for path, blob in entries.items()}
    assert (modes["run.sh"], modes["was_plain"], modes["link"]) == ("100755", "100755", "120000")
    assert contents[entries["link"].id] == b"run.sh"
    assert contents[entries["two\nlines"].id] == b"two\nlines"
    assert contents[entries[os.fsdecode(b"caf\xe9.txt")].id] == b"latin"


def test_blobs_that_are_not_there_are_left_out(repo: Repository) -> None:
    trees = repo.trees()
    tricky = b"\n\n4 blob 7\nmissing\n\0"
    known = trees.write_blob(tricky)

    assert trees.read_blobs([]) == {}
    assert trees.read_blobs(["0" * 40, known, "f" * 40]) == {known: tricky}


def test_changes_tell_both_sides_of_every_file(repo: Repository) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    repo.write("moved.txt", text)
    repo.write("edited.txt", "old\n")
    repo.write("gone.txt", "gone\n")
    repo.write("tool", "#!/bin/sh\n")
    repo.write("was_file", "x")
    base = repo.trees().take_snapshot().tree
    (repo.root / "moved.txt").rename(repo.root / "new place.txt")
    repo.write("new place.txt", text + "more\n")
    repo.write("edited.txt", "new\n")
    (repo.root / "gone.txt").unlink()
    (repo.root / "tool").chmod(0o755)
    (repo.root / "was_file").unlink()
    (repo.root / "was_file").symlink_to("tool")
    repo.write("added.txt", "added\n")
    trees = repo.trees()

    changes = {
        change.path: change for change in trees.list_changes(base, trees.take_snapshot().tree)
    }

    assert changes["new place.txt"] == FileChange(
        "new place.txt", "moved.txt", text.encode(), (text + "more\n").encode()
    )
    assert changes["edited.txt"] == FileChange("edited.txt", "edited.txt", b"old\n", b"new\n")
    gone, added = changes["gone.txt"], changes["added.txt"]
    assert (gone.old_path, gone.old, gone.new) == ("gone.txt", b"gone\n", None)
    assert (added.old_path, added.old, added.new) == ("", None, b"added\n")
    assert (changes["tool"].old_mode, changes["tool"].new_mode) == ("100644", "100755")
    assert (changes["was_file"].new, changes["was_file"].new_mode) == (b"tool", "120000")
    assert len(changes) == 6
    assert trees.list_changes(base, base) == ()


def test_changes_know_odd_names(repo: Repository) -> None:
    trees = repo.trees()
    base = trees.take_snapshot().tree
    odd_names(repo)

    paths = [change.path for change in trees.list_changes(base, trees.take_snapshot().tree)]

    assert "two\nlines" in paths
    assert os.fsdecode(b"caf\xe9.txt") in paths


def test_a_submodule_has_no_contents(repo: Repository) -> None:
    """Not even when the commit it is at happens to be one of ours."""
    plain(repo)
    head = repo.git("rev-parse", "HEAD")
    trees = repo.trees()
    base = trees.take_snapshot().tree

    tree = trees.compose_tree(base, {"sub": Blob("160000", head)})
    (change,) = trees.list_changes(base, tree)

    assert (change.path, change.new, change.new_mode) == ("sub", None, "160000")


def test_composed_trees_replace_add_and_leave_out(repo: Repository) -> None:
    plain(repo)
    odd_names(repo)
    trees = repo.trees()
    base = trees.take_snapshot().tree
    before = trees.list_entries(base)
    new = Blob("100755", trees.write_blob(b"new"))

    tree = trees.compose_tree(
        base,
        {"a.txt": new, "deep/er/x": new, "src/b.py": None, "two\nlines": None, "never/was": None},
    )

    after = trees.list_entries(tree)
    assert (after["a.txt"], after["deep/er/x"]) == (new, new)
    assert before.keys() - after.keys() == {"src/b.py", "two\nlines"}
    assert trees.compose_tree(base, {}) == base
    assert trees.compose_tree(base, {"src": new, "src/b.py": None}) != base
    assert "src" in trees.list_entries(trees.compose_tree(base, {"src": new}))


def test_commits_since_a_base_are_listed_newest_first(repo: Repository) -> None:
    plain(repo)
    base = repo.git("rev-parse", "HEAD")
    repo.write("src/b.py", "x = 2\n")
    repo.commit("feat: two\n\nbody\n\nmore ümläut")
    repo.write("a.txt", "three\n")
    repo.commit("fix: three")
    head = repo.git("rev-parse", "HEAD")
    trees = repo.trees()

    messages = [commit.message for commit in trees.list_commits(base, head)]

    assert messages == ["fix: three", "feat: two\n\nbody\n\nmore ümläut"]
    assert [c.message for c in trees.list_commits(base, head, ":(glob)src/**")] == messages[1:]
    assert trees.list_commits(base, head)[0].id == head
    assert trees.list_commits(base, head)[0].at == int(repo.git("log", "-1", "--format=%ct"))
    assert len(trees.list_commits("", head)) == 3
    assert trees.list_commits(base, "") == ()
    assert trees.list_commits(head, head) == ()


def test_commits_of_a_shallow_clone_are_those_it_has(repo: Repository, tmp_path: Path) -> None:
    for number in range(4):
        repo.write("a.txt", str(number))
        repo.commit(f"step {number}")
    clone = Repository.__new__(Repository)
    clone.root = tmp_path / "clone"
    repo.git("clone", "--quiet", "--depth=2", f"file://{repo.root}", str(clone.root))
    base, head = clone.git("rev-parse", "HEAD~1"), clone.git("rev-parse", "HEAD")
    trees = clone.trees()

    assert [commit.message for commit in trees.list_commits(base, head)] == ["step 3"]
    assert [commit.message for commit in trees.list_commits("", head)] == ["step 3", "step 2"]


def test_what_the_user_names_is_resolved_or_refused(repo: Repository) -> None:
    plain(repo)
    trees = repo.trees()
    head, tree = repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "HEAD^{tree}")

    assert trees.resolve_revision("main") == trees.resolve_revision(head[:10])
    assert (trees.resolve_revision("HEAD").tree, trees.resolve_revision("HEAD").commit) == (
        tree,
        head,
    )
    assert (trees.resolve_revision(tree).tree, trees.resolve_revision(tree).commit) == (tree, "")
    for wrong in ("nowhere", "--all", "HEAD:a.txt", "", "f" * 40):
        with pytest.raises(UsageError, match="is not a commit or tree"):
            trees.resolve_revision(wrong)


def test_replaced_objects_are_not_believed(repo: Repository) -> None:
    plain(repo)
    tree = repo.git("rev-parse", "HEAD^{tree}")
    forged = repo.git("mktree")
    repo.git("replace", tree, forged)

    assert repo.trees().list_entries(tree).keys() == {"a.txt", "src/b.py"}


def test_kept_trees_survive_the_collection_of_garbage(repo: Repository) -> None:
    plain(repo)
    trees = repo.trees()
    repo.write("only-here.txt", "never committed")
    kept = trees.take_snapshot().tree
    repo.write("only-here.txt", "nor this")
    lost = trees.take_snapshot().tree
    trees.keep_tree("base/one", kept)

    trees.own_git.call("gc", "--quiet", "--prune=now")

    assert "only-here.txt" in repo.trees().list_entries(kept)
    with pytest.raises(GitFailed):
        repo.trees().list_entries(lost)
