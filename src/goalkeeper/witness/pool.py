"""Checkouts are used again: a slot holds one tree at a time and has one user at a time.

A slot has an index of its files: the blob that each was written from, and its size, times and
inode. So preparing it for the next tree writes only what differs, or what a check changed. Where
times do not tell that a file was changed, a digest of its contents stands beside them. Files get
the bytes of their blobs, whatever git's configuration is.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from hashlib import sha256
from typing import Any, TypeVar

from goalkeeper.errors import OutsideError
from goalkeeper.git.folders import EXECUTABLE, LINK, SUBMODULE, Blob, Entries
from goalkeeper.git.objects import BLOB, FoundObject, Objects
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.system.file_times import do_times_tell
from goalkeeper.system.safe_open import open_plain_file, read_plain_file, replace_file

T = TypeVar("T")
SLOTS = "slots"
_PIECE = 1 << 20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SLOTS = 64
_TICK_NS = 10_000_000  # file times are taken from a clock no coarser than this


class PoolFull(OutsideError, hint="wait for the other proofs to end, or remove {place}"):
    """All {count} checkouts in {place} are in use."""


Marks = Mapping[str, tuple[int, ...]]  # the marks of everything in a checkout, by path


class CheckoutSlot:
    """A leased checkout. `home` and `tmp` are empty folders for the check that runs next."""

    def __init__(self, directory: str, laid: Marks) -> None:
        self.dir = directory
        self.prepared_marks = laid  # the marks when it was prepared
        self.tree = os.path.join(directory, "tree")
        self.index = os.path.join(directory, "index")
        self.tree_file = os.path.join(directory, "of")  # it holds the name of the tree
        self.home = os.path.join(directory, "home")
        self.tmp = os.path.join(directory, "tmp")
        self.setup = os.path.join(directory, "setup.json")

    @cached_property
    def times_tell(self) -> bool:
        """Whether the times of the files in it can be believed."""
        return do_times_tell(self.dir)

    def make_mark(self, path: str, about: os.stat_result) -> tuple[int, ...]:
        """Return the mark of a file in the checkout, with its contents if times do not tell."""
        mark = make_mark(about)
        if self.times_tell or not stat.S_ISREG(about.st_mode):
            return mark
        contents = sha256()
        try:
            with open_plain_file(os.path.join(self.tree, path)) as file:
                for piece in iter(partial(file.read, _PIECE), b""):
                    contents.update(piece)
        except OSError:  # whoever gives the right to read it changes its times
            return mark
        return (*mark, int.from_bytes(contents.digest()))

    def make_empty_folders(self) -> None:
        """See that home and tmp are there and empty; to remove a folder takes long."""
        for place in (self.home, self.tmp):
            if os.path.islink(place) or not os.path.isdir(place):
                remove_path(place)
                os.makedirs(place, mode=0o700)
            os.chmod(place, stat.S_IRWXU)
            for name in os.listdir(place):
                remove_path(os.path.join(place, name))


class CheckoutPool:
    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._dir = os.path.join(trees.checkouts, SLOTS)

    @property
    def tokens(self) -> str:
        """Return the folder of the tokens for judging, beside that of the checkouts."""
        return os.path.join(os.path.dirname(self._dir), "tokens")

    @contextmanager
    def lease_slot(
        self,
        tree: str,
        *,
        fresh: bool = False,
        kept: Callable[[CheckoutSlot], tuple[str, ...]] = lambda _: (),
    ) -> Iterator[CheckoutSlot]:
        """Lease a clean checkout of `tree` that has no other user.

        With `fresh` every file is written anew. `kept` names the untracked paths that stay (what
        set-up made).
        """
        with self._find_free_slot(tree) as slot:
            if fresh:
                remove_path(slot.dir, but="lock")
            ready = self.prepare_slot(slot, tree, kept(slot))
            try:
                yield ready
            finally:
                with suppress(OSError):
                    replace_file(slot.tree_file, tree.encode())

    @contextmanager
    def _find_free_slot(self, tree: str) -> Iterator[CheckoutSlot]:
        os.makedirs(self._dir, mode=0o700, exist_ok=True)
        slots = [CheckoutSlot(os.path.join(self._dir, str(number)), {}) for number in range(_SLOTS)]
        # Slots that held this tree last come first.
        for slot in sorted(
            slots, key=lambda slot: read_plain_file(slot.tree_file) != tree.encode()
        ):
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

    def prepare_slot(self, slot: CheckoutSlot, tree: str, kept: tuple[str, ...]) -> CheckoutSlot:
        """Make the slot hold exactly this tree; if that fails, the slot is made anew."""
        try:
            return self._check_out(slot, tree, kept)
        except (GitFailed, OSError):
            remove_path(slot.dir, but="lock")
            return self._check_out(slot, tree, kept)

    def _check_out(self, slot: CheckoutSlot, tree: str, kept: tuple[str, ...]) -> CheckoutSlot:
        noted = read_note(slot.index)
        if not noted or os.path.islink(slot.tree):
            remove_path(slot.tree)
        os.makedirs(slot.tree, mode=0o700, exist_ok=True)
        entries = self._trees.list_entries(tree)
        folders = list_folders(entries, kept)
        found = _remove_strangers(slot, entries.keys() - folders, folders, kept)
        if _find_newest(found) > time.time_ns():  # the clock was set back: times may come again
            noted = {}
        missing = sorted(folders - found.keys())
        for folder in missing:
            os.mkdir(os.path.join(slot.tree, folder))
        stale = {
            path: blob
            for path, blob in entries.items()
            if noted.get(path) != [*blob, *found.get(path, ())]
        }
        write_checkout(self._trees.objects, slot.tree, stale)
        for path in (*missing, *stale):
            found[path] = slot.make_mark(path, os.lstat(os.path.join(slot.tree, path)))
        if stale or noted.keys() != entries.keys():
            index = {path: [*blob, *found[path]] for path, blob in entries.items()}
            replace_file(slot.index, json.dumps(index).encode())
        slot.make_empty_folders()
        return CheckoutSlot(slot.dir, _wait_for_tick(found))

    def read_marks(self, slot: CheckoutSlot, kept: tuple[str, ...]) -> Marks:
        """Return the marks of everything in the checkout, except in kept folders."""
        seen = {"": make_mark(os.lstat(slot.tree))}
        for path, entry in walk_tree(slot.tree, lambda path: path not in kept):
            about = entry.stat(follow_symlinks=False)
            is_known = path in slot.prepared_marks  # of others it is enough that they are there
            seen[path] = slot.make_mark(path, about) if is_known else make_mark(about)
        return seen

    def read_settled_marks(self, slot: CheckoutSlot, kept: tuple[str, ...]) -> Marks:
        """Return marks from which every later change differs."""
        return _wait_for_tick(self.read_marks(slot, kept))


def list_folders(entries: Entries, kept: tuple[str, ...]) -> set[str]:
    """Return the folders of a checkout; a submodule is an empty folder."""
    found = {path for path, blob in entries.items() if blob.mode == SUBMODULE}
    for path in (*entries, *kept):
        while (path := os.path.dirname(path)) and path not in found:
            found.add(path)
    return found


def _remove_strangers(
    slot: CheckoutSlot, files: Collection[str], folders: Collection[str], kept: tuple[str, ...]
) -> dict[str, tuple[int, ...]]:
    """Remove what belongs neither to the tree nor to what is kept; return the other marks.

    `git clean` would not do: it ignores pipes and everything called .git.
    """
    found = {"": make_mark(os.lstat(slot.tree))}
    strangers = []
    for path, entry in walk_tree(slot.tree, lambda path: path in folders and path not in kept):
        is_folder = entry.is_dir(follow_symlinks=False)
        fits = path in folders if is_folder else path in files
        if fits or (path in kept and path not in folders):
            found[path] = slot.make_mark(path, entry.stat(follow_symlinks=False))
        else:
            strangers.append(path)
    for path in strangers:
        remove_path(os.path.join(slot.tree, path))
    return found


def read_note(path: str) -> dict[str, Any]:
    """Return the JSON object in a file of ours; an empty one if it cannot be read."""
    try:
        noted = json.loads(read_plain_file(path).decode(errors="surrogateescape"))
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _wait_for_tick(seen: Marks) -> Marks:
    """Wait until the disk's clock ticks: a change in the same tick could keep a file's times."""
    age = time.time_ns() - _find_newest(seen)
    if 0 <= age < _TICK_NS:
        time.sleep((_TICK_NS - age) / 1e9)
    return seen


def _find_newest(seen: Marks) -> int:
    return max((changed for changed, *_ in seen.values()), default=0)


def make_mark(about: os.stat_result) -> tuple[int, ...]:
    """Return numbers that differ after a file was changed; of a folder only that it is there."""
    times = (about.st_ctime_ns, about.st_mtime_ns, about.st_size)
    counted = (0, 0, 0) if stat.S_ISDIR(about.st_mode) else times
    return (*counted, about.st_mode, about.st_ino)


def walk_tree(root: str, enters: Callable[[str], bool]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield everything below `root`, but nothing in folders that are not entered."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(os.path.join(root, folder)) as found:
            for entry in found:
                path = f"{folder}/{entry.name}" if folder else entry.name
                yield path, entry
                if entry.is_dir(follow_symlinks=False) and enters(path):
                    waiting.append(path)


def remove_path(place: str, but: str = "") -> None:
    """Remove a folder, also if it was made unreadable; `but` names a file that stays."""
    if not os.path.lexists(place):
        return
    if os.path.islink(place) or not os.path.isdir(place):
        os.unlink(place)
        return
    if but:
        for name in os.listdir(place):
            if name != but:
                remove_path(os.path.join(place, name))
        return
    _make_readable(place)
    shutil.rmtree(place)


def _make_readable(place: str) -> None:
    """Make folders readable again: a check may have taken the right away."""
    os.chmod(place, stat.S_IRWXU)
    for folder, names, _ in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path) and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                os.chmod(path, stat.S_IRWXU)


def write_checkout(objects: Objects, root: str, entries: Entries) -> None:
    """Write these files into existing folders; raise OutsideError if a blob is lost."""
    places: dict[str, list[tuple[str, str]]] = {}
    for path, blob in entries.items():
        if blob.mode != SUBMODULE:
            places.setdefault(blob.id, []).append((blob.mode, path))

    def write_object(found: FoundObject) -> None:
        mine = places.pop(found.id)
        pieces = found.pieces if len(mine) == 1 else [*found.pieces]
        for mode, path in mine:
            place = os.path.join(root, path)
            put = _write_link if mode == LINK else _write_file
            written = put(place, mode, pieces)
            if objects.compute_id(BLOB, found.size, written) != found.id:
                raise objects.make_lost_error("checkout", f"{path} ({found.id})")

    objects.visit_objects([*places], write_object)
    for lost, mine in places.items():
        raise objects.make_lost_error("checkout", f"{mine[0][1]} ({lost})")


def is_as_written(objects: Objects, place: str, blob: Blob) -> bool:
    """Return whether a file, which a check may have changed, is as it would be written."""
    try:
        if blob.mode == LINK:
            target = os.readlink(os.fsencode(place))
            return objects.compute_id(BLOB, len(target), (target,)) == blob.id
        with open_plain_file(place) as file:
            about = os.fstat(file.fileno())
            pieces = iter(partial(file.read, _PIECE), b"")
            runs = bool(about.st_mode & stat.S_IXUSR)
            same = objects.compute_id(BLOB, about.st_size, pieces) == blob.id
            return same and runs == (blob.mode == EXECUTABLE)
    except OSError:
        return False


def _write_file(place: str, mode: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Write a file, and yield what was written."""
    rights = 0o777 if mode == EXECUTABLE else 0o666
    fd = _make_anew(place, partial(os.open, place, _NEW, rights))
    try:
        for piece in pieces:
            left = memoryview(piece)
            while left:  # a file object would make twice as many system calls
                left = left[os.write(fd, left) :]
            yield piece
    finally:
        os.close(fd)


def _write_link(place: str, _: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    target = b"".join(pieces)
    _make_anew(place, partial(os.symlink, target.partition(b"\0")[0], os.fsencode(place)))
    yield target


def _make_anew(place: str, make: Callable[[], T]) -> T:
    """Make a file instead of the one that is there, and never through a link."""
    try:
        return make()
    except FileExistsError:
        os.unlink(place)
        return make()
