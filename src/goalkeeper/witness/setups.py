"""Set-ups are kept, and lent to every checkout that needs the same.

In a sandbox what was lent is mounted read-only, so no check can change it, and nothing has to be
looked through after a check. All checkouts are shown at one path there, because environments
carry the path that they were made for.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from goalkeeper.git.trees import Trees
from goalkeeper.system.safe_open import replace_file
from goalkeeper.wire.canonical import compact
from goalkeeper.witness.pool import CheckoutPool, CheckoutSlot, read_note, remove_path
from goalkeeper.witness.sandbox import CACHES
from goalkeeper.witness.setup import (
    NOTHING_LENT,
    LentSetup,
    ProjectSetup,
    SetupRunner,
    copy_path,
    digest_state,
    list_made,
)
from goalkeeper.witness.terms import CheckTerms
from goalkeeper.witness.workspace import Workspace

_FOLDER = "setups"


class SetupShelf:
    """Keeps what set-ups have made, in a folder for each key."""

    def __init__(self, cache: str) -> None:
        self._dir = os.path.join(cache, _FOLDER)

    @contextmanager
    def lend(self, key: str, make: Callable[[], LentSetup]) -> Iterator[LentSetup]:
        """Lend what is kept, or is made now; nobody removes it meanwhile."""
        os.makedirs(self._dir, mode=0o700, exist_ok=True)
        path = os.path.join(self._dir, f"{key}.lock")
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_SH)
            lent = self.find_kept(key)
            if lent is None:
                fcntl.flock(fd, fcntl.LOCK_EX)  # only one makes it
                lent = self.find_kept(key) or make()
                fcntl.flock(fd, fcntl.LOCK_SH if lent.place else fcntl.LOCK_UN)
            yield lent
        finally:
            os.close(fd)

    def find_kept(self, key: str) -> LentSetup | None:
        """Return what was kept, if nobody has touched it since."""
        noted = read_note(self._note(key))
        made, place = noted.get("made"), self._place(key)
        if not isinstance(made, list) or noted.get("state") != digest_state(place, made):
            return None
        os.utime(self._note(key))  # `clean` removes what was not used for long
        return LentSetup(place, tuple(made))

    def keep_home(self, key: str, home: str) -> None:
        """Keep what fetching put into its home: a build without the network may need it."""
        remove_path(self.place_home(key))
        os.rename(home, self.place_home(key))

    def place_home(self, key: str) -> str:
        return f"{self._place(key)}.home"

    def keep(self, key: str, tree: str, made: list[str]) -> LentSetup:
        """Take what was made out of a checkout, and keep it."""
        place = self._place(key)
        remove_path(place)
        for path in made:
            os.makedirs(os.path.dirname(os.path.join(place, path)), mode=0o700, exist_ok=True)
            os.rename(os.path.join(tree, path), os.path.join(place, path))
            for name in CACHES.get(os.path.basename(path), ()):
                os.makedirs(os.path.join(place, path, name), exist_ok=True)
        times = read_note(self._note(key)).get("times", 0) + 1  # for whoever counts set-ups
        noted = {"made": made, "state": digest_state(place, made), "times": times}
        replace_file(self._note(key), compact(noted).encode(errors="surrogateescape"))
        return LentSetup(place, tuple(made))

    def _place(self, key: str) -> str:
        return os.path.join(self._dir, key)

    def _note(self, key: str) -> str:
        return os.path.join(self._dir, f"{key}.json")


@contextmanager
def borrow_setup(trees: Trees, terms: CheckTerms) -> Iterator[LentSetup]:
    """Borrow what set-up makes for a tree; it is made in a checkout of its own."""
    setup, shelf = terms.setup, SetupShelf(trees.checkouts)

    def make() -> LentSetup:
        with (
            CheckoutPool(trees).lease_slot(setup.tree) as slot,
            Workspace(trees, slot, setup.tree, terms) as room,
        ):
            return _make_setup(setup, shelf, slot, room.run_isolated)

    if not setup.is_needed or not terms.is_shut_in:
        yield NOTHING_LENT
        return
    with shelf.lend(setup.key, make) as lent:
        yield lent


def find_setup_problem(trees: Trees, terms: CheckTerms) -> str:
    """Set up a tree, and say what went wrong."""
    with borrow_setup(trees, terms) as lent:
        return lent.problem


def _make_setup(
    setup: ProjectSetup, shelf: SetupShelf, slot: CheckoutSlot, run: SetupRunner
) -> LentSetup:
    """Fetch what all trees with the same declarations share, and build."""

    def fetch() -> LentSetup:
        stage = os.path.join(slot.dir, "fetched")
        try:
            problem = setup.fetch_apart(slot, run, stage)
            if problem:
                return LentSetup(problem=problem)
            shelf.keep_home(setup.fetch_key, slot.home)
            slot.make_empty_folders()
            return shelf.keep(setup.fetch_key, stage, list_made(stage, slot))
        finally:
            remove_path(stage)

    if not setup.commands:
        return fetch()
    if setup.fetch:
        with shelf.lend(setup.fetch_key, fetch) as fetched:
            if fetched.problem:
                return fetched
            for path in fetched.made:
                copy_path(os.path.join(fetched.place, path), os.path.join(slot.tree, path))
            copy_path(f"{shelf.place_home(setup.fetch_key)}/.", slot.home)
    problem = setup.build_apart(slot, run)
    if problem:
        return LentSetup(problem=problem)
    return shelf.keep(setup.key, slot.tree, list_made(slot.tree, slot))
