"""A leased checkout in which checks run one after another; each gets it clean."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property

from goalkeeper.app.trials import Files
from goalkeeper.git.trees import Trees
from goalkeeper.system import run as system_run
from goalkeeper.system.environment import scrubbed
from goalkeeper.system.run import Limits
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import Call, Ended, Work
from goalkeeper.witness.checkout_writer import is_laid
from goalkeeper.witness.isolation import Isolation, sandboxed, unwrapped
from goalkeeper.witness.pool import Marks, Pool, Slot, remove
from goalkeeper.witness.setup import Setup

HELD_OUT = "held_out"
_OUTPUT_BYTES = 64 << 20


class Terms(Value):
    """The conditions for checks: isolation, limits, and what they may see."""

    isolation: Isolation
    limits: Limits
    environ: Mapping[str, str]  # the user's
    keep: tuple[str, ...]  # names of it that pass
    hidden: tuple[str, ...]  # paths that no check may see
    setup: Setup
    exams: tuple[str, ...] = ()  # where held-out files lie

    @property
    def path(self) -> str:
        """The PATH in which programs are searched."""
        env = scrubbed(self.environ, home="", tmp="", keep=(), forbidden=self.hidden)
        return env["PATH"]


class Room:
    def __init__(self, trees: Trees, slot: Slot, tree: str, terms: Terms) -> None:
        self._trees = trees
        self._pool = Pool(trees)
        self._slot = slot
        self._tree = tree
        self._terms = terms
        self._made: tuple[str, ...] = ()
        self.problem = ""  # why nothing can be checked here
        self._shown = False  # held-out files lie in the checkout
        self._laid: Marks = {}  # the checkout as the next check finds it
        self._touched = False  # whether a check changed it since then
        self._built: dict[tuple[str, str, bool], list[str]] = {}  # sandboxes

    def set_up(self) -> None:
        """Run the project's set-up; `problem` says why it failed."""
        self._made, self.problem = self._terms.setup.carry_out(self._slot, self._run)
        self._touched = False
        self._laid = self._slot.laid
        if self._terms.setup.commands:
            self._laid = self._pool.settled(self._slot, self._made)

    def run(self, call: Call) -> Ended:
        place = os.path.join(self._slot.tree, call.cwd)
        if not self._is_inside(place):
            return Ended(call.argv, system_run.NotStarted(f"{call.cwd} leads out of the tree"))
        for path in call.outputs:  # a file of the tree is no report of this run
            full = os.path.join(self._slot.tree, path)
            if self._is_inside(os.path.dirname(full)) and (
                os.path.islink(full) or not os.path.isdir(full)
            ):
                remove(full)
        env = call.variables(os.path.join(self._slot.tmp, "decoys"))
        limits = call.limits(self._terms.limits)
        ran = self._run(call.argv, place, limits, env, keep_bytes=call.keep_bytes)
        read = tuple(self._output(path) for path in call.outputs)
        return Ended(call.argv, ran, read, self._slot.tree)

    def _run(
        self,
        argv: Sequence[str],
        place: str,
        limits: Limits,
        more: Mapping[str, str],
        *,
        keep_bytes: int = system_run.KEEP_BYTES,
        network: bool = False,
    ) -> system_run.Ran:
        # The programs that set-up made come first.
        own = [os.path.join(self._slot.tree, path) for path in self._terms.setup.bins(self._made)]
        path = os.pathsep.join([*own, self._environ["PATH"]])
        env = {**self._environ, "PATH": path, **more}
        if self._terms.isolation is not Isolation.SANDBOX:
            return system_run.run(argv, cwd=place, env=env, limits=limits, keep_bytes=keep_bytes)
        shut_in = [*self._walls(place, env["PATH"], network=network), *argv]
        ran = system_run.run(
            shut_in, cwd=self._slot.tree, env=env, limits=limits, keep_bytes=keep_bytes
        )
        return unwrapped(ran)

    def _walls(self, place: str, path: str, *, network: bool) -> list[str]:
        """Return the sandbox command; checks with the same arguments share it."""
        asked = (place, path, network)
        if asked not in self._built:
            self._built[asked] = sandboxed(
                (),
                checkout=self._slot.tree,
                home=self._slot.home,
                tmp=self._slot.tmp,
                hidden=(
                    *self._terms.hidden,
                    *self._terms.exams,
                    self._trees.store,
                    self._trees.rooms,
                ),
                path=path,
                user_home=self._terms.environ.get("HOME", "/"),
                network=network,
                cwd=place,
            )
        return self._built[asked]

    @cached_property
    def _environ(self) -> dict[str, str]:
        terms, slot = self._terms, self._slot
        return scrubbed(
            terms.environ, home=slot.home, tmp=slot.tmp, keep=terms.keep, forbidden=terms.hidden
        )

    def _output(self, path: str) -> bytes | None:
        """Return a file that the check had to write; None if there is a link or a pipe."""
        full = os.path.join(self._slot.tree, path)
        plain = os.path.isfile(full) and not os.path.islink(full) and self._is_inside(full)
        if not plain or os.path.getsize(full) > _OUTPUT_BYTES:
            return None
        with open(full, "rb") as file:
            return file.read()

    def _is_inside(self, place: str) -> bool:
        tree = os.path.realpath(self._slot.tree)
        return os.path.commonpath([os.path.realpath(place), tree]) == tree

    def show(self, held_out: Sequence[str]) -> str:
        """Copy held-out files into the checkout of this check; return the reason if that fails."""
        if not held_out:
            return ""
        place = os.path.join(self._slot.tree, HELD_OUT)
        remove(place)
        os.makedirs(place)
        self._shown = True
        for given in held_out:
            path = os.path.expanduser(given)
            try:
                if os.path.isdir(path):
                    shutil.copytree(path, os.path.join(place, os.path.basename(path)))
                else:
                    shutil.copy(path, place)
            except (OSError, shutil.Error) as exc:
                return f"held-out file {given} cannot be read: {exc}"
        return ""

    def hide(self) -> None:
        """Remove held-out files from the checkout."""
        if self._shown:
            remove(os.path.join(self._slot.tree, HELD_OUT))
            self._shown = False

    def changed(self) -> list[str]:
        """Return the files of the tree that the last check changed."""
        entries = self._trees.entries(self._tree)
        try:
            seen = self._pool.look(self._slot, self._made)
        except OSError:  # it removed the checkout, or our right to read it
            self._touched = True
            return sorted(entries)
        self._touched = seen != self._laid
        touched = [p for p in entries if seen.get(p) != self._laid.get(p)] if self._touched else []
        root, objects = self._slot.tree, self._trees.objects
        return sorted(p for p in touched if not is_laid(objects, os.path.join(root, p), entries[p]))

    def tidy(self) -> None:
        """Undo what the last check changed, for the next one."""
        if self._touched or not self._terms.setup.is_intact(self._slot):
            kept = self._terms.setup.kept(self._slot)
            self._slot = self._pool.prepare(self._slot, self._tree, kept)
            self.set_up()
        self._slot.empty_rooms()


class Spot:
    """The context of one check: the files of its tree, and the workspace that it runs in."""

    def __init__(self, room: Room | None, files: Files, work: Work) -> None:
        self._room = room
        self.files = files
        self.work = work

    def run(self, call: Call) -> Ended:
        if self._room is None:
            raise LookupError("this check was not expected to run a program")
        return self._room.run(call)
