"""Every subject through every gate, as `goalkeeper bench foulplay` asks for it."""

from __future__ import annotations

import shutil
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.foulplay import report
from bench.foulplay.checkout import base_files
from bench.foulplay.controls import CONTROLS
from bench.foulplay.gates import GATES
from bench.foulplay.host import HOSTS, Host
from bench.foulplay.operators.table import OPERATORS
from bench.foulplay.our_gates import Referee
from bench.foulplay.packages import PackagesMissing, lay_packages
from bench.foulplay.run import run
from goalkeeper.cli.main import main
from goalkeeper.errors import UsageError


def measure(
    *, only: str, gate: str, round_: int, composed: bool, jobs: int
) -> tuple[dict[str, Any], str]:
    """Returns the result as data and as a page; `only` and `gate` choose by a part of the name.

    `round_` 0 is every round.
    """
    missing = missing_programs()
    with tempfile.TemporaryDirectory(prefix="foulplay-") as folder:
        gates = {**GATES, **Referee(Path(folder), main, threading.Lock(), {}).gates()}
        chosen = {name: one for name, one in gates.items() if gate in name}
        rounds = {round_} if round_ else {1, 2, 3, 4}
        operators = [one for one in OPERATORS if only in one.id and one.round in rounds]
        controls = [one for one in CONTROLS if only in one.id and one.round in rounds]
        if not chosen or not [*operators, *controls]:
            problem = "no gate or no work has such a name"
            raise UsageError(problem=problem, hint="goalkeeper bench foulplay --help")
        results = run(
            chosen, operators, controls, composed_too=composed, jobs=jobs, without=missing
        )
    summary = report.summarise(results)
    ours = [row for row in summary["gates"] if row["gate"].startswith("goalkeeper")]
    wrong = sum(row["decidable"]["wrong"] + row["honest"]["wrong"] for row in ours)
    return {"ok": not wrong, **summary, "left_out": missing}, report.markdown(results)


def missing_programs() -> dict[str, str]:
    """Hosts that cannot be played on here, and what they lack."""
    found = {}
    for name, host in HOSTS.items():
        lacking = [program for program in host.needs if shutil.which(program) is None]
        if name in {"python", "package"} and find_spec("pytest") is None:
            lacking.append("pytest")
        if not lacking and not finds_packages(host):
            lacking.append("a registry of packages")
        if lacking:
            found[name] = ", ".join(lacking)
    return found


def finds_packages(host: Host) -> bool:
    """Whether what a host declares is here, or can be fetched."""
    with tempfile.TemporaryDirectory() as folder:
        base_files(host, Path(folder))
        try:
            lay_packages(Path(folder))
        except PackagesMissing:
            return False
    return True
