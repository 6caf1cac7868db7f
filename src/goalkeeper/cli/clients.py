"""The agent that a user names: its options, and whether it can work here."""

from __future__ import annotations

import argparse
import os

from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.parsing import Parser
from goalkeeper.clients.client import AgentProbe, Client
from goalkeeper.clients.command.run import Command
from goalkeeper.clients.rehearsal.run import Rehearsal
from goalkeeper.clients.table import WITH_ARGUMENTS, find_client
from goalkeeper.core.plan.model import Plan
from goalkeeper.errors import OutsideError, UsageError


class AgentUnusable(OutsideError, hint="goalkeeper agents list"):
    """{client} cannot work here: {problem}"""


def configure(parser: Parser) -> None:
    who = "the agent that works; default: that of the drive, or [agents] default in config.toml"
    parser.add_argument("--agent", metavar="NAME", default="", help=who)
    which = "the model it is to use; default: that of the drive, or the agent's own choice"
    parser.add_argument("--model", metavar="NAME", default="", help=which)
    story = "what the rehearsal agent is to do (docs/rehearsal.md)"
    parser.add_argument("--script", metavar="PATH", default="", help=story)
    said = "a program that reads its prompt on standard input, as one JSON list of words"
    parser.add_argument("--command", metavar="JSON", default="", help=said)


def choose_client(args: argparse.Namespace, app: App, plan: Plan | None) -> Client:
    client = make_client(
        _find_name(args, app, plan),
        script=_read_script(args, app),
        command=_read_command(args, app),
    )
    if args.model and client.name in WITH_ARGUMENTS:
        hint = "the same command without --model"
        raise UsageError(problem=f"{client.name} takes no --model", hint=hint)
    return client


def require_usable(client: Client, app: App) -> AgentProbe:
    found = client.probe(app.world.environ)
    if found.problem:
        raise AgentUnusable(client=client.name, problem=found.problem, hint=found.hint)
    return found


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
    if plan and plan.drive and not plan.drive.ended:
        return plan.drive.agent
    named = app.settings().agent
    if not named:
        raise UsageError(problem="name the agent", hint="goalkeeper agents list")
    return named


def _read_script(args: argparse.Namespace, app: App) -> str:
    return os.path.join(app.world.cwd, args.script) if args.script else ""


def _read_command(args: argparse.Namespace, app: App) -> tuple[str, ...]:
    if not args.command:
        return ()
    words = inputs.json_list(app, args.command, "--command")
    if not words or not all(isinstance(word, str) for word in words):
        raise UsageError(
            problem="--command takes words", hint="goalkeeper run --command '[\"my-agent\"]'"
        )
    return tuple(words)
