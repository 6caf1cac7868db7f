"""Finds the repository's root, its state directory and a run's files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from importlib import import_module

from goalkeeper.errors import StateForeign, StateMisplaced, StateTracked
from goalkeeper.git.index import TrackedPath, parse_index
from goalkeeper.git.places import find_git_dir, find_main_worktree
from goalkeeper.storage.disk import Disk
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import sha256

# The folder of runs has no more than these before the first run is made.
_BEFORE_RUNS = (layout.MADE_HERE, layout.STATE_LOCK, layout.BOUND)
_STATE = frozenset(name.rstrip("/") for name in layout.IGNORED)


def find_root(cwd: str) -> str:
    """Return the repository that `cwd` lies in; outside of git, the folder with the state.

    A linked worktree shares the state of the main worktree, so that the record of a run is there
    after the worktree is deleted.
    """
    place = find_worktree(cwd)
    return find_main_worktree(place) or place


def find_worktree(cwd: str) -> str:
    """Return the checkout that `cwd` lies in: the main worktree or a linked one."""
    here = os.path.realpath(cwd)
    for name in (".git", layout.STATE_DIR):
        for place in _list_parents(here):
            if os.path.lexists(os.path.join(place, name)):
                return place
    return here


def _list_parents(place: str) -> list[str]:
    places = [place]
    while os.path.dirname(places[-1]) != places[-1]:
        places.append(os.path.dirname(places[-1]))
    return places


class State:
    """The paths in the state directory of a repository. Asking for a path creates nothing.

    State decides what is run and what counts as proven, so it is used only if it was made here.
    Whoever makes it writes the same word into it and into a file outside of the repository, which
    no clone or archive can bring along.
    """

    def __init__(self, root: str, home: str) -> None:
        """Make the paths; `home` is the user's own state directory."""
        self.root = root
        self.dir = os.path.join(root, layout.STATE_DIR)
        self.runs = os.path.join(self.dir, layout.RUNS)
        self.archive = os.path.join(self.dir, layout.ARCHIVE)
        self.cache = os.path.join(self.dir, layout.CACHE)
        self.bound = os.path.join(self.runs, layout.BOUND)
        self.lock = os.path.join(self.runs, layout.STATE_LOCK)
        self.current = os.path.join(self.dir, layout.CURRENT)
        self.config = os.path.join(self.dir, layout.CONFIG)
        self.ignore = os.path.join(self.dir, layout.IGNORE)
        self.made_here = os.path.join(self.runs, layout.MADE_HERE)
        place = sha256(os.fsencode(os.path.realpath(self.dir)))[:32]
        self.known_file = os.path.join(home, layout.KNOWN, place)

    def check_own(self) -> None:
        """Refuse state that cannot be used: it is misplaced, git tracks it, or others made it."""
        self.check_placement()
        self.check_tracking()
        # The third look is for a process that made the state between the first and the second.
        if not self.is_known and self.is_begun and not self.is_known:
            raise StateForeign(path=self.dir)

    def check_tracking(self) -> None:
        if self.tracked:
            raise StateTracked(tracked=self.tracked)

    @cached_property
    def tracked(self) -> str:
        """Find the first path of the state that git tracks; empty if there is none."""
        return _find_tracked(self.root) if os.path.isdir(self.dir) else ""

    @property
    def is_known(self) -> bool:
        """Return whether the state was made or taken over at this place, by this user."""
        word = read_plain_file(self.made_here)
        return bool(word) and word == read_plain_file(self.known_file)

    @property
    def is_begun(self) -> bool:
        """Return whether there is state, whoever made it.

        Settings are none, nor are empty folders, nor the cache, where agents write their briefs.
        """
        names = {*_list_names(self.dir)} & _STATE
        inside = _list_names(self.bound)
        inside += [n for n in _list_names(self.runs) if not n.startswith(_BEFORE_RUNS)]
        return bool(inside) or bool(names - {layout.RUNS, layout.CACHE})

    def make_known(self, disk: Disk) -> None:
        """Note that the state is of this place; the caller keeps others away meanwhile."""
        word = os.urandom(16).hex().encode()
        os.makedirs(os.path.dirname(self.known_file), mode=0o700, exist_ok=True)
        disk.replace(self.made_here, word)
        disk.replace(self.known_file, word, 0o600)

    def check_placement(self) -> None:
        """Refuse a state directory that is no directory, or in which a link is one."""
        hold = os.path.join(self.dir, layout.HOLD)
        for path in (self.dir, self.runs, self.bound, self.archive, self.cache, hold):
            if os.path.islink(path):
                raise StateMisplaced(path=path, reason="it is a symbolic link")
            if os.path.lexists(path) and not os.path.isdir(path):
                raise StateMisplaced(path=path, reason="it is not a directory")

    def files_of_run(self, run_id: str) -> RunFiles:
        return RunFiles(os.path.join(self.runs, run_id), os.path.join(self.cache, run_id))


class RunFiles:
    def __init__(self, directory: str, seen: str) -> None:
        self.dir = directory
        self.seen = seen
        self.brief = os.path.join(directory, layout.BRIEF)
        self.goals = os.path.join(directory, layout.GOALS)
        self.ledger = os.path.join(directory, layout.LEDGER)
        self.lock = os.path.join(directory, layout.LOCK)
        self.quarantine = os.path.join(directory, layout.QUARANTINE)
        self.drive_lock = os.path.join(directory, layout.DRIVE_LOCK)


def _find_tracked(root: str) -> str:
    """Find the first path of the state that git tracks.

    A submodule in the place of the state brings all of it.
    """
    if not os.path.lexists(os.path.join(root, ".git")):
        return ""
    git = find_git_dir(root)
    index = os.path.join(git, "index")
    if git and not os.path.lexists(index):
        return ""
    data = read_plain_file(index) if git else b""
    is_split = b"link" in data and any(n.startswith("sharedindex.") for n in _list_names(git))
    for width in () if is_split else (20, 32):  # the bytes of an id: SHA-1, SHA-256
        try:
            return _find_entry(parse_index(data, width))
        except (ValueError, IndexError):  # the ids are of the other width
            continue
    return _ask_git(root)


def _find_entry(entries: Iterable[TrackedPath]) -> str:
    first = os.fsencode(layout.STATE_DIR)
    for path, *_ in entries:
        if path.startswith(first) and _is_state(os.fsdecode(path)):
            return os.fsdecode(path)
        if path >= first + b"0":  # the character after the slash
            break
    return ""


def _ask_git(root: str) -> str:
    """Ask git, which can read what we cannot; that is seldom needed."""
    git = import_module("goalkeeper.git.repository")
    asked = ("ls-files", "-z", "--", f":(top,literal){layout.STATE_DIR}")
    told = os.fsdecode(git.open_git(root).call(*asked)).split("\0")
    return next((path for path in told if _is_state(path)), "")


def _is_state(path: str) -> bool:
    inside = path.removeprefix(f"{layout.STATE_DIR}/")
    return path == layout.STATE_DIR or (inside != path and inside.partition("/")[0] in _STATE)


def _list_names(place: str) -> list[str]:
    try:
        return os.listdir(place)
    except OSError:
        return []
