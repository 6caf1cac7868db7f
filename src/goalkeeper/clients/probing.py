"""Finds out what can be known of a client's program without a network and without its secrets."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping

from goalkeeper.clients.client import AgentProbe
from goalkeeper.clients.streams import one_line
from goalkeeper.clients.surroundings import scrub_environment
from goalkeeper.system.run import Exited, NotStarted, ProgramLimits, run
from goalkeeper.wire.value import Value

# Some take seconds to say their own version, more on a busy machine.
_LIMITS = ProgramLimits(seconds=30.0, output_mb=1, free_mb=0)
_VERSION = re.compile(r"\b(\d+)\.(\d+)\.(\d+)\b")


class Credentials(Value):
    """The file that a client keeps its login in."""

    variable: str  # that names the folder
    usual: str  # the folder without it, below the home directory
    file: str


class Program(Value):
    """A client as it is installed."""

    name: str  # also of the client
    package: str  # for npm
    least: tuple[int, int, int]  # the first version that has all that we ask of it
    variables: tuple[str, ...]  # that it logs in with
    credentials: Credentials
    cost_known: bool = False


def probe(program: Program, environ: Mapping[str, str]) -> AgentProbe:
    install = f"npm install -g {program.package}@latest"
    place = shutil.which(program.name, path=environ.get("PATH", os.defpath))
    if place is None:
        return AgentProbe(program.name, problem=f"there is no {program.name} on PATH", hint=install)
    found = AgentProbe(
        program.name,
        place,
        auth=_find_login(program, environ),
        cost_known=program.cost_known,
    )
    numbers, problem = _read_version(place, environ)
    if problem:
        return found.replace(problem=problem, hint=f"{program.name} --version")
    version = ".".join(str(number) for number in numbers)
    if numbers < program.least:
        least = ".".join(str(number) for number in program.least)
        old = f"{program.name} {version} is too old: {least} is the least"
        return found.replace(version=version, problem=old, hint=install)
    return found.replace(version=version)


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


def _find_login(program: Program, environ: Mapping[str, str]) -> str:
    """Return a name only. Without one, a keychain may hold the login: that is not seen here."""
    named = next((name for name in program.variables if environ.get(name)), "")
    if named:
        return named
    kept, home = program.credentials, environ.get("HOME", "")
    folder = environ.get(kept.variable) or os.path.join(home, kept.usual)
    place = os.path.join(folder, kept.file)
    if not os.path.isfile(place):
        return ""
    return place.replace(home, "~", 1) if home and place.startswith(f"{home}/") else place
