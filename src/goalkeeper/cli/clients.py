"""The agent that a user names: its options, and whether it can work here."""

from __future__ import annotations

import argparse
import os
from functools import partial

from goalkeeper import wiring
from goalkeeper.app.detect import agents_on_path
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.clients.client import AgentProbe, Client
from goalkeeper.clients.command.run import Command
from goalkeeper.clients.program import leave_out_programs
from goalkeeper.clients.rehearsal.run import Rehearsal
from goalkeeper.clients.table import WITH_ARGUMENTS, find_client
from goalkeeper.core.plan.actors import find_client_sessions
from goalkeeper.core.plan.model import Plan
from goalkeeper.errors import OutsideError, UsageError
from goalkeeper.wire.clients import AGENTS


class AgentUnusable(OutsideError, hint="goalkeeper agents list"):
    """{client} cannot work here: {problem}"""


def choose_client(args: argparse.Namespace, app: App, plan: Plan | None) -> Client:
    script = os.path.join(app.world.cwd, args.script) if args.script else ""
    name, command = _find_name(args, app, plan), _read_command(args, app)
    client = make_client(name, script=script, command=command)
    if args.model and client.name in WITH_ARGUMENTS:
        hint = "the same command without --model"
        raise UsageError(problem=f"{client.name} takes no --model", hint=hint)
    return client


def require_usable(client: Client, app: App) -> AgentProbe:
    found = probe_client(client, app)
    if found.problem:
        raise AgentUnusable(client=client.name, problem=found.problem, hint=found.hint)
    return found


def probe_client(client: Client, app: App) -> AgentProbe:
    """Find out about a client; no program of the repository is started for that."""
    return client.probe(leave_out_programs(app.world.environ, (app.root, app.worktree)))


def make_client(name: str, *, script: str = "", command: tuple[str, ...] = ()) -> Client:
    if name == "rehearsal":
        if not script:
            hint = "the same command with --script story.json (docs/rehearsal.md)"
            raise UsageError(problem="the rehearsal agent needs a --script", hint=hint)
        return Rehearsal(script)
    if name == "command":
        if not command:
            hint = "the same command with --command '[\"my-agent\"]'"
            raise UsageError(problem="the command agent needs a --command", hint=hint)
        return Command(command)
    return find_client(name)


def _find_name(args: argparse.Namespace, app: App, plan: Plan | None) -> str:
    if args.agent:
        return str(args.agent)
    if args.script:
        return "rehearsal"
    if args.command:
        return "command"
    if plan and plan.drive:
        return plan.drive.agent
    named = wiring.read_settings(app).agent or _find_agent_here(app)
    if not named:
        raise UsageError(problem="name the agent", hint="goalkeeper agents list")
    return named


def _find_agent_here(app: App) -> str:
    """Find the client whose session this is, else the only one that is installed."""
    around = [name for name in find_client_sessions(app.world.environ) if name in AGENTS]
    installed = agents_on_path(partial(wiring.find_program, app))
    return next((found[0] for found in (around, installed) if len(found) == 1), "")


def _read_command(args: argparse.Namespace, app: App) -> tuple[str, ...]:
    if not args.command:
        return ()
    words = inputs.json_list(app, args.command, "--command")
    if not words or not all(isinstance(word, str) for word in words):
        raise UsageError(
            problem="--command takes words", hint="goalkeeper run --command '[\"my-agent\"]'"
        )
    return tuple(words)
