"""The kinds of checks. The table of kinds in the core names the module that carries out each."""

from __future__ import annotations

from importlib import import_module

from goalkeeper.core.contract.check_kinds import CHECK_KINDS, Check
from goalkeeper.witness.check_context import CheckContext, CheckEnded, CheckResult, CheckRunner


def find_runner(kind: str) -> CheckRunner:
    module = import_module(f"{__name__}.{CHECK_KINDS[kind].home}")
    runner: CheckRunner = getattr(module, f"check_{kind}")
    return runner


def run_check(check: Check, place: CheckContext) -> CheckResult:
    try:
        return find_runner(check.kind)(check, place)
    except CheckEnded as ended:
        return ended.result
