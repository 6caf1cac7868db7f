"""States a repository may be in when somebody looks at it."""

import os
import shutil
import subprocess

from tests.contract.witness.repository import Repository

LFS_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


def plain(repo: Repository) -> None:
    repo.write("a.txt", "one\n")
    repo.write("src/b.py", "x = 1\n")
    repo.commit()


def modified(repo: Repository) -> None:
    plain(repo)
    repo.write("a.txt", "two\n")
    repo.write("new/untracked.txt", "new\n")
    (repo.root / "src/b.py").unlink()


def ignored(repo: Repository) -> None:
    plain(repo)
    repo.write(".gitignore", "*.log\nout/\n")
    repo.write("x.log", "noise")
    repo.write("out/x", "noise")
    repo.write("kept.txt", "signal")


def ignored_but_tracked(repo: Repository) -> None:
    repo.write(".gitignore", "*.log\n")
    repo.write("x.log", "tracked")
    repo.git("add", "--force", "x.log")
    repo.commit()
    repo.write("x.log", "changed")


def excluded_by_the_user(repo: Repository) -> None:
    plain(repo)
    repo.write("mine.txt", "private")
    (repo.root / ".git/info").mkdir(exist_ok=True)
    (repo.root / ".git/info/exclude").write_text("mine.txt\n")


def staged(repo: Repository) -> None:
    plain(repo)
    repo.write("a.txt", "staged\n")
    repo.git("add", "a.txt")
    repo.write("a.txt", "and then changed\n")


def intent_to_add(repo: Repository) -> None:
    plain(repo)
    repo.write("later.txt", "later\n")
    repo.git("add", "--intent-to-add", "later.txt")


def sparse(repo: Repository) -> None:
    plain(repo)
    repo.write("docs/c.txt", "c\n")
    repo.commit()
    repo.git("sparse-checkout", "set", "--cone", "src")
    assert not (repo.root / "docs").exists()
    repo.write("src/b.py", "x = 2\n")


def sparse_with_state(repo: Repository) -> None:
    repo.write(".goalkeeper/config.toml", "version = 1\n")
    sparse(repo)


def split_index(repo: Repository) -> None:
    plain(repo)
    repo.git("config", "core.splitIndex", "true")
    repo.git("config", "splitIndex.maxPercentChange", "0")
    repo.git("update-index", "--split-index")
    repo.write("a.txt", "two\n")


def untracked_cache(repo: Repository) -> None:
    plain(repo)
    repo.git("config", "core.untrackedCache", "true")
    repo.git("update-index", "--untracked-cache")
    repo.git("status")
    repo.write("fresh.txt", "fresh\n")


def submodule(repo: Repository) -> None:
    other = Repository(repo.root.parent / "other")
    plain(other)
    plain(repo)
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.root), "sub")
    repo.commit()
    (repo.root / "sub/a.txt").write_text("dirty inside\n")


def nested_repository(repo: Repository) -> None:
    plain(repo)
    plain(Repository(repo.root / "nested"))


def lfs_pointer(repo: Repository) -> None:
    repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    repo.write("big.bin", LFS_POINTER)
    repo.commit()


def links_and_modes(repo: Repository) -> None:
    repo.write("run.sh", "#!/bin/sh\n", 0o755)
    repo.write("was_plain", "x")
    repo.commit()
    (repo.root / "was_plain").chmod(0o755)
    (repo.root / "link").symlink_to("run.sh")
    (repo.root / "dangling").symlink_to("/no/such/place")
    (repo.root / "loop").symlink_to("loop")
    (repo.root / "folder").symlink_to("..")


def odd_names(repo: Repository) -> None:
    for name in ("two\nlines", 'a "quoted" name', " blank ", "-dash", "tab\there", "ümlaut", ":/x"):
        repo.write(name, name)
    with open(os.path.join(os.fsencode(repo.root), b"caf\xe9.txt"), "wb") as file:
        file.write(b"latin")


def no_commits(repo: Repository) -> None:
    repo.write("a.txt", "one\n")


def nothing_at_all(repo: Repository) -> None:
    pass


def detached(repo: Repository) -> None:
    plain(repo)
    repo.git("checkout", "--quiet", "--detach")
    repo.write("a.txt", "two\n")


def line_endings(repo: Repository) -> None:
    repo.git("config", "core.autocrlf", "input")
    repo.write("dos.txt", "one\r\ntwo\r\n")


def emptied(repo: Repository) -> None:
    plain(repo)
    (repo.root / "a.txt").unlink()
    shutil.rmtree(repo.root / "src")


def file_to_folder(repo: Repository) -> None:
    plain(repo)
    (repo.root / "a.txt").unlink()
    repo.write("a.txt/inside", "now a folder")


def merging(repo: Repository) -> None:
    plain(repo)
    repo.git("checkout", "--quiet", "-b", "side")
    repo.write("a.txt", "side\n")
    repo.commit()
    repo.git("checkout", "--quiet", "main")
    repo.write("a.txt", "main\n")
    repo.commit()
    subprocess.run(
        ["git", "merge", "--quiet", "side"], cwd=repo.root, check=False, capture_output=True
    )
    assert "UU a.txt" in repo.git("status", "--porcelain")


STATES = [
    plain, modified, ignored, ignored_but_tracked, excluded_by_the_user, staged, intent_to_add,
    sparse, sparse_with_state, split_index, untracked_cache, submodule,
    nested_repository, lfs_pointer, links_and_modes, odd_names, no_commits, nothing_at_all,
    detached, line_endings, emptied, file_to_folder, merging,
]  # fmt: skip
