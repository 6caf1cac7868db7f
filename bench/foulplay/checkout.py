"""Trees out of trees: what a worker leaves, as another would receive it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from bench.foulplay.edits import copy_tree, git
from bench.foulplay.host import Host


def base_files(host: Host, place: Path) -> None:
    copy_tree(host.folder / "files", place)
    shutil.copy(host.folder / "contract.yaml", place)
    shutil.copy(host.folder / "goal.md", place)


def base_tree(host: Host, place: Path) -> str:
    """Make the repository in which a worker starts; its first commit."""
    base_files(host, place)
    git(place, "init", "--quiet", "--initial-branch=main")
    git(place, "add", "--all")
    git(place, "commit", "--quiet", "--message=base")
    return git(place, "rev-parse", "HEAD")


def snapshot(place: Path) -> str:
    """A commit of all that git would take, made beside the worker's index."""
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git(place, "read-tree", "HEAD", env=index)
        git(place, "add", "--all", env=index)
        tree = git(place, "write-tree", env=index)
    return git(place, "commit-tree", tree, "-p", "HEAD", "-m", "what the worker left")


def clean_checkout(place: Path, commit: str, target: Path) -> Path:
    git(place, "clone", "--quiet", "--no-checkout", "--shared", str(place), str(target))
    git(target, "checkout", "--quiet", "--detach", commit)
    return target
