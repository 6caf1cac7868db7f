"""Finds what is known of a client by its name. The names are in `wire.clients`.

`command` and `rehearsal` are told what to run, so whoever knows that makes them.
"""

from __future__ import annotations

from importlib import import_module

from goalkeeper.clients.client import Client
from goalkeeper.errors import UsageError
from goalkeeper.wire.clients import AGENTS

TYPE_CHECKING = False
if TYPE_CHECKING:  # few commands install, and loading it is slow
    from goalkeeper.clients.install.parts import ClientInstall

WITH_ARGUMENTS = ("command", "rehearsal")


class UnknownAgent(UsageError, hint="goalkeeper agents list"):
    """There is no agent '{name}'; there are {known}."""


def find_client(name: str) -> Client:
    """Find how the client is started and read."""
    if name in WITH_ARGUMENTS:
        problem = f"the {name} agent runs what it is told to run; nothing else is known of it"
        raise UsageError(problem=problem, hint="goalkeeper run --help")
    if name not in AGENTS:
        raise UnknownAgent(name=name, known=", ".join((*AGENTS, *WITH_ARGUMENTS)))
    client: Client = import_module(f"goalkeeper.clients.{name}.run").CLIENT
    return client


def find_install(name: str) -> ClientInstall:
    """Find what the client is given when goalkeeper is installed for it, and how that is tried."""
    install: ClientInstall = import_module(f"goalkeeper.clients.{name}.install").INSTALL
    return install
