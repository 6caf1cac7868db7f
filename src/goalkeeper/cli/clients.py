"""The agent that a user names."""

from __future__ import annotations

from goalkeeper.agents.client import Client
from goalkeeper.agents.clients.rehearsal import Rehearsal
from goalkeeper.errors import UsageError


def client_named(name: str, *, script: str = "", command: tuple[str, ...] = ()) -> Client:
    if name == "rehearsal":
        if not script:
            hint = "the same command with --script story.json (docs/rehearsal.md)"
            raise UsageError(problem="the rehearsal agent needs a --script", hint=hint)
        return Rehearsal(script)
    from goalkeeper.agents.clients.command import Command  # noqa: PLC0415  only when named
    from goalkeeper.agents.table import named  # noqa: PLC0415  as above

    if name == "command":
        if not command:
            hint = "the same command with --command '[\"my-agent\"]'"
            raise UsageError(problem="the command agent needs a --command", hint=hint)
        return Command(command)
    return named(name)
