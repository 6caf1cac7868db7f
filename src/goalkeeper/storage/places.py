"""Finds the repository's root, its state directory and a run's files."""

from __future__ import annotations

import os

from goalkeeper.errors import StateMisplaced
from goalkeeper.wire import layout


def find_root(cwd: str) -> str:
    """Return the repository that `cwd` lies in; outside of git, the folder with the state.

    A linked worktree shares the state of the main worktree, so that the record of a run is there
    after the worktree is deleted.
    """
    place = find_worktree(cwd)
    git = os.path.join(place, ".git")
    return (os.path.isfile(git) and _find_main_worktree(git)) or place


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


def _find_main_worktree(git_file: str) -> str:
    """Return the main worktree of a linked one; empty for submodules and bare repositories."""
    try:
        with open(git_file, encoding="utf-8") as file:
            gitdir = file.read().removeprefix("gitdir:").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    common, name = os.path.split(os.path.dirname(os.path.join(os.path.dirname(git_file), gitdir)))
    if name == "worktrees" and os.path.basename(common) == ".git":
        return os.path.dirname(os.path.normpath(common))
    return ""


class State:
    """The paths in the state directory of a repository. Asking for a path creates nothing."""

    def __init__(self, root: str) -> None:
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

    def check_placement(self) -> None:
        """Refuse a state directory that is no directory, or leads out of the repository."""
        for path in (self.dir, self.runs, self.bound, self.archive, self.cache):
            if not os.path.lexists(path):
                continue
            real = os.path.realpath(path)
            if os.path.commonpath([real, self.root]) != self.root:
                raise StateMisplaced(path=path, reason=f"it leads out of {self.root}, to {real}")
            if not os.path.isdir(path):
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
