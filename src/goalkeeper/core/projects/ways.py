"""The ways in which a project may be set up, and the files that tell them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import TypeAlias

from goalkeeper.core.projects.commands import ReadText
from goalkeeper.core.projects.declared import is_declared
from goalkeeper.wire.value import Value

Argv: TypeAlias = tuple[str, ...]
HasProgram = Callable[[str], bool]
_INTO: Argv = ("env", "-C")


class ProjectFiles(Value):
    """The files of a project's folder, by their paths below it."""

    paths: Collection[str]
    read: ReadText  # the text of a file; empty if there is none
    folder: str = ""  # the folder in the repository; empty for its root

    def has(self, *names: str) -> bool:
        return any(name in self.paths for name in names)

    def declares(self, name: str) -> bool:
        """Return whether the folder itself, and no other one in it, declares a package."""
        own = [p for p in self.paths if "/" not in p or p.startswith("requirements/")]
        return is_declared(name, own, self.read)

    def enter(self, folder: str) -> ProjectFiles:
        """Return the files of a folder of it."""
        start = f"{folder}/"
        paths = frozenset(p.removeprefix(start) for p in self.paths if p.startswith(start))
        return ProjectFiles(paths, lambda path: self.read(start + path), folder)


class SetupWay(Value):
    """One way to bring what checks need: commands that fetch, and commands that build."""

    name: str  # what it goes by, for whoever reads what was tried
    fetch: tuple[Argv, ...] = ()  # they have the network, and see declarations alone
    setup: tuple[Argv, ...] = ()  # they see the code, and have no network
    needs: tuple[str, ...] = ()  # the programs that must be there
    notes: tuple[str, ...] = ()

    def list_lacking(self, has_program: HasProgram) -> tuple[str, ...]:
        lacking = (name for name in self.needs if not has_program(name))
        return tuple(f"{self.name} needs {name}, which is not on PATH" for name in lacking)

    def move_into(self, folder: str) -> SetupWay:
        """Return the same for a folder of the repository."""
        fetch, setup = (tuple(run_in(folder, a) for a in c) for c in (self.fetch, self.setup))
        return self.replace(name=f"{self.name} in {folder}", fetch=fetch, setup=setup)


def run_in(folder: str, argv: Argv) -> Argv:
    """Return the command that runs another one in a folder."""
    return (*_INTO, folder, *argv) if folder else argv


def split_folder(argv: Argv) -> tuple[Argv, Argv]:
    """Split off what `run_in` put before a command, if the folder lies in the repository."""
    folder = argv[2] if argv[:2] == _INTO and len(argv) > len(_INTO) + 1 else ""
    is_below = bool(folder) and not folder.startswith("/") and ".." not in folder.split("/")
    return (argv[:3], argv[3:]) if is_below else ((), argv)


def join_ways(kinds: Sequence[Sequence[SetupWay]]) -> tuple[SetupWay, ...]:
    """Join the ways of several kinds of packages: the first of each, then the second, and so on."""
    kinds = [ways for ways in kinds if ways]
    count = max(map(len, kinds), default=0)
    return tuple(_join([ways[min(n, len(ways) - 1)] for ways in kinds]) for n in range(count))


def _join(ways: Sequence[SetupWay]) -> SetupWay:
    return SetupWay(
        ", ".join(way.name for way in ways),
        tuple(chain.from_iterable(way.fetch for way in ways)),
        tuple(chain.from_iterable(way.setup for way in ways)),
        tuple(dict.fromkeys(chain.from_iterable(way.needs for way in ways))),
        tuple(dict.fromkeys(chain.from_iterable(way.notes for way in ways))),
    )
