"""What programs open is seen, also in a sandbox; what is lost is not taken for nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from goalkeeper.system.opens import OpenWatch


def make_tree(root: Path) -> Path:
    (root / "src").mkdir(parents=True)
    for name in ("run.sh", "src/a.txt", "src/b.txt"):
        (root / name).write_text("cat src/a.txt\n")
    return root


def test_every_way_to_open_a_file_is_seen(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree")
    watch = OpenWatch(str(root), ["", "src"])
    (root / "run.sh").chmod(0o755)

    def seen(*argv: str) -> tuple[set[str], set[str]] | None:
        subprocess.run(argv, cwd=root, check=True, capture_output=True)
        return watch.take_opened()

    assert seen("sh", "run.sh") == ({"run.sh", "src/a.txt"}, set())
    assert seen("ls", "src") == (set(), {"src"})
    assert seen("test", "-f", "src/b.txt") == (set(), set())
    shut_in = ("bwrap", "--ro-bind", "/", "/", "--bind", str(root), str(root), "--chdir", str(root))
    assert seen(*shut_in, "grep", "cat", "src/b.txt") == ({"src/b.txt"}, set())
    watch.close()


def test_what_cannot_be_watched_whole_is_unknown(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree")
    missing, watched = OpenWatch(str(root), ["", "gone"]), OpenWatch(str(root), ["src"])

    assert missing.take_opened() is None
    (root / "src").rename(root / "old")
    os.rename(root / "old", root / "src")  # a rename keeps the folder, so it is still seen
    assert watched.take_opened() == (set(), set())
    for file in (root / "src").iterdir():
        file.unlink()
    (root / "src").rmdir()
    assert watched.take_opened() is None
    missing.close()
    watched.close()


def test_too_many_events_are_unknown(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree")
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    watch = OpenWatch(str(root), ["", "src"])

    for _ in range(most // 2 + 1):  # events that are the same as the last one are not repeated
        for name in ("src/a.txt", "src/b.txt"):
            os.close(os.open(root / name, os.O_RDONLY))

    assert watch.take_opened() is None
    watch.close()
