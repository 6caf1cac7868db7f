"""A small evaluator of contracts, for the gates we are compared with.

It is not our witness and shares nothing with it: it runs the four kinds of check that the
hosts' contracts use, and reads what the runners say.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from bench.foulplay.packages import lay_packages
from bench.lean import lean_python
from goalkeeper.wire.value import Value

TIMEOUT_SECONDS = 300  # machines may be busy
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
_WORLD = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "npm_config_update_notifier": "false",
}
_AS_WORKER = '[ ! -f .envrc ] || . ./.envrc; exec "$@"'
_TAP_LINE = re.compile(
    r"^(?P<failed>not )?ok\b\s*\d*\s*(?:- )?(?P<name>.*?)(?:\s*#\s*(?P<mark>SKIP|TODO)\b.*)?$",
    re.IGNORECASE,
)


class Check(Value):
    criterion: str
    kind: str  # pytest, junit, tap, command, or one that nobody can run
    argv: tuple[str, ...]
    min_tests: int = 0
    args: tuple[str, ...] = ()  # more of pytest's
    env: Mapping[str, str] = {}
    report: str = ""  # where a program writes JUnit XML
    stdout: str = ""  # a pattern of what a command prints


class Seen(Value):
    """What a check was seen to do: its exit code (None: it had to be stopped) and its tests."""

    check: Check
    exit_code: int | None
    tests: Mapping[str, str]  # passed, failed or skipped, by the test's id

    @property
    def passed(self) -> int:
        return sum(outcome == "passed" for outcome in self.tests.values())


def checks_of(contract: str) -> tuple[Check, ...]:
    return tuple(_check(criterion) for criterion in yaml.safe_load(contract)["criteria"])


def _check(criterion: Mapping[str, Any]) -> Check:
    asked = criterion["check"]
    floor = asked.get("min_tests", 0)
    for kind in ("pytest", "junit", "tap", "command"):
        if kind in asked:
            given = asked[kind]
            argv = (given,) if isinstance(given, str) else tuple(given)
            more = {name: asked.get(name, "") for name in ("report", "stdout")}
            args, env = tuple(asked.get("args", ())), asked.get("env", {})
            return Check(criterion["id"], kind, argv, floor, args, env, **more)
    return Check(criterion["id"], "unknown", ())


def evaluate(tree: Path, contract: str, *, as_worker: bool) -> tuple[Seen, ...]:
    """Run every check in the tree; `as_worker` in a shell that has read the worker's .envrc."""
    return tuple(run_check(check, tree, as_worker=as_worker) for check in checks_of(contract))


def run_check(check: Check, tree: Path, *, as_worker: bool) -> Seen:
    if check.kind == "unknown":
        return Seen(check, 0, {})  # as gates do that look at exit codes only
    lay_packages(tree)
    with tempfile.TemporaryDirectory() as folder:
        report = tree / check.report if check.report else Path(folder) / "report.xml"
        argv = check.argv
        if check.kind == "pytest":
            options = ("-q", "-p", "no:cacheprovider", f"--junitxml={report}", *check.args)
            argv = (f"{lean_python()}/python3", "-m", "pytest", *options, *check.argv)
        code, output = run_program(argv, tree, as_worker=as_worker, more=check.env)
        tests = _tap(output) if check.kind == "tap" else _junit(report)
    if code == 0 and not re.search(check.stdout, output, re.MULTILINE):
        code = 1
    return Seen(check, code, tests)


def run_program(
    argv: tuple[str, ...], tree: Path, *, as_worker: bool, more: Mapping[str, str] | None = None
) -> tuple[int | None, str]:
    """Exit code and output; the code is None when the program had to be stopped."""
    env = {name: os.environ[name] for name in _KEPT if name in os.environ}
    if as_worker:
        argv = ("sh", "-c", _AS_WORKER, "sh", *argv)
    started = subprocess.Popen(
        argv,
        cwd=tree,
        env={**env, **_WORLD, **(more or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
        process_group=0,
    )
    with started:
        try:
            output, _ = started.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            return None, started.communicate()[0]
    return started.returncode, output


def _junit(report: Path) -> dict[str, str]:
    try:
        root = ET.fromstring(report.read_text())
    except (OSError, ET.ParseError):
        return {}
    tests = {}
    for case in root.iter("testcase"):
        found = {child.tag for child in case}
        outcome = "failed" if found & {"failure", "error"} else "passed"
        name = f"{case.get('classname')}::{case.get('name')}"
        tests[name] = "skipped" if "skipped" in found else outcome
    return tests


def _tap(output: str) -> dict[str, str]:
    tests = {}
    for line in output.splitlines():
        if found := _TAP_LINE.match(line):
            outcome = "failed" if found["failed"] else "passed"
            tests[found["name"]] = "skipped" if found["mark"] else outcome
    return tests
