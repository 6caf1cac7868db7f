"""Packs the objects of snapshots that runs name, and finds those that none names.

A snapshot writes every new file and folder as a small file. In a pack they take little room.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from goalkeeper.app.cleaning import BLOCK_BYTES, YOUNG_SECONDS, Garbage
from goalkeeper.git.refs import OURS
from goalkeeper.git.repository import Git, GitFailed, open_git
from goalkeeper.git.trees import Trees
from goalkeeper.git.worktrees import Worktrees
from goalkeeper.system.safe_open import replace_file
from goalkeeper.wire.value import Value

_HEX_FOLDER_LENGTH = 2
_UNNAMED = ".unnamed"  # a file beside a pack of what no run names
_SUFFIXES = (".idx", ".pack", ".rev", ".mtimes", _UNNAMED)


class StoredObjects(Value):
    """What our object store holds: single files by id, and packs with what is in them."""

    loose: dict[str, os.stat_result]
    packs: dict[str, frozenset[str]]

    @property
    def all_ids(self) -> set[str]:
        return {*self.loose}.union(*self.packs.values())


def find_packable(trees: Trees, named: set[str], now: float, *, least: int) -> Iterator[Garbage]:
    """Find single objects that can be packed or removed, if there are at least so many."""
    folder = os.path.join(trees.store, "store.git", "objects")
    loose = _list_loose(folder)
    if loose and len(loose) >= least:
        stored = StoredObjects(loose, _list_packs(trees.own_git, folder))
        reachable = _list_reachable(trees.own_git, named & stored.all_ids)
        size = sum(about.st_blocks * BLOCK_BYTES for about in loose.values())
        cutoff = now - YOUNG_SECONDS
        pack = partial(_pack_objects, trees.own_git, folder, stored, reachable, cutoff)
        yield Garbage("snapshots that can be packed, or that no run names", folder, size, pack)


def find_half_written(trees: Trees, now: float) -> Iterator[Garbage]:
    """Find copies of the index and objects that a killed process left."""
    store, objects = trees.store, os.path.join(trees.store, "store.git", "objects")
    for folder, start in ((store, "index-"), (objects, "tmp_obj_")):
        with suppress(OSError):
            for entry in os.scandir(folder):
                about = entry.stat(follow_symlinks=False)
                if entry.name.startswith(start) and about.st_mtime < now - YOUNG_SECONDS:
                    size = about.st_blocks * BLOCK_BYTES
                    remove = shutil.rmtree if entry.is_dir(follow_symlinks=False) else _unlink
                    yield Garbage(
                        "left by a killed process", entry.path, size, partial(remove, entry.path)
                    )


class OwnBranch(Value):
    """A branch on which an agent worked on a goal."""

    run_id: str
    goal_id: str
    name: str
    tip: str
    is_contained: bool  # whether a branch of the user's has its commits


def find_done_branches(
    worktrees: Worktrees, is_done: Callable[[OwnBranch], bool]
) -> Iterator[Garbage]:
    """Find branches that `is_done` says nobody needs, with their worktrees."""
    for branch in _list_own_branches(open_git(worktrees.root)):
        if is_done(branch):
            own = worktrees.replace(run_id=branch.run_id)
            path = own.find_path(branch.goal_id)
            remove = partial(_remove_branch, own, branch, path)
            yield Garbage(f"branch {branch.name} at {branch.tip[:12]}", path, 0, remove)


def _list_own_branches(git: Git) -> Iterator[OwnBranch]:
    rows = git.ask_if_any("for-each-ref", "--format=%(refname) %(objectname)", OURS).splitlines()
    for ref, tip in (row.rsplit(" ", 1) for row in rows):
        run_id, _, goal_id = ref.removeprefix(OURS).partition("/")
        holders = git.ask_if_any(
            "for-each-ref", f"--contains={tip}", "--format=%(refname)", "refs/heads", "refs/remotes"
        )
        is_contained = any(not each.startswith(OURS) for each in holders.splitlines())
        name = ref.removeprefix("refs/heads/")
        if goal_id:
            yield OwnBranch(run_id, goal_id, name, tip, is_contained)


def _remove_branch(worktrees: Worktrees, branch: OwnBranch, path: str) -> None:
    """Remove a worktree unless it has changes that no commit has, and then its branch."""
    worktrees.remove_worktree(branch.goal_id)
    if os.path.lexists(path):
        raise OSError(errno.ENOTEMPTY, "it has changes that no commit has", path)
    with suppress(OSError):
        os.rmdir(os.path.dirname(path))
    git = open_git(worktrees.root)
    try:
        git.ask("update-ref", "-d", f"refs/heads/{branch.name}", branch.tip)
    except GitFailed as exc:
        raise OSError(errno.EBUSY, exc.message, path) from exc


def find_stale_refs(trees: Trees, named: set[str], now: float) -> Iterator[Garbage]:
    """Find base trees that no run names."""
    folder = os.path.join(trees.store, "store.git", "refs", "goalkeeper", "base")
    with suppress(OSError):
        for entry in os.scandir(folder):
            about = entry.stat(follow_symlinks=False)
            if entry.name not in named and about.st_mtime < now - YOUNG_SECONDS:
                size = about.st_blocks * BLOCK_BYTES
                yield Garbage(
                    "a base tree that no run names", entry.path, size, partial(_unlink, entry.path)
                )


def _list_loose(folder: str) -> dict[str, os.stat_result]:
    found = {}
    with suppress(OSError):
        for shelf in os.scandir(folder):
            if len(shelf.name) == _HEX_FOLDER_LENGTH:
                for entry in os.scandir(shelf.path):
                    found[shelf.name + entry.name] = entry.stat(follow_symlinks=False)
    return found


def _list_packs(git: Git, folder: str) -> dict[str, frozenset[str]]:
    found = {}
    with suppress(FileNotFoundError):
        for name in os.listdir(os.path.join(folder, "pack")):
            if name.endswith(".idx"):
                path = os.path.join(folder, "pack", name)
                with open(path, "rb") as file:
                    rows = git.call("show-index", input=file.read()).decode().splitlines()
                found[path.removesuffix(".idx")] = frozenset(row.split()[1] for row in rows)
    return found


def _list_reachable(git: Git, roots: set[str]) -> set[str]:
    """List all that trees and commits consist of, without the history of commits."""
    told = "".join(f"{name}\n" for name in sorted(roots)).encode()
    asked = ("rev-list", "--objects", "--no-walk=unsorted", "--missing=allow-any", "--stdin")
    rows = git.call(*asked, input=told).split(b"\n") if roots else []
    return {row.split(b" ", 1)[0].decode() for row in rows if row}


def _pack_objects(
    git: Git, folder: str, stored: StoredObjects, reachable: set[str], cutoff: float
) -> None:
    """Write one pack of what is named, and one of the rest, which goes when it is old.

    Then what is in them is removed.
    """
    unnamed = {path for path in stored.packs if os.path.lexists(path + _UNNAMED)}
    wanted = stored.all_ids & reachable
    young = {name for name, about in stored.loose.items() if about.st_mtime >= cutoff}
    rest = young.union(*(stored.packs[path] for path in stored.packs.keys() - unnamed)) - wanted
    made = {_write_pack(git, folder, wanted)} if wanted else set()
    for path in made:
        _unlink(path + _UNNAMED)
    if rest:
        packed = _write_pack(git, folder, rest)
        replace_file(packed + _UNNAMED, b"")
        made.add(packed)
    done = wanted | rest
    for name in stored.loose:
        path = os.path.join(folder, name[:_HEX_FOLDER_LENGTH], name[_HEX_FOLDER_LENGTH:])
        with suppress(FileNotFoundError):
            if name in done or os.stat(path).st_mtime < cutoff:  # it may be in use by now
                os.unlink(path)
        with suppress(OSError):
            os.rmdir(os.path.dirname(path))
    for path in stored.packs.keys() - made:
        if path not in unnamed or os.stat(f"{path}.pack").st_mtime < cutoff:
            for suffix in _SUFFIXES:
                _unlink(path + suffix)


def _write_pack(git: Git, folder: str, names: set[str]) -> str:
    """Write a pack; return its path without an ending."""
    told = "".join(f"{name}\n" for name in sorted(names)).encode()
    try:
        made = git.ask("pack-objects", "--quiet", os.path.join(folder, "pack", "pack"), input=told)
    except GitFailed as exc:
        raise OSError(errno.EIO, exc.message, folder) from exc
    return os.path.join(folder, "pack", f"pack-{made}")


def _unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
