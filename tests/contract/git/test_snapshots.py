"""The working tree as it is, as a tree; and nothing of the user's is changed by looking."""

import os
import shlex
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.git.ownership import NoRepository
from goalkeeper.git.repository import GitFailed, GitMissing, NoCommitInside
from goalkeeper.git.trees import Trees
from tests.contract.witness.repository import Repository
from tests.contract.witness.states import STATES, detached, modified, odd_names, plain
from tests.tables import for_each


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


@for_each(
    ("state", "ids"),
    [*((state, "sha1") for state in STATES), (modified, "sha256"), (odd_names, "sha256")],
)
def test_a_snapshot_is_what_git_would_commit_and_changes_nothing(
    state: Callable[[Repository], None], ids: str, tmp_path: Path
) -> None:
    repo = Repository(tmp_path / "repo", f"--object-format={ids}")
    state(repo)
    stash = repo.git("rev-parse", "--all")
    trees = repo.trees()
    before = repo.fingerprint()

    seen = trees.take_snapshot()

    assert repo.fingerprint() == before
    assert seen.tree == repo.tree()
    assert len(seen.tree) == {"sha1": 40, "sha256": 64}[ids]
    assert repo.git("rev-parse", "--all") == stash
    assert trees.take_snapshot() == seen


def test_a_snapshot_names_the_commit_it_was_made_on(repo: Repository) -> None:
    assert repo.trees().take_snapshot().commit == ""
    plain(repo)
    head = repo.git("rev-parse", "HEAD")
    assert repo.trees().take_snapshot().commit == head
    detached(repo)
    assert repo.trees().take_snapshot().commit == repo.git("rev-parse", "HEAD")


def test_git_sees_the_users_own_settings_and_none_of_the_repository(
    repo: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain(repo)
    clean = repo.trees().take_snapshot().tree
    repo.write("noise.log", "noise\n")
    mine = tmp_path / "mine"
    (mine / "git").mkdir(parents=True)
    (mine / "git/ignore").write_text("*.log\n")
    (tmp_path / "global").write_text(f"[core]\n\texcludesFile = {mine}/git/ignore\n")

    for name, value in [("XDG_CONFIG_HOME", mine), ("GIT_CONFIG_GLOBAL", tmp_path / "global")]:
        with monkeypatch.context() as patched:
            patched.setenv(name, str(value))
            assert repo.trees().take_snapshot().tree == clean

    repo.write("git/ignore", "*\n")
    whole = repo.tree()
    monkeypatch.setenv("HOME", ".")
    monkeypatch.setenv("XDG_CONFIG_HOME", ".")
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    assert repo.trees().take_snapshot().tree == whole != clean


def test_line_endings_that_git_would_not_add_are_part_of_the_work(repo: Repository) -> None:
    plain(repo)
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.safecrlf", "true")
    repo.write("mixed.txt", "one\ntwo\r\n")

    assert "mixed.txt" in repo.trees().list_entries(repo.trees().take_snapshot().tree)


def test_our_own_records_are_no_part_of_the_work(repo: Repository) -> None:
    plain(repo)
    repo.write(".goalkeeper/config.toml", "version = 1\n")
    for name in ("runs/1/ledger.jsonl", "archive/x", "cache/y", "current", "hold/z"):
        repo.write(f".goalkeeper/{name}", "ours")
    before = repo.fingerprint()

    paths = repo.trees().list_entries(repo.trees().take_snapshot().tree)

    assert sorted(paths) == [".goalkeeper/config.toml", "a.txt", "src/b.py"]
    assert repo.fingerprint() == before


def test_a_linked_worktree_is_seen_as_itself(repo: Repository, tmp_path: Path) -> None:
    plain(repo)
    linked = Repository.__new__(Repository)
    linked.root = tmp_path / "linked"
    repo.git("worktree", "add", "--quiet", "-b", "side", str(linked.root))
    linked.write("only-here.txt", "here")
    before = repo.fingerprint(), linked.fingerprint()
    trees = Trees(str(linked.root), str(tmp_path / "store"))

    seen = trees.take_snapshot()

    assert (repo.fingerprint(), linked.fingerprint()) == before
    assert "only-here.txt" in trees.list_entries(seen.tree)
    assert seen.tree == linked.tree() != repo.trees().take_snapshot().tree
    assert sorted(trees.list_worktrees()) == sorted([str(linked.root), str(repo.root)])


def test_the_store_is_made_once_and_borrows_from_the_repository(repo: Repository) -> None:
    plain(repo)
    first = repo.trees()
    first.take_snapshot()
    head = Path(first.git_dir, "HEAD")
    made = head.stat().st_ctime_ns

    second = repo.trees()
    second.take_snapshot()

    assert head.stat().st_ctime_ns == made
    assert second.list_entries(repo.git("rev-parse", "HEAD^{tree}")).keys() == {"a.txt", "src/b.py"}
    assert stat.S_IMODE(Path(first.store).stat().st_mode) == 0o700


def test_the_users_hooks_and_helpers_do_not_run(repo: Repository, tmp_path: Path) -> None:
    plain(repo)
    trap = repo.write(".git/hooks/trap", f"#!/bin/sh\ntouch {tmp_path}/sprung\n", 0o755)
    for name in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction"):
        shutil.copy(trap, repo.root / ".git/hooks" / name)
    repo.git("config", "core.fsmonitor", str(trap))
    repo.write("a.txt", "two\n")
    trees = repo.trees()

    trees.keep_tree("x", trees.take_snapshot().tree)

    assert not (tmp_path / "sprung").exists()


def no_special_rights(folder: Path) -> str:
    """A PATH on which git is not above the rights of files, not even for root."""
    real = shutil.which("git")
    caps = "-dac_override,-dac_read_search"
    (folder / "bin").mkdir()
    script = folder / "bin" / "git"
    start = f"setpriv --bounding-set={caps} --inh-caps={caps} " if os.geteuid() == 0 else ""
    script.write_text(f'#!/bin/sh\nexec {start}{real} "$@"\n')
    script.chmod(0o755)
    return f"{folder / 'bin'}:{os.environ['PATH']}"


@pytest.mark.needs("setpriv")
def test_an_unreadable_file_is_no_missing_file(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain(repo)
    repo.write("secret.txt", "unreadable", 0o000)
    monkeypatch.setenv("PATH", no_special_rights(tmp_path))

    with pytest.raises(GitFailed) as failed:
        repo.trees().take_snapshot()

    assert "secret.txt" in str(failed.value)
    assert failed.value.exit_code == 5


@pytest.mark.parametrize("name", ["empty", "deep/em pty", "it's $HOME"])
def test_a_repository_inside_without_a_commit_is_named(repo: Repository, name: str) -> None:
    plain(repo)
    inner = Repository(repo.root / name)

    with pytest.raises(NoCommitInside) as refused:
        repo.trees().take_snapshot()

    words = shlex.split(refused.value.hint.partition(", ")[0])
    assert words == ["rm", "-rf", f"{inner.root}/.git"]


def test_a_place_without_a_repository_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken/.git").mkdir(parents=True)

    for place in (tmp_path, tmp_path / "broken"):
        with pytest.raises(NoRepository) as refused:
            Trees(str(place), str(tmp_path / "store")).take_snapshot()
        assert str(place) in str(refused.value)


def test_git_that_is_not_installed_is_named(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(GitMissing):
        repo.trees().take_snapshot()


@for_each("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_was_told_to_look_away_from_is_looked_at(flag: str, tmp_path: Path) -> None:
    repo = Repository(tmp_path / "repository")
    repo.write("a.txt", "as committed\n")
    repo.commit()
    repo.git("update-index", flag, "a.txt")
    repo.write("a.txt", "as it is\n")
    trees = Trees(str(repo.root), str(tmp_path / "store"))

    blob = trees.list_entries(trees.take_snapshot().tree)["a.txt"]

    assert trees.read_blobs([blob.id])[blob.id] == b"as it is\n"
