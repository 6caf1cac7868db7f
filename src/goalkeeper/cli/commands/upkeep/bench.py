"""`bench`: measure how often gates and drafted contracts are wrong."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import goalkeeper
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, Option, Verb, switch
from goalkeeper.cli.reply import Reply
from goalkeeper.errors import UsageError

VERBS = {
    "foulplay": Verb("Put cheats and honest work through gates, ours among them; count the errors.",
        "goalkeeper bench foulplay\ngoalkeeper bench foulplay --only skip --composed", JSON,
        switch("--composed", "also two cheats at once"),
        Option("--only TEXT", "work whose id contains this", default=""),
        Option("--round N", "1, 2, 3 or 4; all without it", dest="round_", type=int, default=0),
        Option("--gate TEXT", "gates whose name contains this", default=""),
        Option("--jobs N", type=int, default=0)),
    "draft": Verb("Have contracts drafted by good and bad examiners; count what they let through.",
        "goalkeeper bench draft --only shell\ngoalkeeper bench draft --agent claude", JSON,
        Option("--only TEXT", "tasks whose name contains one of these words", default=""),
        Option("--kinds TEXT", "kinds of examiners, such as 'good hostile'", default=""),
        Option("--agent NAME", "a real examiner in the place of the scripted ones", default=""),
        Option("--jobs N", type=int, default=2)),
}  # fmt: skip


def run_foulplay(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  as every command
    data, page = _load("foulplay").measure(
        only=args.only,
        gate=args.gate,
        round_=args.round_,
        composed=args.composed,
        jobs=args.jobs or os.cpu_count() or 1,
    )
    skipped = tuple(
        f"host {host} is left out: {what} is missing" for host, what in data["left_out"].items()
    )
    return Reply(data, tuple(page.split("\n")), warnings=skipped)


def run_draft(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  as every command
    data, page = _load("draft").measure(
        only=args.only, kinds=args.kinds, agent=args.agent, jobs=args.jobs
    )
    return Reply(data, tuple(page.split("\n")))


def _load(name: str) -> Any:  # noqa: ANN401  a module that is not installed
    """Load the module that measures; it lies only in a clone of goalkeeper."""
    checkout = Path(goalkeeper.__file__).parents[2]
    if not (checkout / "bench" / name).is_dir():
        problem = "what is measured with is not installed with goalkeeper"
        hint = f"clone goalkeeper, run `make setup` there, then .venv/bin/goalkeeper bench {name}"
        raise UsageError(problem=problem, hint=hint)
    sys.path.insert(0, str(checkout))
    return import_module(f"bench.{name}.measure")
