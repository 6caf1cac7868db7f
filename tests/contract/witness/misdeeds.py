"""What a check may do to the checkout it runs in."""

import mmap
import os
import shutil
from pathlib import Path

from tests.contract.witness.repository import Repository


def changed_in_place(root: Path) -> None:
    (root / "a.txt").write_text("two\n")


def changed_and_dated_back(root: Path) -> None:
    stat = (root / "a.txt").stat()
    (root / "a.txt").write_text("two\n")
    os.utime(root / "a.txt", ns=(stat.st_atime_ns, stat.st_mtime_ns))


def changed_in_shared_memory(root: Path) -> None:
    """In tmpfs the file keeps its times, as its page is read before it is written."""
    with (root / "a.txt").open("r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
        pages[:] = pages[::-1]


def deleted(root: Path) -> None:
    (root / "a.txt").unlink()
    shutil.rmtree(root / "src")


def added(root: Path) -> None:
    (root / "new.txt").write_text("new")
    (root / "noise.log").write_text("ignored by git")
    (root / "src/new").mkdir()
    (root / "src/new/x.py").write_text("x")
    (root / "empty/folder").mkdir(parents=True)


def executable(root: Path) -> None:
    (root / "a.txt").chmod(0o755)
    (root / "run.sh").chmod(0o644)


def locked_up(root: Path) -> None:
    (root / "new/deep").mkdir(parents=True)
    (root / "new/deep/x").write_text("x")
    (root / "new/deep").chmod(0o000)
    (root / "new").chmod(0o000)
    (root / "src").chmod(0o000)


def file_becomes_link(root: Path) -> None:
    (root / "a.txt").unlink()
    (root / "a.txt").symlink_to("/etc/passwd")


def folder_becomes_link(root: Path) -> None:
    (root / "src").rename(root / "elsewhere")
    (root / "src").symlink_to("elsewhere")


def folder_becomes_link_to_outside(root: Path) -> None:
    outside = root.parent.parent.parent / "outside"
    shutil.move(root / "src", outside)
    (root / "src").symlink_to(outside)


def folder_becomes_file(root: Path) -> None:
    shutil.rmtree(root / "src")
    (root / "src").write_text("not a folder")


def file_becomes_folder(root: Path) -> None:
    (root / "a.txt").unlink()
    (root / "a.txt/b").mkdir(parents=True)


def link_becomes_file(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").write_text("a.txt")


def repository_inside(root: Path) -> None:
    Repository(root / "nested").write("x", "x")
    Repository(root / "src/nested").commit()


def repository_around(root: Path) -> None:
    """Git looks away from everything called .git."""
    Repository(root).write(".git/count", "1")
    (root / "src/.git").mkdir()
    (root / "src/.git/count").write_text("1")
    (root / "tests/.git").write_text("gitdir: /somewhere")


def everything_gone(root: Path) -> None:
    shutil.rmtree(root)


def checkout_becomes_link(root: Path) -> None:
    root.rename(root.parent / "moved")
    root.symlink_to("moved")


def ignores_of_its_own(root: Path) -> None:
    (root / ".gitignore").write_text("*\n")
    (root / "src/.gitignore").write_text("*\n")
    (root / "src/hidden.py").write_text("x")


def special_files(root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "a.txt").unlink()
    os.mkfifo(root / "a.txt")


def odd_names(root: Path) -> None:
    for name in (b"caf\xe9", b"two\nlines", b"-rf", b"!x", b"[a]", b"#x"):
        with open(os.path.join(os.fsencode(root), name), "wb"):
            pass


MISDEEDS = [
    changed_in_place, changed_and_dated_back, changed_in_shared_memory, deleted, added, executable,
    locked_up,
    file_becomes_link, folder_becomes_link, folder_becomes_link_to_outside, folder_becomes_file,
    file_becomes_folder, link_becomes_file, repository_inside, repository_around, everything_gone,
    checkout_becomes_link, ignores_of_its_own, special_files, odd_names,
]  # fmt: skip
