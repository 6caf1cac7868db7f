"""A client that is a program: its environment, what is known of it, and how it is started.

The environment is the user's own without what an agent must not get. The user's logins, keys and
settings stay, because the agent works in the user's name. Three things go: the marks of an agent
that we ourselves run under, because they make a client believe that it is part of another one's
session; where git is, because the agent works elsewhere; and our secrets.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence

from goalkeeper.clients.client import AgentProbe, Asked, Launch, Reader
from goalkeeper.clients.streams import one_line
from goalkeeper.system.environment import OTHER_REPOSITORY, filter_search_path
from goalkeeper.system.run import Exited, NotStarted, ProgramLimits, run
from goalkeeper.wire import layout
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

# Some clients take seconds to say their own version, and more on a busy machine.
_LIMITS = ProgramLimits(seconds=30.0, output_mb=1, free_mb=0)
_PRIVATE = [name for row in CLIENTS.values() for name in row.private.split()]
_DROPPED = frozenset({*_PRIVATE, *OTHER_REPOSITORY, "AGENT", "AI_AGENT", "OLDPWD"})
_DROPPED_FAMILIES = (
    "GOALKEEPER_", *(name.removesuffix("*") for name in _PRIVATE if name.endswith("*"))
)  # fmt: skip
_VERSION = late_pattern(r"\b(\d+)\.(\d+)\.(\d+)\b")


class ProgramClient(Value):
    """A client as npm installs it."""

    name: str  # it is also the name of the program
    package: str
    least: tuple[int, int, int]  # the first version that has all that we ask of it
    variables: tuple[str, ...]  # it logs in with these variables
    # The file of its login is given by the variable that names a folder, that folder below the home
    # directory where the variable is not set, and the path below the folder.
    login: tuple[str, str, str]
    make_argv: Callable[[Asked], tuple[str, ...]]
    make_reader: Callable[[], Reader]
    cost_known: bool = False  # whether it tells what it cost
    more_environment: Mapping[str, str] = {}
    # Finds what else keeps it from working here.
    check: Callable[[AgentProbe, Mapping[str, str]], AgentProbe] = lambda found, _environ: found

    def launch(self, asked: Asked, environ: Mapping[str, str]) -> Launch:
        environment = make_environment(self.name, asked, environ)
        return Launch(self.make_argv(asked), {**environment, **self.more_environment})

    def probe(self, environ: Mapping[str, str]) -> AgentProbe:
        """Find out what can be known without a network and without its secrets."""
        install = f"npm install -g {self.package}@latest"
        place = shutil.which(self.name, path=environ.get("PATH", os.defpath))
        if place is None:
            return AgentProbe(self.name, problem=f"there is no {self.name} on PATH", hint=install)
        login = self._find_login(environ)
        found = AgentProbe(self.name, place, auth=login, cost_known=self.cost_known)
        numbers, problem = _read_version(place, environ)
        if problem:
            return found.replace(problem=problem, hint=f"{self.name} --version")
        found = found.replace(version=".".join(str(number) for number in numbers))
        if numbers < self.least:
            least = ".".join(str(number) for number in self.least)
            old = f"{self.name} {found.version} is too old: {least} is the least"
            return found.replace(problem=old, hint=install)
        return self.check(found, environ)

    def _find_login(self, environ: Mapping[str, str]) -> str:
        """Return a name only. Without one, a keychain may hold the login; that is not seen here."""
        named = next((name for name in self.variables if environ.get(name)), "")
        if named:
            return named
        (variable, usual, file), home = self.login, environ.get("HOME", "")
        place = os.path.join(environ.get(variable) or os.path.join(home, usual), file)
        if not os.path.isfile(place):
            return ""
        return place.replace(home, "~", 1) if home and place.startswith(f"{home}/") else place


def find_client_program(name: str, environ: Mapping[str, str], walls: Sequence[str]) -> str | None:
    """Find a program as the user finds it, but not inside one of the walls."""
    return shutil.which(name, path=_filter_path(environ, walls))


def leave_out_programs(environ: Mapping[str, str], walls: Sequence[str]) -> dict[str, str]:
    """Return an environment in which no program inside one of the walls is found."""
    return {**environ, "PATH": _filter_path(environ, walls)}


def _filter_path(environ: Mapping[str, str], walls: Sequence[str]) -> str:
    return filter_search_path(environ.get("PATH", os.defpath), walls)


def make_environment(client: str, asked: Asked, environ: Mapping[str, str]) -> dict[str, str]:
    return {
        **scrub_environment(environ),
        # Some clients go where PWD points, which would be the user's checkout.
        "PWD": asked.worktree,
        "GOALKEEPER_AGENT": client,
        "GOALKEEPER_SESSION": asked.resume or asked.session,
    }


def scrub_environment(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environ.items()
        if name == layout.RUN or not (name in _DROPPED or name.startswith(_DROPPED_FAMILIES))
    }


def _read_version(place: str, environ: Mapping[str, str]) -> tuple[tuple[int, ...], str]:
    """Return the numbers of its version, or why they are not known."""
    match run((place, "--version"), cwd="/", env=scrub_environment(environ), limits=_LIMITS):
        case Exited(code=0, out=out):
            if found := _VERSION.search(out.text):
                return tuple(int(part) for part in found.groups()), ""
            return (), f"{place} does not say which version it is"
        case Exited(err=err):
            return (), f"{place} --version fails: {one_line(err.text)}"
        case NotStarted(reason=reason):
            return (), f"{place} cannot be started: {reason}"
        case _:
            return (), f"{place} --version does not come to an end"
