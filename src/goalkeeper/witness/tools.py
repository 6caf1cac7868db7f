"""Checks run programs: these must be what they were when the contract was frozen."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

from goalkeeper.app.trials import Trial
from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.protection import list_programs
from goalkeeper.core.plan.gate import TOOL_MOVED
from goalkeeper.witness.isolation import Isolation, measure_strength


def list_tools(checks: Sequence[Check], path: str, isolation: Isolation) -> tuple[str, ...]:
    """Return the real path of each program that checks start: "make /usr/bin/make"."""
    names = {argv[0] for argv in list_programs(checks)} | {"git"}
    kinds = {check.kind for check in checks}
    names |= {"python3"} if "pytest" in kinds else set()
    names |= {"bash"} if "shell" in kinds else set()
    found = {name: shutil.which(name, path=path) for name in names if "/" not in name}
    tools = sorted(f"{name} {os.path.realpath(at)}" for name, at in found.items() if at)
    return (f"PATH {path}", f"isolation {isolation}", *tools)


def find_moved_tools(tools: Sequence[str], trial: Trial) -> tuple[Finding, ...]:
    """Return programs that have changed, and isolation that is weaker than before."""
    now = dict(entry.split(" ", 1) for entry in tools)
    then = dict(entry.split(" ", 1) for entry in trial.tools)
    level = then.pop("isolation", Isolation.NONE.value)
    found = [
        f"{name} was {place} when the contract was frozen, and is {now.get(name)} now"
        for name, place in then.items()
        if now.get(name) != place
    ]
    weaker = measure_strength(Isolation(now["isolation"])) < measure_strength(Isolation(level))
    if trial.final and weaker:
        found.append(f"isolation was {level} when the contract was frozen")
    return tuple(Finding(TOOL_MOVED, Level.BLOCKING, "", 0, said) for said in found)


def find_frozen_path(trial: Trial) -> dict[str, str]:
    """Return the PATH at the moment when the contract was frozen; checks use it."""
    found = [entry[5:] for entry in trial.tools if entry.startswith("PATH ")]
    return {"PATH": found[0]} if found else {}
