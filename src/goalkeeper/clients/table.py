"""The clients that need nothing but their name.

`command` and `rehearsal` are told what to run, so whoever knows that makes them.
"""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.clients.claude.run import Claude
from goalkeeper.clients.client import Client
from goalkeeper.clients.codex.run import Codex
from goalkeeper.clients.gemini.run import Gemini
from goalkeeper.clients.opencode.run import OpenCode
from goalkeeper.errors import UsageError

WITH_ARGUMENTS = ("command", "rehearsal")
CLIENTS: Mapping[str, Client] = {
    client.name: client for client in (Claude(), Codex(), Gemini(), OpenCode())
}


class UnknownAgent(UsageError):
    """There is no agent '{name}'; there are {known}."""

    code = "unknown-agent"
    hint = "goalkeeper agents list"


def named(name: str) -> Client:
    if name in WITH_ARGUMENTS:
        problem = f"the {name} agent runs what it is told to run; nothing else is known of it"
        raise UsageError(problem=problem, hint="goalkeeper run --help")
    try:
        return CLIENTS[name]
    except KeyError:
        raise UnknownAgent(name=name, known=", ".join((*CLIENTS, *WITH_ARGUMENTS))) from None
