"""What a repository's own configuration has git run, and where it sends git to write."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.git.drivers import TrustDrivers, find_drivers, parse_config, trust_no_driver
from goalkeeper.git.repository import Git, GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.hold.sessions import ignored_folders
from tests.contract.witness.repository import Repository

NO_PARENT = bytes.fromhex("70000000")  # as files that list commits and parents have it


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "repo")
    repo.write(".gitattributes", "*.txt filter=x\n")
    repo.commit()
    repo.write("a.txt", "a\n")
    return repo


def add(repo: Repository, is_trusted: TrustDrivers = trust_no_driver) -> str:
    """What git keeps of a file that has a filter."""
    git = Git(str(repo.root), {}, (), is_trusted)
    git.call("add", "a.txt")
    return git.ask("cat-file", "blob", ":a.txt")


def test_a_filter_of_the_repositorys_own_runs_only_when_it_is_trusted(repo: Repository) -> None:
    repo.git("config", "filter.x.clean", "tr a b")

    with pytest.raises(GitFailed, match="clean filter 'x' failed") as failed:
        add(repo)

    assert "goalkeeper trust" in failed.value.hint
    assert add(repo, {"filter.x.clean": "tr a b"}.__eq__) == "b"


def test_a_filter_of_the_users_runs_also_where_the_repository_names_another(
    repo: Repository,
) -> None:
    repo.git("config", "--global", "filter.x.clean", "tr a u")
    assert add(repo) == "u"

    repo.git("config", "filter.x.clean", "tr a b")
    repo.git("rm", "--quiet", "--force", "--cached", "a.txt")
    assert add(repo) == "u"


def test_filters_and_hooks_are_found_in_included_files_and_for_linked_worktrees(
    repo: Repository, tmp_path: Path
) -> None:
    hook = '[hook "h"]\n\tevent = post-checkout\n\tcommand = run\n'
    repo.write("more.cfg", f'[Filter "a=b.c"]\n\tProcess = run\n{hook}')
    repo.git("config", "include.path", "../more.cfg")
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))

    for place in (repo.root, tmp_path / "linked"):
        found = {"filter.a=b.c.process": "run", "hook.h.command": "run"}
        assert find_drivers(Git(str(place), {}, ()).read_config()) == found
        assert Git(str(place), {}, ()).ask("config", "filter.a=b.c.process") == ""
        assert Git(str(place), {}, ()).ask("config", "hook.h.command") == "true"


def link_configuration(git: Path) -> None:
    (git / "config").rename(git / "c")
    (git / "config").symlink_to("c")


def link_configuration_of_worktree(git: Path) -> None:
    (git / "c").write_bytes((git / "config").read_bytes())
    (git / "config.worktree").symlink_to("c")
    (git / "config").write_text(
        "[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig = true\n"
    )


def link_shared_folder(git: Path) -> None:
    move_shared_folder(git, "w")
    (git / "commondir").rename(git / "told")
    (git / "commondir").symlink_to("told")


def put_decoy_beside_shared_folder(git: Path) -> None:
    move_shared_folder(git, " w")
    shutil.copytree(git / " w", git / "w")
    (git / "w/config").write_text("")


def move_shared_folder(git: Path, name: str) -> None:
    (git / name).mkdir()
    for moved in ("config", "objects", "refs"):
        (git / moved).rename(git / name / moved)
    (git / "config").write_text("")
    (git / "commondir").write_text(f"{name}\n")


def lengthen_configuration(git: Path) -> None:
    said = (git / "config").read_bytes()
    (git / "config").write_bytes(b"#" * (1 << 20) + b"\n" + said)


def move_repository_out(git: Path) -> None:
    """Leave a folder that looks like a repository to us, while git takes the one around it."""
    for moved in ("HEAD", "config", "objects", "refs"):
        (git / moved).rename(git.parent / moved)
    with (git.parent / "config").open("a") as config:
        config.write(f"[core]\nworktree = {git.parent}\n")
    (git / "config").write_text("")


@pytest.mark.parametrize(
    "disguise",
    [
        link_configuration,
        link_configuration_of_worktree,
        link_shared_folder,
        put_decoy_beside_shared_folder,
        lengthen_configuration,
        move_repository_out,
    ],
)
def test_a_filter_is_found_however_the_configuration_is_laid_out(
    repo: Repository, disguise: Callable[[Path], None]
) -> None:
    repo.git("config", "filter.x.clean", "tr a b")
    disguise(repo.root / ".git")

    git = Git(str(repo.root), {}, ())

    with pytest.raises(GitFailed, match="clean filter 'x' failed"):
        git.call("add", "a.txt")
    assert git.ask("config", "--get-all", "filter.x.clean") == "tr a b"


def test_a_worktree_elsewhere_is_not_written_to(repo: Repository, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "home"))
    git = Git(str(repo.root), {}, ())

    git.call("checkout", "--force", "HEAD", "--", ".gitattributes")

    assert git.ask("rev-parse", "--show-toplevel") == str(repo.root)
    assert list((tmp_path / "home").iterdir()) == []


def test_a_missing_object_is_not_fetched_by_a_program_of_the_repositorys_own(
    repo: Repository, tmp_path: Path
) -> None:
    program = repo.write(".git/p", f"#!/bin/sh\ntouch {tmp_path}/mark\n", mode=0o755)
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "git://localhost/x",
        "core.gitProxy": str(program),
    }.items():
        repo.git("config", key, value)
    head = repo.git("rev-parse", "HEAD")
    (repo.root / ".git/objects" / head[:2] / head[2:]).unlink()

    git = Git(str(repo.root), {}, ())
    with pytest.raises(GitFailed):
        git.call("cat-file", "commit", head)
    with git.start("cat-file", "--batch") as asked:
        asked.communicate(f"{head}\n".encode())

    assert not (tmp_path / "mark").exists()


def test_no_program_looks_at_signatures_where_the_history_is_read(
    repo: Repository, tmp_path: Path
) -> None:
    repo.git("config", "log.showSignature", "true")
    program = repo.write(".git/p", f"#!/bin/sh\ntouch {tmp_path}/mark\n", mode=0o755)
    repo.git("config", "gpg.program", str(program))
    head, _, said = repo.git("cat-file", "commit", "HEAD").partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n -----END PGP SIGNATURE-----\n\n{said}"
    commit = repo.git("hash-object", "-t", "commit", "-w", "--stdin", input=signed.encode())

    assert Git(str(repo.root), {}, ()).ask("log", "-1", "--format=%s", commit) == "a step"
    assert not (tmp_path / "mark").exists()


def test_a_commit_is_listed_also_if_a_file_beside_the_objects_hides_it(repo: Repository) -> None:
    first, hidden = repo.commit(), repo.commit()
    repo.write("one.txt")
    child = repo.commit()
    repo.write("two.txt")
    last = repo.commit()
    repo.git("commit-graph", "write", "--reachable")
    graph = repo.root / ".git/objects/info/commit-graph"
    tree = bytes.fromhex(repo.git("rev-parse", f"{child}^{{tree}}"))
    before, after = graph.read_bytes().split(tree)
    graph.chmod(0o644)
    graph.write_bytes(before + tree + NO_PARENT + after[len(NO_PARENT) :])
    assert hidden not in repo.git("rev-list", last)

    listed = repo.trees().list_commits(first, last)

    assert [each.id for each in listed] == [last, child, hidden]


def test_a_configuration_that_git_cannot_read_names_nothing(repo: Repository) -> None:
    (repo.root / ".git/config").write_text("[filter\n")

    assert Git(str(repo.root), {}, ()).read_config() == parse_config(b"") == []


def test_a_snapshot_runs_nothing_that_a_submodule_names_and_has_its_commit(
    repo: Repository, tmp_path: Path
) -> None:
    inner = Repository(repo.root / "sub")
    inner.write("file", "one\n")
    inner.write(".gitattributes", "* filter=y\n")
    inner.commit()
    repo.commit()
    later = inner.commit("later")
    wanted = repo.tree()
    inner.git("config", "filter.y.clean", f"touch {tmp_path}/mark; cat")
    inner.write("file", "two\n")

    assert repo.trees().take_snapshot().tree == wanted
    assert repo.git("ls-tree", wanted, "sub").split()[2] == later
    inner.git("update-ref", "HEAD", "HEAD~1")  # the index has this commit: git looks into it
    repo.trees().take_snapshot()
    assert not (tmp_path / "mark").exists()


def test_a_git_of_the_repository_does_not_list_what_is_ignored(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(".gitignore", "made/\n")
    repo.write("made/file")
    repo.write("bin/git", f"#!/bin/sh\ntouch {tmp_path}/mark\n", mode=0o755)
    monkeypatch.setenv("PATH", f"{repo.root}/bin:{os.environ['PATH']}")

    assert ignored_folders(Trees(str(repo.root), str(tmp_path / "store"))) == ("made",)
    assert not (tmp_path / "mark").exists()
