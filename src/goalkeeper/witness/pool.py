"""Checkouts that are used again: a slot holds one tree at a time, and is leased to one user.

A slot keeps an index of its files: which blob each was written from, and its size, times and
inode then. So preparing it for the next tree writes only what differs, or what a check changed.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from goalkeeper.errors import OutsideError
from goalkeeper.git.folders import SUBMODULE, Entries
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.system.safe_open import contents
from goalkeeper.wire.value import Value
from goalkeeper.witness.checkout_writer import lay

_SLOTS = 64
_TICK_NS = 10_000_000  # the coarsest clock that file times are taken from


class PoolFull(OutsideError):
    """All {count} checkouts in {place} are in use."""

    code = "pool-full"
    hint = "wait for the other proofs to end, or remove {place}"


Marks = Mapping[str, tuple[int, ...]]  # of everything in a checkout, by path


class Slot(Value):
    """A leased checkout. `home` and `tmp` are empty folders for the check that runs next."""

    dir: str
    laid: Mapping[str, tuple[int, ...]] = {}  # as it was when it was prepared

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
            ready = self.prepare(slot, tree, kept(slot))
            try:
                yield ready
            finally:
                with suppress(OSError):
                    _note(os.path.join(slot.dir, "of"), tree)

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

    def prepare(self, slot: Slot, tree: str, kept: tuple[str, ...]) -> Slot:
        """Bring the slot to exactly this tree; one that cannot be mended is made anew."""
        try:
            return self._check_out(slot, tree, kept)
        except (GitFailed, OSError):
            remove(slot.dir, but="lock")
            return self._check_out(slot, tree, kept)

    def _check_out(self, slot: Slot, tree: str, kept: tuple[str, ...]) -> Slot:
        noted = _noted(slot)
        if not noted or os.path.islink(slot.tree):
            remove(slot.tree)
        os.makedirs(slot.tree, mode=0o700, exist_ok=True)
        entries = self._trees.entries(tree)
        folders = _folders(entries, kept)
        found = _cleared(slot, entries.keys() - folders, folders, kept)
        missing = sorted(folders - found.keys())
        for folder in missing:
            os.mkdir(os.path.join(slot.tree, folder))
        stale = {
            path: blob
            for path, blob in entries.items()
            if noted.get(path) != [*blob, *found.get(path, ())]
        }
        lay(self._trees.objects, slot.tree, stale)
        for path in (*missing, *stale):
            found[path] = mark(os.lstat(os.path.join(slot.tree, path)))
        if stale or noted.keys() != entries.keys():
            index = {path: [*blob, *found[path]] for path, blob in entries.items()}
            _note(slot.index, json.dumps(index))
        slot.empty_rooms()
        return slot.replace(laid=_settled(found))

    def look(self, slot: Slot, kept: tuple[str, ...]) -> Marks:
        """The mark of everything in the checkout; what lies in kept folders is not looked at."""
        seen = {"": mark(os.lstat(slot.tree))}
        for path, entry in walk(slot.tree, lambda path: path not in kept):
            seen[path] = mark(entry.stat(follow_symlinks=False))
        return seen

    def settled(self, slot: Slot, kept: tuple[str, ...]) -> Marks:
        """A look that every later change differs from."""
        return _settled(self.look(slot, kept))


def _folders(entries: Entries, kept: tuple[str, ...]) -> set[str]:
    """Where a checkout has folders; a submodule is an empty one."""
    found = {path for path, blob in entries.items() if blob.mode == SUBMODULE}
    for path in (*entries, *kept):
        while (path := os.path.dirname(path)) and path not in found:
            found.add(path)
    return found


def _cleared(
    slot: Slot, files: Collection[str], folders: Collection[str], kept: tuple[str, ...]
) -> dict[str, tuple[int, ...]]:
    """What lies in the checkout and may; all that belongs neither to it nor to what is kept goes.

    Not by `git clean`: it looks away from pipes and from everything called .git.
    """
    found = {"": mark(os.lstat(slot.tree))}
    strangers = []
    for path, entry in walk(slot.tree, lambda path: path in folders and path not in kept):
        is_folder = entry.is_dir(follow_symlinks=False)
        fits = path in folders if is_folder else path in files
        if fits or (path in kept and path not in folders):
            found[path] = mark(entry.stat(follow_symlinks=False))
        else:
            strangers.append(path)
    for path in strangers:
        remove(os.path.join(slot.tree, path))
    return found


def _noted(slot: Slot) -> dict[str, Any]:
    try:
        noted = json.loads(contents(slot.index))
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _settled(seen: Marks) -> Marks:
    """Every later change differs: files of this tick of the disk's clock could keep their times."""
    age = time.time_ns() - max((changed for changed, *_ in seen.values()), default=0)
    if 0 <= age < _TICK_NS:
        time.sleep((_TICK_NS - age) / 1e9)
    return seen


def mark(about: os.stat_result) -> tuple[int, ...]:
    """What tells that somebody changed a file; of a folder only that it is there."""
    times = (about.st_ctime_ns, about.st_mtime_ns, about.st_size)
    counted = (0, 0, 0) if stat.S_ISDIR(about.st_mode) else times
    return (*counted, about.st_mode, about.st_ino)


def walk(root: str, enters: Callable[[str], bool]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything below; of folders that are not entered only the name."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(os.path.join(root, folder)) as found:
            for entry in found:
                path = os.path.join(folder, entry.name)
                yield path, entry
                if entry.is_dir(follow_symlinks=False) and enters(path):
                    waiting.append(path)


def _note(path: str, said: str) -> None:
    new = f"{path}.new"
    remove(new)
    with open(new, "x", encoding="ascii") as file:
        file.write(said)
    os.replace(new, path)


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
