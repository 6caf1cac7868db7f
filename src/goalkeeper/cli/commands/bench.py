"""`bench`: how often gates err, measured."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path

from goalkeeper.bootstrap import App
from goalkeeper.cli.main import main
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import DONE, NO, Reply
from goalkeeper.errors import UsageError


def configure(parser: Parser) -> None:
    verb = parser.verb(
        "foulplay",
        summary="Put cheats and honest work through gates, ours among them; count the errors.",
        example="goalkeeper bench foulplay\ngoalkeeper bench foulplay --only skip --composed",
        run=False,
    )
    verb.add_argument("--composed", action="store_true", help="also two cheats at once")
    verb.add_argument("--only", default="", metavar="TEXT", help="work whose id contains this")
    verb.add_argument("--gate", default="", metavar="TEXT", help="gates whose name contains this")
    verb.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")


def run(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  every command is called so
    from goalkeeper.foulplay import report  # noqa: PLC0415
    from goalkeeper.foulplay.controls import CONTROLS  # noqa: PLC0415
    from goalkeeper.foulplay.gates import GATES  # noqa: PLC0415
    from goalkeeper.foulplay.operators.table import OPERATORS  # noqa: PLC0415
    from goalkeeper.foulplay.ours import Referee  # noqa: PLC0415
    from goalkeeper.foulplay.run import run as run_all  # noqa: PLC0415

    missing = _missing()
    with tempfile.TemporaryDirectory(prefix="foulplay-") as folder:
        gates = {**GATES, **Referee(Path(folder), main, threading.Lock(), {}).gates()}
        chosen = {name: gate for name, gate in gates.items() if args.gate in name}
        operators = [one for one in OPERATORS if args.only in one.id]
        controls = [one for one in CONTROLS if args.only in one.id]
        if not chosen or not [*operators, *controls]:
            problem = "no gate or no work has such a name"
            raise UsageError(problem=problem, hint="goalkeeper bench foulplay --help")
        results = run_all(
            chosen, operators, controls, composed_too=args.composed, jobs=args.jobs, without=missing
        )
    summary = report.summarise(results)
    ours = [row for row in summary["gates"] if row["gate"].startswith("goalkeeper")]
    wrong = sum(row["decidable"]["wrong"] + row["honest"]["wrong"] for row in ours)
    skipped = tuple(f"host {host} is left out: {what} is missing" for host, what in missing.items())
    data = {"ok": not wrong, **summary, "left_out": missing}
    return Reply(data, (report.markdown(results),), NO if wrong else DONE, warnings=skipped)


def _missing() -> dict[str, str]:
    """Hosts that cannot be played on here, and what they lack."""
    from goalkeeper.foulplay.host import HOSTS  # noqa: PLC0415

    found = {}
    for name, host in HOSTS.items():
        lacking = [program for program in host.needs if shutil.which(program) is None]
        if name == "python" and find_spec("pytest") is None:
            lacking.append("pytest")
        if lacking:
            found[name] = ", ".join(lacking)
    return found
