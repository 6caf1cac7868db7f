"""The limits of a drive as options, and as the budget that they make."""

from __future__ import annotations

import argparse
import math
import shlex

from goalkeeper.bootstrap import App
from goalkeeper.cli.inputs import is_confirmed
from goalkeeper.core.drive.state import Budget
from goalkeeper.core.plan.model import ActorKind
from goalkeeper.errors import UsageError
from goalkeeper.loop.history import History

_DOLLARS = "dollars"  # only this option has another name than the budget
_LIMITS = {*Budget().as_dict(), _DOLLARS} - {"microdollars"}


def read_budget(args: argparse.Namespace) -> Budget:
    for name, flag in _list_given(args).items():
        least = 1 if name == "iterations" else 0
        if name in _LIMITS and getattr(args, name) < least:
            problem = f"run: {flag} {getattr(args, name)} is too little"
            raise UsageError(problem=problem, hint="goalkeeper run --help")
    limits = {name: getattr(args, name) for name in _LIMITS}
    cost = math.ceil(limits.pop(_DOLLARS) * 1_000_000)  # even a small amount is a limit
    return Budget(**limits, microdollars=cost)


def choose_left(app: App, args: argparse.Namespace, history: History) -> tuple[str, ...]:
    """Choose the criteria that are not tried again; a user at a terminal is asked for each."""
    if args.blocked_before == "leave":
        return tuple(history.blocked)
    if args.blocked_before == "retry" or not can_ask(app, args):
        return ()
    asked = "Try it again? No leaves it blocked."
    told = {name: f"{name} in an earlier run: {text}" for name, text in history.blocked.items()}
    return tuple(
        name
        for name, line in told.items()
        if not is_confirmed(app.world, line, asked, default=True)
    )


def can_ask(app: App, args: argparse.Namespace) -> bool:
    """Return whether a human is there to answer; agents have terminals, too, and would wait."""
    on_terminal = app.world.stdin.isatty() and app.world.stderr.isatty()
    return on_terminal and app.actor.kind is ActorKind.HUMAN and not args.json


def find_given_terms(args: argparse.Namespace) -> set[str]:
    """Find the terms of a drive that this command names."""
    return {"microdollars" if name == _DOLLARS else name for name in _list_given(args)}


def repeat_command(args: argparse.Namespace) -> str:
    """Return the command that goes on with what there is."""
    given = _list_given(args)
    told = [(given[name], str(value)) for name, value in vars(args).items() if given.get(name)]
    return shlex.join(["goalkeeper", "run", *(word for pair in told for word in pair)])


def _list_given(args: argparse.Namespace) -> dict[str, str]:
    """List the options with a value that were given, and the flag of each."""
    given: dict[str, str] = args.__dict__.get("given", {})
    return given
