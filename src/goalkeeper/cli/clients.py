"""The agent that a user names: its options, and whether it can work here."""

from __future__ import annotations

import argparse
import os

from goalkeeper import wiring
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.clients.client import AgentProbe, Client
from goalkeeper.clients.command.run import Command
from goalkeeper.clients.program import leave_out_programs
from goalkeeper.clients.rehearsal.run import Rehearsal
from goalkeeper.clients.table import WITH_ARGUMENTS, find_client
from goalkeeper.core.plan.actors import find_clients_around
from goalkeeper.core.plan.model import Plan
from goalkeeper.errors import OutsideError, UsageError
from goalkeeper.wire.clients import AGENTS
from goalkeeper.wire.value import Value


class AgentUnusable(OutsideError, hint="goalkeeper agents list"):
    """{client} cannot work here: {problem}"""


class DefaultAgent(Value):
    """The agent that works when none is named; without a name, `why` says why there is none."""

    name: str
    why: str


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
            hint = "the same command with --script story.json (goalkeeper help rehearsal)"
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
    found = find_default_agent(app)
    if not found.name:
        raise UsageError(problem=f"name the agent: {found.why}", hint="goalkeeper agents list")
    return found.name


def find_default_agent(app: App) -> DefaultAgent:
    """Find the agent of the settings, else the client around us, else the only one installed."""
    named = wiring.read_defaults(app).agent
    if named:
        return DefaultAgent(named, "[agents] default in config.toml names it")
    around = {
        name: variable
        for name, variable in find_clients_around(app.world.environ).items()
        if name in AGENTS
    }
    if len(around) == 1:
        ((name, variable),) = around.items()
        return DefaultAgent(name, f"it is the client around you ({variable} is set)")
    installed = list_installed_agents(app)
    if len(installed) == 1:
        return DefaultAgent(installed[0], "it is the only one on PATH")
    several = f"{' and '.join(installed)} are on PATH; [agents] default in config.toml may choose"
    return DefaultAgent("", several if installed else f"none of {', '.join(AGENTS)} is on PATH")


def list_installed_agents(app: App) -> list[str]:
    return [name for name in AGENTS if wiring.find_program(app, name)]


def _read_command(args: argparse.Namespace, app: App) -> tuple[str, ...]:
    if not args.command:
        return ()
    words = inputs.json_list(app, args.command, "--command")
    if not words or not all(isinstance(word, str) for word in words):
        raise UsageError(
            problem="--command takes words", hint="goalkeeper run --command '[\"my-agent\"]'"
        )
    return tuple(words)
