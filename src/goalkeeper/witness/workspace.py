"""A leased checkout in which checks run one after another; each check gets it clean."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Self

from goalkeeper.app.trials import Files
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.held_out import HELD_OUT
from goalkeeper.core.contract.reads import Reads
from goalkeeper.git.trees import Trees
from goalkeeper.system import run as system_run
from goalkeeper.system.environment import (
    build_check_environment,
    find_homes,
    lies_in_any,
    list_named_paths,
)
from goalkeeper.system.opens import OpenWatch
from goalkeeper.system.run import ProgramLimits
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import OUTPUT_BYTES, ProgramCall, ProgramRun, WorkFacts
from goalkeeper.witness.credentials import list_searched, read_times
from goalkeeper.witness.pool import (
    CheckoutPool,
    CheckoutSlot,
    Marks,
    is_as_written,
    list_folders,
    remove_path,
)
from goalkeeper.witness.sandbox import (
    PlainAccount,
    build_sandbox_command,
    find_plain_account,
    run_in_sandbox,
)
from goalkeeper.witness.setup import (
    NOTHING_LENT,
    LentSetup,
    fill_home,
    list_bins,
    list_variables,
)
from goalkeeper.witness.terms import CheckTerms, find_shared_path

_MOST_READS = 2000  # a check that opens more is affected by nearly every change


class Workspace:
    def __init__(
        self,
        trees: Trees,
        slot: CheckoutSlot,
        tree: str,
        terms: CheckTerms,
        lent: LentSetup = NOTHING_LENT,
    ) -> None:
        self._trees = trees
        self.lent = lent
        # Programs see the checkout here. In a sandbox that is the same path for all checkouts.
        usual = find_shared_path(trees) if terms.is_shut_in else os.path.realpath(slot.tree)
        self.seen_at = os.path.realpath(terms.seen_at) if terms.seen_at else usual
        self._pool = CheckoutPool(trees)
        self._slot = slot
        self._tree = tree
        self._terms = terms
        self._made: tuple[str, ...] = ()
        self.problem = ""  # it says why nothing can be checked here
        self._aside: dict[str, str] = {}  # where held-out files lie, and what lay there before
        self._laid: Marks = {}  # the checkout as the next check finds it
        self._touched = False  # whether a check changed it since then
        # Sandboxes that were built, and when the folders that were searched for them had changed.
        self._built: dict[tuple[str, str, str], tuple[list[str], dict[str, int]]] = {}
        self._watch: OpenWatch | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide_held_out()  # the checkout is kept for other trees
        self._end_watch()

    def set_up(self) -> None:
        """See to the project's set-up; `problem` says why there is none."""
        if self._terms.is_shut_in:
            self._made, self.problem = self.lent.made, self.lent.problem
            self._make_mount_points()
        else:
            self._made, self.problem = self._terms.setup.carry_out(self._slot, self.run_isolated)
        self._touched = False
        self._end_watch()  # folders may have been made anew
        self._laid = self._slot.prepared_marks
        if self._terms.setup.is_needed:
            self._laid = self._pool.read_settled_marks(self._slot, self._made)

    def set_up_beside(self, other: Workspace) -> None:
        """Use the set-up of another workspace, and its empty folders: a pair shares them."""
        # A folder may have lost all its files here. Python leaves it out of `sys.path` if it is
        # gone, and the product is then sought on the path that is left.
        for folder in list_folders(self._trees.list_entries(other._tree), ()):
            os.makedirs(os.path.join(self._slot.tree, folder), exist_ok=True)
        self._slot.home, self._slot.tmp = other._slot.home, other._slot.tmp
        self._made, self.problem = other._made, other.problem
        if self._terms.is_shut_in:
            self._make_mount_points()
            return
        for path in self._made:
            full = os.path.join(self._slot.tree, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            if not os.path.lexists(full):
                os.symlink(os.path.join(other._slot.tree, path), full)

    def _make_mount_points(self) -> None:
        """Make what is lent visible: it is mounted over empty files and folders."""
        for path in self._made:
            full = os.path.join(self._slot.tree, path)
            is_folder = os.path.isdir(os.path.join(self.lent.place, path))
            if not os.path.lexists(full):
                os.makedirs(full if is_folder else os.path.dirname(full), exist_ok=True)
                if not is_folder:
                    open(full, "xb").close()
            elif os.path.islink(full) or os.path.isdir(full) is not is_folder:
                self.problem = f"set-up makes {path}, and the tree has something else there"

    def run_program(
        self,
        call: ProgramCall,
        *,
        more: Mapping[str, str] | None = None,
        python_path: str = "",
        inherited: Sequence[int] = (),
    ) -> ProgramRun:
        """Run it; `python_path` comes first of what its PYTHONPATH names."""
        place = os.path.join(self._slot.tree, call.cwd)
        if not lies_in_any(os.path.realpath(place), [os.path.realpath(self._slot.tree)]):
            return ProgramRun(call.argv, system_run.NotStarted(f"{call.cwd} leads out of the tree"))
        outputs = call.place_outputs(self._slot.tree, self._slot.tmp)
        for full in outputs:  # a file of the tree is no report of this run
            if self._is_inside(os.path.dirname(full)) and (
                os.path.islink(full) or not os.path.isdir(full)
            ):
                remove_path(full)
        env = {**call.build_variables(), **(more or {})}
        if python_path:
            others = env.get("PYTHONPATH", "")
            env["PYTHONPATH"] = f"{python_path}:{others}" if others else python_path
        limits = call.choose_limits(self._terms.limits)
        argv = call.list_words(self._seen_tmp)
        ran = self.run_isolated(
            argv, place, limits, env, keep_bytes=call.keep_bytes, inherited=inherited
        )
        read = (read_plain_file(p, OUTPUT_BYTES) if self._is_inside(p) else b"" for p in outputs)
        return ProgramRun(argv, ran, tuple(read), self.seen_at)

    def run_isolated(
        self,
        argv: Sequence[str],
        place: str,
        limits: ProgramLimits,
        more: Mapping[str, str],
        *,
        keep_bytes: int = system_run.KEEP_BYTES,
        fetching: str = "",
        inherited: Sequence[int] = (),
    ) -> system_run.Ran:
        """Run a program; one that fetches has the network, and `fetching` in place of the tree."""
        # The programs that set-up made come first.
        own = [os.path.join(self.seen_at, path) for path in list_bins(self._made)]
        path = os.pathsep.join([*own, self._environ["PATH"]])
        led = list_variables(self._made, self.seen_at)
        env = {**self._environ, "PATH": path, **led, **more}
        if not self._terms.is_shut_in:
            return system_run.run(
                argv, cwd=place, env=env, limits=limits, keep_bytes=keep_bytes, inherited=inherited
            )

        def run_shut_in() -> system_run.Ran:
            return run_in_sandbox(
                [*self._build_sandbox(place, env["PATH"], fetching), *argv],
                cwd=self._slot.tree,
                env=env,
                limits=limits,
                keep_bytes=keep_bytes,
                inherited=inherited,
            )

        ran = run_shut_in()
        if isinstance(ran, system_run.NotStarted):  # a path that it hides may have gone
            self._built.clear()
            ran = run_shut_in()
        return ran

    def _build_sandbox(self, place: str, path: str, fetching: str) -> list[str]:
        """Return the sandbox command; checks share it until a credential may have come."""
        asked = (place, path, fetching)
        command, searched = self._built.get(asked, ([], {}))
        if not command or searched != read_times(searched):
            command = build_sandbox_command(
                (),
                checkout=self._slot.tree,
                seen_at=self.seen_at,
                lent={} if fetching else self._list_lent(),
                home=self._slot.home,
                tmp=self._slot.tmp,
                hidden=(
                    *self._terms.hidden,
                    *self._terms.exams,
                    self._trees.store,
                    self._trees.checkouts,
                ),
                path=path,
                user_homes=find_homes(self._terms.environ),
                cwd=os.path.normpath(
                    os.path.join(self.seen_at, os.path.relpath(place, self._slot.tree))
                ),
                fetching=fetching,
                shown=list_named_paths(self._terms.setup.means.variables) if fetching else (),
                account=self._account,
            )
            self._built[asked] = command, list_searched()
        return command

    def _list_lent(self) -> dict[str, str]:
        """Return what is mounted into the checkout, by its path there."""
        return {path: os.path.join(self.lent.place, path) for path in self._made}

    @cached_property
    def _account(self) -> PlainAccount | None:
        return find_plain_account() if self._terms.is_shut_in else None

    @property
    def _seen_tmp(self) -> str:
        return self._account.tmp if self._account else self._slot.tmp

    @cached_property
    def _environ(self) -> dict[str, str]:
        terms = self._terms
        return build_check_environment(
            terms.environ,
            home=self._account.home if self._account else self._slot.home,
            tmp=self._seen_tmp,
            keep=terms.keep,
            forbidden=terms.hidden,
            user=self._account.name if self._account else "",
        )

    def _is_inside(self, place: str) -> bool:
        """Return whether a path lies in the checkout, or in the folder for temporary files."""
        own = [os.path.realpath(folder) for folder in (self._slot.tree, self._slot.tmp)]
        return lies_in_any(os.path.realpath(place), own)

    def show_held_out(self, criterion: Criterion) -> str:
        """Lay held-out files into the checkout of this check; return the reason if that fails.

        They are ours, so they take the place of what the tree has there.
        """
        if not criterion.held_out:
            return ""
        folder = os.path.join(self._slot.tree, criterion.held_out_at)
        if criterion.held_out_at == HELD_OUT:
            self._set_aside(folder)
        if not self._is_inside(folder):
            return f"held-out files cannot lie in {criterion.held_out_at}: it leads out of the tree"
        for given in criterion.held_out:
            path = os.path.abspath(os.path.expanduser(given))
            place = os.path.join(folder, os.path.basename(path))
            try:
                os.makedirs(folder, exist_ok=True)
                if place not in self._aside:
                    self._set_aside(place)
                (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, place)
            except (OSError, shutil.Error) as exc:
                return f"held-out file {given} cannot be read: {exc}"
        return ""

    def _set_aside(self, place: str) -> None:
        """Take what lies there out of the checkout, until held-out files are gone again."""
        aside = os.path.join(self._slot.dir, f"aside-{len(self._aside)}")
        remove_path(aside)
        self._aside[place] = aside
        if os.path.lexists(place):
            os.rename(place, aside)

    def hide_held_out(self) -> None:
        """Remove held-out files from the checkout."""
        for place, aside in reversed(self._aside.items()):
            parent = os.path.dirname(place)
            # A check may have moved the folder, and made a link to another one in its place.
            if os.path.isdir(parent) and self._is_inside(parent):
                remove_path(place)
                if os.path.lexists(aside):
                    os.rename(aside, place)
            remove_path(aside)
        self._aside.clear()

    def write_folder(self, folder: str, files: Mapping[str, str]) -> None:
        """Write files of ours into the checkout; they are gone when it is cleaned."""
        remove_path(os.path.join(self._slot.tree, folder))
        self._touched = True
        for path, text in files.items():
            full = os.path.join(self._slot.tree, folder, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "x", encoding="utf-8") as file:
                file.write(text)

    def read_file(self, path: str, most: int) -> bytes:
        """Return a plain file of the checkout; nothing if there is none."""
        full = os.path.join(self._slot.tree, path)
        return read_plain_file(full, most) if self._is_inside(full) else b""

    def fill_home(self) -> None:
        """Lay caches into the empty home of the next check."""
        place = self.lent.place if self._terms.is_shut_in else self._slot.tree
        fill_home(self._made, place, self._slot.home)

    def begin_watch(self) -> None:
        """Watch from now on what is opened in the checkout."""
        if self._watch is None:
            folders = list_folders(self._trees.list_entries(self._tree), ())
            self._watch = OpenWatch(self._slot.tree, ("", *folders))
        self._watch.take_opened()

    def list_reads(self) -> Reads | None:
        """Return what was opened of the tree since the watch began; None if that is unknown."""
        seen = self._watch.take_opened() if self._watch else None
        if seen is None or len(seen[0]) > _MOST_READS:
            return None
        entries = self._trees.list_entries(self._tree)
        return Reads(frozenset(path for path in seen[0] if path in entries), frozenset(seen[1]))

    def _end_watch(self) -> None:
        if self._watch:
            self._watch.close()
        self._watch = None

    def list_changed(self) -> list[str]:
        """Return the files of the tree that the last check changed."""
        entries = self._trees.list_entries(self._tree)
        try:
            seen = self._pool.read_marks(self._slot, self._made)
        except OSError:  # it removed the checkout, or our right to read it
            self._touched = True
            return sorted(entries)
        self._touched = seen != self._laid
        touched = [p for p in entries if seen.get(p) != self._laid.get(p)] if self._touched else []
        root, objects = self._slot.tree, self._trees.objects
        return sorted(
            p for p in touched if not is_as_written(objects, os.path.join(root, p), entries[p])
        )

    def clean_up(self) -> None:
        """Undo what the last check changed, for the next one."""
        terms = self._terms
        is_spoilt = not terms.is_shut_in and terms.setup.find_remembered(self._slot) is None
        if self._touched or is_spoilt:
            kept = terms.list_kept(self._slot)
            self._slot = self._pool.prepare_slot(self._slot, self._tree, kept)
            self.set_up()
        self._slot.make_empty_folders()


class WorkspaceContext(Value):
    """The context of one check: the files of its tree, and the workspace that it runs in."""

    workspace: Workspace | None
    files: Files
    work: WorkFacts

    def run_program(self, call: ProgramCall) -> ProgramRun:
        if self.workspace is None:
            raise LookupError("this check was not expected to run a program")
        return self.workspace.run_program(call)
