"""Checkouts that are used again: a slot holds one tree at a time, and is leased to one user.

A slot keeps git's index of its files, so that preparing it for the next tree writes only what
differs. What a check changed or left behind is seen by size, times and inode, and undone.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from goalkeeper.errors import OutsideError
from goalkeeper.plainly import contents
from goalkeeper.wire.value import Value
from goalkeeper.witness.git import GitFailed
from goalkeeper.witness.trees import SUBMODULE, Trees

_SLOTS = 64
_TICK_NS = 10_000_000  # the coarsest clock that file times are taken from


class PoolFull(OutsideError):
    """All {count} checkouts in {place} are in use."""

    code = "pool-full"
    hint = "wait for the other proofs to end, or remove {place}"


class Slot(Value):
    """A leased checkout. `home` and `tmp` are empty folders for the check that runs next."""

    dir: str

    @property
    def tree(self) -> str:
        return os.path.join(self.dir, "tree")

    @property
    def index(self) -> str:
        return os.path.join(self.dir, "index")

    @property
    def home(self) -> str:
        return os.path.join(self.dir, "home")

    @property
    def tmp(self) -> str:
        return os.path.join(self.dir, "tmp")

    @property
    def setup(self) -> str:
        return os.path.join(self.dir, "setup.json")

    def ask(self, trees: Trees, *args: str) -> bytes:
        """git, about the files of this checkout."""
        return trees.ask(*args, index=self.index, worktree=self.tree)

    def empty_rooms(self) -> None:
        """A home and a tmp that nobody has used."""
        for place in (self.home, self.tmp):
            if not os.path.isdir(place) or os.listdir(place):
                remove(place)
                os.makedirs(place, mode=0o700)


class Pool:
    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._dir = os.path.join(trees.rooms, "slots")

    @contextmanager
    def lease(
        self,
        tree: str,
        *,
        fresh: bool = False,
        kept: Callable[[Slot], tuple[str, ...]] = lambda _: (),
    ) -> Iterator[Slot]:
        """A clean checkout of `tree` that nobody else uses.

        `fresh` trusts nothing of the slot's past: every file is written anew.
        `kept` names the untracked paths that stay (what set-up made).
        """
        with self._free(tree) as slot:
            if fresh:
                remove(slot.dir, but="lock")
            self.prepare(slot, tree, kept(slot))
            try:
                yield slot
            finally:
                with suppress(OSError):
                    os.replace(_note(slot, tree), os.path.join(slot.dir, "of"))

    @contextmanager
    def _free(self, tree: str) -> Iterator[Slot]:
        os.makedirs(self._dir, mode=0o700, exist_ok=True)
        for number in self._order(tree):
            slot = Slot(os.path.join(self._dir, str(number)))
            os.makedirs(slot.dir, mode=0o700, exist_ok=True)
            fd = os.open(
                os.path.join(slot.dir, "lock"),
                os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK,
                0o600,
            )
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(fd)
                continue
            try:
                yield slot
            finally:
                os.close(fd)
            return
        raise PoolFull(count=_SLOTS, place=self._dir)

    def _order(self, tree: str) -> list[int]:
        """Slots that held this tree last come first."""
        numbers = range(_SLOTS)
        return sorted(numbers, key=lambda n: (self._last(n) != tree, n))

    def _last(self, number: int) -> str:
        return contents(os.path.join(self._dir, str(number), "of")).decode(errors="replace")

    def prepare(self, slot: Slot, tree: str, kept: tuple[str, ...]) -> None:
        """Bring the slot to exactly this tree; one that cannot be mended is made anew."""
        try:
            self._check_out(slot, tree, kept)
        except (GitFailed, OSError):
            remove(slot.dir, but="lock")
            self._check_out(slot, tree, kept)

    def _check_out(self, slot: Slot, tree: str, kept: tuple[str, ...]) -> None:
        new = not os.path.exists(slot.index)
        if new or os.path.islink(slot.tree):
            remove(slot.tree)
        os.makedirs(slot.tree, mode=0o700, exist_ok=True)
        slot.ask(self._trees, "read-tree", "-u", "--reset", tree)
        if not new:
            slot.ask(self._trees, "checkout-index", "--quiet", "--force", "--all", "--index")
        for path in list(self.strangers(slot, tree, kept)):
            remove(os.path.join(slot.tree, path))
        slot.empty_rooms()

    def strangers(self, slot: Slot, tree: str, kept: tuple[str, ...]) -> Iterator[str]:
        """What lies in the checkout and belongs neither to the tree nor to what is kept.

        Not by `git clean`: it looks away from pipes and from everything called .git.
        """
        entries = self._trees.entries(tree)
        folders = {path for path, blob in entries.items() if blob.mode == SUBMODULE}
        for path in (*entries, *kept):
            while (path := os.path.dirname(path)) and path not in folders:
                folders.add(path)
        known = {*entries, *kept} - folders
        for path, entry in _walk(slot.tree, kept):
            is_folder = path in folders and entry.is_dir(follow_symlinks=False)
            if not is_folder and path not in known:
                yield path

    def look(self, slot: Slot, kept: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
        """The mark of everything in the checkout; what lies in kept folders is not looked at."""
        seen = {"": mark(os.lstat(slot.tree))}
        for path, entry in _walk(slot.tree, kept):
            seen[path] = mark(entry.stat(follow_symlinks=False))
        return seen

    def settled(self, slot: Slot, kept: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
        """A look that every later change differs from.

        Files written in this tick of the file system's clock could change and keep their times.
        """
        seen = self.look(slot, kept)
        age = time.time_ns() - max((changed for changed, *_ in seen.values()), default=0)
        if 0 <= age < _TICK_NS:
            time.sleep((_TICK_NS - age) / 1e9)
        return seen


def mark(about: os.stat_result) -> tuple[int, ...]:
    """What tells that somebody changed a file; of a folder only that it is there."""
    times = (about.st_ctime_ns, about.st_mtime_ns, about.st_size)
    counted = (0, 0, 0) if stat.S_ISDIR(about.st_mode) else times
    return (*counted, about.st_mode, about.st_ino)


def _walk(root: str, closed: Sequence[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything below; of what is closed only the name."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(os.path.join(root, folder)) as found:
            for entry in found:
                path = os.path.join(folder, entry.name)
                yield path, entry
                if path not in closed and entry.is_dir(follow_symlinks=False):
                    waiting.append(path)


def _note(slot: Slot, tree: str) -> str:
    path = os.path.join(slot.dir, "of.new")
    with open(path, "w", encoding="ascii") as file:
        file.write(tree)
    return path


def remove(place: str, but: str = "") -> None:
    """All of a folder, also what somebody made unreadable; `but` names a file that stays."""
    if not os.path.lexists(place):
        return
    if os.path.islink(place) or not os.path.isdir(place):
        os.unlink(place)
        return
    for name in os.listdir(place) if but else [""]:
        target = os.path.join(place, name) if name else place
        if but and name == but:
            continue
        if os.path.isdir(target) and not os.path.islink(target):
            _open_up(target)
            shutil.rmtree(target)
        else:
            os.unlink(target)


def _open_up(place: str) -> None:
    """A check may take away our right to look into its folders."""
    os.chmod(place, stat.S_IRWXU)
    for folder, names, _ in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path) and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                os.chmod(path, stat.S_IRWXU)
