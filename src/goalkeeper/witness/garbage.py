"""Finds checkouts and passes that nobody uses, and the stores of repositories that are gone."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from goalkeeper.app.cleaning import BLOCK_BYTES, Garbage
from goalkeeper.core.keeping import KeepSettings
from goalkeeper.core.moments import DAY_SECONDS
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.witness.pool import remove_path

_GONE = ".gone"
_CHECKOUT, _SETUP, _PASSED = (
    "a checkout that is not in use", "a set-up that is not in use", "a pass of an old tree",
)  # fmt: skip


def measure_folder(place: str) -> int:
    """Return how many bytes the files below a folder take on the disk."""
    size = 0
    for folder, _, names in os.walk(place):
        for name in (*names, "."):
            with suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_blocks * BLOCK_BYTES
    return size


def find_unused_cache(cache: str, keep: KeepSettings, now: float) -> Iterator[Garbage]:
    """Find what is old, and the oldest of the rest if all together are too large."""
    cached = sorted(
        (*_list_checkouts(cache), *_list_setups(cache), *_list_passes(cache)), reverse=True
    )
    total, most = 0, keep.megabytes << 20
    for used, path, what in cached:
        size = measure_folder(path) if os.path.isdir(path) else _measure_file(path)
        total += size
        if used < now - keep.days * DAY_SECONDS or total > most:
            yield Garbage(what, path, size, partial(_REMOVERS[what], path))


def _list_checkouts(cache: str) -> Iterator[tuple[float, str, str]]:
    with suppress(OSError):
        for slot in os.scandir(os.path.join(cache, "slots")):
            last = os.path.join(slot.path, "of")  # it is written after each use
            if os.path.isdir(os.path.join(slot.path, "tree")):
                path = last if os.path.lexists(last) else slot.path
                yield os.lstat(path).st_mtime, slot.path, _CHECKOUT


def _list_setups(cache: str) -> Iterator[tuple[float, str, str]]:
    with suppress(OSError):
        for entry in os.scandir(os.path.join(cache, "setups")):
            if entry.is_dir(follow_symlinks=False) and "." not in entry.name:
                note = f"{entry.path}.json"  # it is touched at each use
                used = note if os.path.lexists(note) else entry.path
                yield os.lstat(used).st_mtime, entry.path, _SETUP


def _list_passes(cache: str) -> Iterator[tuple[float, str, str]]:
    with suppress(OSError):
        for entry in os.scandir(os.path.join(cache, "passes")):
            yield entry.stat(follow_symlinks=False).st_mtime, entry.path, _PASSED


def _measure_file(path: str) -> int:
    try:
        return os.lstat(path).st_blocks * BLOCK_BYTES
    except OSError:
        return 0


def _empty_checkout(path: str) -> None:
    """Remove all but the lock, unless somebody uses it just now."""
    with _hold_unused(os.path.join(path, "lock")):
        remove_path(path, but="lock")


def _remove_setup(path: str) -> None:
    with _hold_unused(f"{path}.lock"):
        remove_path(f"{path}.json")
        remove_path(path)
        remove_path(f"{path}.home")


@contextmanager
def _hold_unused(lock: str) -> Iterator[None]:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    fd = os.open(lock, flags, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(fd)


_REMOVERS: dict[str, Callable[[str], None]] = {
    _CHECKOUT: _empty_checkout,
    _SETUP: _remove_setup,
    _PASSED: remove_path,
}


def find_gone_repositories(state: str, cache: str, days: int, now: float) -> Iterator[Garbage]:
    """Find stores whose repositories are gone for so many days, as far as can be seen.

    A store is renamed before it is removed: half of it would not say any more whose it was.
    """
    with suppress(OSError):
        for entry in os.scandir(state):
            if entry.name.endswith(_GONE) or _is_gone(entry.path, days, now):
                twin = os.path.join(cache, entry.name.removesuffix(_GONE))
                size = measure_folder(entry.path) + measure_folder(twin)
                what = "the store of a repository that is gone"
                yield Garbage(what, entry.path, size, partial(_remove_store, entry.path, twin))


def _is_gone(store: str, days: int, now: float) -> bool:
    lent = read_plain_file(os.path.join(store, "store.git", "objects", "info", "alternates"))
    place = os.fsdecode(lent).rstrip("\n")
    if not place or os.path.lexists(place):
        return False
    return os.lstat(store).st_mtime < now - days * DAY_SECONDS


def _remove_store(path: str, twin: str) -> None:
    gone = path if path.endswith(_GONE) else path + _GONE
    if gone != path:
        os.rename(path, gone)
    remove_path(twin)
    remove_path(gone)
