"""A project may need a set-up before its checks: commands that fetch, and commands that build.

In a sandbox those that fetch have the network and see no code of the tree; the others have no
network. There what they make (a virtual environment, node_modules) is kept outside of checkouts
and lent to them (see `setups`). Without a sandbox it stays in its checkout for the next proof, as
long as the lockfiles are the same and nothing of it was changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any

from goalkeeper.core.problems import cut_text
from goalkeeper.core.projects.commands import describe_argv
from goalkeeper.git.folders import Entries
from goalkeeper.system.environment import OFFLINE
from goalkeeper.system.run import Exited, NotStarted, ProgramLimits, Ran, describe_end
from goalkeeper.system.safe_open import replace_file
from goalkeeper.wire.canonical import compact, digest
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.pool import CheckoutSlot, make_mark, read_note, remove_path, walk_tree

_DECLARED = (
    r"(.*/)?(uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock|[^/]*requirements[^/]*\.(txt|in)|"
    r"requirements/[^/]+\.(txt|in)|constraints\.txt|"
    r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|"
    r"Cargo\.lock|go\.(sum|mod)|Gemfile\.lock|composer\.lock|mix\.lock|pyproject\.toml|"
    r"package\.json)"
)
# Settings of programs that fetch; these come from the base, because some name programs.
_SETTINGS = (
    r"(.*/)?(\.npmrc|\.yarnrc(\.yml)?|bunfig\.toml|uv\.toml|poetry\.toml|pdm\.toml|Gemfile|"
    r"\.(python|node|ruby)-version|\.nvmrc|\.tool-versions|rust-toolchain(\.toml)?)"
)
_FORM = 2  # what was made where checkouts were seen at another path does not fit
LOCKFILE = late_pattern(f"{_DECLARED}|{_SETTINGS}" + r"|(.*/)?setup\.(py|cfg)")
# Of the rest of the tree, commands that fetch see empty files: setup.py is code.
DECLARATION = late_pattern(
    _DECLARED + r"|(.*/)?(Cargo\.toml|Pipfile|composer\.json|pnpm-workspace\.yaml|go\.work(\.sum)?)"
)
_SHOWN = late_pattern(f"{DECLARATION.pattern}|{_SETTINGS}")
# Package managers run no code of packages while they fetch, unless a command says so.
_FETCH_ONLY = {
    "npm_config_ignore_scripts": "true",
    "PIP_ONLY_BINARY": ":all:",
    "UV_COMPILE_BYTECODE": "1",  # no check can keep what it compiles, so each would do it anew
    "UV_NO_BUILD": "1",
    "YARN_ENABLE_SCRIPTS": "false",
}
# Package managers end with lines that tell no cause.
_NOISE = late_pattern(
    r"\s*$|\[notice\]|WARNING:|npm (?:notice|warn)|"
    r"npm (?:error|ERR!) ?(?:$|A complete log|Run \"npm|code|path|errno|syscall|aliases)"
)
_QUOTED_BY_PIP = late_pattern(r"\[\d+ lines of output\]\n(.*?)\[end of output\]", re.DOTALL)
_NPM_ERROR = late_pattern(r"npm (?:error|ERR!) ")
_ERROR = late_pattern(r"\berror\b", re.IGNORECASE)
COMPILED = late_pattern(r".*\.(c|cc|cpp|cxx|f90|h|hh|hpp|pxd|pxi|pyx|rs)")
EXECUTED = late_pattern(
    r"(.*/)?(setup\.py|build\.rs|CMakeLists\.txt|meson\.build|binding\.gyp|\.pnpmfile\.cjs)"
)
# Declarations name such pages, and builds only copy them.
PAGE = late_pattern(
    r"(README|LICEN[CS]E|COPYING|NOTICE|AUTHORS|CHANGE[A-Z]*|HISTORY|NEWS)(\.(md|rst|txt|adoc))?"
)
_BINS = {".venv": ".venv/bin", "venv": "venv/bin", "node_modules": "node_modules/.bin"}
# Programs look into folders that set-up made where a variable says so; others must lie in a home.
_VARIABLES = {".go-packages": "GOMODCACHE"}
_OF_HOMES = {".go-build": ".cache/go-build"}
SetupRunner = Callable[..., Ran]


def list_lockfiles(entries: Entries) -> dict[str, str]:
    return {path: blob.id for path, blob in entries.items() if LOCKFILE.fullmatch(path)}


class LentSetup(Value):
    """What a set-up has made, for any checkout that needs the same."""

    place: str = ""  # the folder that it lies in, outside of all checkouts
    made: tuple[str, ...] = ()  # paths below that folder, and in a checkout
    problem: str = ""  # why there is nothing to lend


NOTHING_LENT = LentSetup()


class FetchMeans(Value):
    """What commands that fetch have of the user's, and nothing else has."""

    variables: Mapping[str, str] = {}  # they lead to registries
    settings: Mapping[str, str] = {}  # files of the user's home, by their paths below a home

    @contextmanager
    def lay_settings(self, home: str) -> Iterator[None]:
        """Lay the user's settings into a home, until packages are fetched."""
        laid = [os.path.join(home, path) for path in self.settings]
        for place, source in zip(laid, self.settings.values(), strict=True):
            os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
            shutil.copyfile(source, place)
        try:
            yield
        finally:
            for place in laid:
                remove_path(place)


def say_nothing(_: str) -> None:
    pass


class ProjectSetup(Value):
    commands: tuple[tuple[str, ...], ...]
    limits: ProgramLimits
    locks: Mapping[str, str]  # it maps a lockfile to the id of its contents
    fetch: tuple[tuple[str, ...], ...] = ()  # these come first, with the network
    tree: str = ""  # it runs in this tree, which has no code of the work
    sources: Mapping[str, str] = {}  # what a build compiles and executes of it, by its id
    left: tuple[str, ...] = ()  # files that are the base's, though the work has changed them
    means: FetchMeans = FetchMeans()
    tell: Callable[[str], None] = say_nothing  # it tells whoever waits what is done

    def read_tree(self, tree: str, entries: Entries) -> ProjectSetup:
        """Return the set-up that runs in this tree."""
        sources = {
            path: blob.id
            for path, blob in (entries.items() if self.commands else ())
            if COMPILED.fullmatch(path) or EXECUTED.fullmatch(path)
        }
        return self.replace(tree=tree, locks=list_lockfiles(entries), sources=sources)

    @property
    def fetch_key(self) -> str:
        """Return what decides what fetching brings; no code is among it."""
        return digest(["fetched", _FORM, self.fetch, dict(self.locks)])

    @property
    def key(self) -> str:
        """Return what decides what set-up makes."""
        if not self.commands:
            return self.fetch_key
        made_of = [self.commands, dict(self.locks), dict(self.sources), self.fetch]
        return digest([_FORM, *made_of])

    @property
    def is_needed(self) -> bool:
        return bool(self.fetch or self.commands)

    def describe_network(self, *, shut_in: bool) -> tuple[str, ...]:
        """Say what set-up could reach; judgements and receipts repeat it."""
        if not shut_in:
            return ("set-up had the network",) if self.is_needed else ()
        fetched = ("fetching had the network, and no code of the tree",) if self.fetch else ()
        left = (f"set-up took the base's {', '.join(self.left[:3])}",) if self.left else ()
        return (*fetched, *(("set-up had no network",) if self.commands else ()), *left)

    def carry_out(self, slot: CheckoutSlot, run: SetupRunner) -> tuple[tuple[str, ...], str]:
        """Run the set-up in a checkout, or lay it anew there; return what it made, and a problem.

        What it made is kept beside the checkout, so that a check that spoils it costs a copy.
        """
        known = self.find_remembered(slot)
        if known is not None:
            return known, ""
        noted = _read_note(slot)
        for path in noted.get("made", []):
            remove_path(os.path.join(slot.tree, path))
        if self._is_kept(slot, noted):
            _copy_all(noted["made"], _find_pristine(slot), slot.tree)
            return self._write_note(slot, noted["made"], noted["pristine"]), ""
        problem = self.run_steps(self.fetch, slot, run, {**self.means.variables, **_FETCH_ONLY})
        problem = problem or self.run_steps(self.commands, slot, run)
        return () if problem else self._keep(slot), problem

    def _is_kept(self, slot: CheckoutSlot, noted: Mapping[str, Any]) -> bool:
        """Return whether an unspoilt copy of what this set-up made lies beside the checkout."""
        is_same = bool(noted) and noted.get("key") == self.key
        return is_same and noted.get("pristine") == _digest_pristine(slot, noted["made"])

    def _keep(self, slot: CheckoutSlot) -> tuple[str, ...]:
        made = list_made(slot.tree, slot)
        remove_path(_find_pristine(slot))
        _copy_all(made, slot.tree, _find_pristine(slot))
        return self._write_note(slot, made, _digest_pristine(slot, made))

    def find_remembered(self, slot: CheckoutSlot) -> tuple[str, ...] | None:
        """Return what an earlier set-up made here; None if it must run again."""
        if not self.is_needed:
            return ()
        noted = _read_note(slot)
        is_same = noted.get("key") == self.key
        is_intact = (
            is_same
            and noted.get("state") == digest_state(slot.tree, noted["made"])
            # Contents come last: a check may have made endless files here.
            and noted.get("contents", "") == _digest_contents(slot, noted["made"])
        )
        return tuple(noted["made"]) if is_intact else None

    def list_kept(self, slot: CheckoutSlot) -> tuple[str, ...]:
        """Return the paths that a checkout of the next tree must not change."""
        return self.find_remembered(slot) or ()

    def fetch_apart(self, slot: CheckoutSlot, run: SetupRunner, stage: str) -> str:
        """Run the commands that fetch in `stage`, a folder with declarations and no code."""
        remove_path(stage)
        _copy_declarations(slot.tree, stage)
        env = {**self.means.variables, **_FETCH_ONLY}
        with self.means.lay_settings(slot.home):
            return self.run_steps(self.fetch, slot, run, env, stage)

    def build_apart(self, slot: CheckoutSlot, run: SetupRunner) -> str:
        """Run the other commands, without the network."""
        problem = self.run_steps(self.commands, slot, run, OFFLINE)
        return problem and f"{problem}; set-up has no network, and [witness] fetch has"

    def run_steps(
        self,
        commands: Sequence[tuple[str, ...]],
        slot: CheckoutSlot,
        run: SetupRunner,
        more: Mapping[str, str] | None = None,
        stage: str = "",
    ) -> str:
        """Run commands until one fails; return what went wrong."""
        steps = (self._run_step(argv, slot, run, more or {}, stage) for argv in commands)
        return next(filter(None, steps), "")

    def _run_step(
        self,
        argv: tuple[str, ...],
        slot: CheckoutSlot,
        run: SetupRunner,
        more: Mapping[str, str],
        stage: str,
    ) -> str:
        self.tell(f"{'fetch' if more else 'set-up'}: {describe_argv(argv)}")
        ran = run(argv, slot.tree, self.limits, more, fetching=stage)
        if isinstance(ran, Exited) and ran.code == 0:
            return ""
        out = "" if isinstance(ran, NotStarted) else ran.err.text.strip() or ran.out.text.strip()
        cause = find_cause(out)
        said = f": {cut_text(cause, 200)}" if cause else ""
        return f"set-up: {describe_argv(argv)} failed ({describe_end(ran)}){said}"

    def _write_note(
        self, slot: CheckoutSlot, made: Sequence[str], pristine: str
    ) -> tuple[str, ...]:
        state, contents = digest_state(slot.tree, made), _digest_contents(slot, made)
        noted = {"key": self.key, "made": made, "state": state, "contents": contents}
        noted["pristine"] = pristine
        replace_file(slot.setup, compact(noted).encode(errors="surrogateescape"))
        return tuple(made)


def _find_pristine(slot: CheckoutSlot) -> str:
    return os.path.join(slot.dir, "pristine")


def _digest_pristine(slot: CheckoutSlot, made: Sequence[str]) -> str:
    """Return a digest that changes if a check has changed the copy: it could reach it."""
    return _digest_marks(_find_pristine(slot), made, slot.make_mark)


def _copy_all(paths: Sequence[str], source: str, target: str) -> None:
    for path in paths:
        place = os.path.join(target, path)
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        copy_path(os.path.join(source, path), place)


def copy_path(source: str, target: str) -> None:
    """Copy a file or folder; where the file system can, both share their blocks."""
    subprocess.run(["cp", "-a", "--reflink=auto", "--", source, target], check=True)


def list_bins(made: Sequence[str]) -> list[str]:
    """Return folders of programs that set-up made; folders of the tree are not trusted."""
    return [folder for name, folder in _BINS.items() if name in made]


def list_variables(made: Sequence[str], root: str) -> dict[str, str]:
    """Return variables that lead to what set-up made, in a checkout that is seen at `root`."""
    return {name: f"{root}/{path}" for path, name in _VARIABLES.items() if path in made}


def fill_home(made: Sequence[str], place: str, home: str) -> None:
    """Copy caches that set-up made below `place` into a home; a check may write into them."""
    for path, target in _OF_HOMES.items():
        if path in made:
            os.makedirs(os.path.dirname(f"{home}/{target}"), mode=0o700, exist_ok=True)
            copy_path(f"{place}/{path}", f"{home}/{target}")


def find_cause(printed: str) -> str:
    """Find the line that says why a program failed: npm's first error, or the last line of all.

    What pip runs to build a package is quoted, and pip's own last lines do not repeat it.
    """
    quoted = _QUOTED_BY_PIP.search(printed)
    printed = quoted[1] if quoted and quoted[1].strip() else printed
    lines = [line.strip() for line in printed.splitlines() if not _NOISE.match(line)]
    of_npm = [line for line in lines if _NPM_ERROR.match(line)]
    errors = [line for line in lines if _ERROR.search(line)]
    return (of_npm or errors[-1:] or lines[-1:] or [""])[0]


def list_made(tree: str, slot: CheckoutSlot) -> list[str]:
    """Return what is new in a checkout since it was prepared, or in a copy of it."""
    found = walk_tree(tree, slot.prepared_marks.__contains__)
    return sorted(path for path, _ in found if path not in slot.prepared_marks)


def _copy_declarations(tree: str, stage: str) -> None:
    """Lay a copy of the checkout in which every file is empty that declares no dependencies.

    A link is an empty file, too: it could give code of the tree another name.
    """
    os.mkdir(stage)
    for path, entry in walk_tree(tree, lambda _: True):
        target = os.path.join(stage, path)
        if entry.is_dir(follow_symlinks=False):
            os.mkdir(target)
        elif entry.is_file(follow_symlinks=False) and _SHOWN.fullmatch(path):
            shutil.copyfile(entry.path, target, follow_symlinks=False)
        else:
            open(target, "xb").close()


def _read_note(slot: CheckoutSlot) -> dict[str, Any]:
    noted = read_note(slot.setup)
    return noted if isinstance(noted.get("made"), list) else {}


def digest_state(place: str, made: Sequence[str]) -> str:
    """Return a digest of names, sizes, times and inodes, which changes if a file is changed."""
    return _digest_marks(place, made, lambda _, about: make_mark(about))


def _digest_contents(slot: CheckoutSlot, made: Sequence[str]) -> str:
    """Return a digest of contents where times do not tell; elsewhere it is empty."""
    return "" if slot.times_tell else _digest_marks(slot.tree, made, slot.make_mark)


def _digest_marks(
    place: str, made: Sequence[str], mark: Callable[[str, os.stat_result], tuple[int, ...]]
) -> str:
    seen: list[str] = []
    for full in (os.path.join(place, path) for path in made):
        inside = (os.path.join(at, n) for at, *names in os.walk(full) for n in chain(*names))
        for path in (full, *inside):
            with suppress(OSError):
                seen.append(str((path, *mark(path, os.lstat(path)))))
    return digest(sorted(seen))
