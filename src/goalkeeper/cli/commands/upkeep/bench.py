"""`bench`: measure how often gates are wrong."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

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
        Option("--gate TEXT", "gates whose name contains this", default=""),
        Option("--jobs N", type=int, default=0)),
}  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  every command is called so
    checkout = Path(goalkeeper.__file__).parents[2]
    if not (checkout / "bench" / "foulplay").is_dir():
        problem = "the cheats and their projects are not installed with goalkeeper"
        hint = "clone goalkeeper, run `make setup` there, then .venv/bin/goalkeeper bench foulplay"
        raise UsageError(problem=problem, hint=hint)
    sys.path.insert(0, str(checkout))
    foulplay = import_module("bench.foulplay.measure")
    data, page = foulplay.measure(
        only=args.only,
        gate=args.gate,
        composed=args.composed,
        jobs=args.jobs or os.cpu_count() or 1,
    )
    skipped = tuple(
        f"host {host} is left out: {what} is missing" for host, what in data["left_out"].items()
    )
    return Reply(data, (page,), warnings=skipped)
