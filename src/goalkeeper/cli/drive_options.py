"""The limits of a drive as options, and as the budget that they make."""

from __future__ import annotations

import argparse
import math
import shlex

from goalkeeper.core.drive.state import Budget
from goalkeeper.errors import UsageError

# What an option is called in the budget, and the least that it takes.
_LIMITS = {
    "max_iterations": ("iterations", 1),
    "max_time": ("seconds", 0),
    "max_cost": ("microdollars", 0),
    "max_tokens": ("tokens", 0),
    "phase_time": ("phase_seconds", 0),
    "stall_time": ("stall_seconds", 0),
    "max_pause": ("pause_seconds", 0),
    "backoff": ("backoff_seconds", 0),
}


def read_budget(args: argparse.Namespace) -> Budget:
    below = [name for name, (_, least) in _LIMITS.items() if getattr(args, name) < least]
    if below:
        problem = f"run: --{below[0].replace('_', '-')} {getattr(args, below[0])} is too little"
        raise UsageError(problem=problem, hint="goalkeeper run --help")
    given = {field: getattr(args, option) for option, (field, _) in _LIMITS.items()}
    cost = math.ceil(args.max_cost * 1_000_000)  # however little, it is a limit
    return Budget(**{**given, "microdollars": cost})


def find_given_terms(args: argparse.Namespace) -> set[str]:
    """The terms of a drive that this command names."""
    given = args.__dict__.get("given", set())
    return {_LIMITS[option][0] if option in _LIMITS else option for option in given}


def repeat_command(args: argparse.Namespace) -> str:
    """The same command, as it goes on with what there is."""
    given = args.__dict__.get("given", set()) - {"dry_run", "json"}
    words = [
        word
        for name, value in vars(args).items()
        if name in given
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    return shlex.join(["goalkeeper", "run", *words])
