"""Whether the corpus says the truth about itself: plain runs of tests, without goalkeeper."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.draft.task import DraftTask, Files, apply_edits, make_check
from bench.lean import lean_python

_SECONDS = 120
_PYTEST = ["-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider"]
_RED = re.compile(r"^(?:FAILED|ERROR|SUBFAIL\S*) .*?(tests/\w+\.py)", re.MULTILINE)


def lay_files(folder: Path, *layers: Files) -> None:
    """Write files over those of the layers before."""
    for files in layers:
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)


def find_red(tests: Files, *layers: Files) -> set[str]:
    """Return the files with tests that are red on the layers, run with an empty environment."""
    with tempfile.TemporaryDirectory(prefix="draft-") as name:
        lay_files(Path(name), *layers, tests)
        if all(path.endswith(".py") for path in tests):  # one start of pytest is dear
            told = _run([f"{lean_python()}/python3", *_PYTEST, *tests], name).stdout
            if "passed" not in told and "failed" not in told and "error" not in told:
                raise RuntimeError(told)
            return set(_RED.findall(told))
        return {path for path in tests if not _is_green(path, name)}


def _is_green(path: str, folder: str) -> bool:
    [argv] = make_check(path).values()
    ran = _run(argv, folder)
    return ran.returncode == 0 and not re.search("^not ok", ran.stdout, re.MULTILINE)


def _run(argv: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    environ = {
        "PATH": os.defpath,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        argv, cwd=folder, env=environ, capture_output=True, text=True, timeout=_SECONDS, check=False
    )


def find_faults(task: DraftTask) -> Iterator[str]:
    """Yield what is not as the form of the corpus promises.

    Hidden tests tell correct from wrong solutions, tests of the base are green on all that is
    correct, and good examiners' tests are red on the base, green on what is correct, and enough.
    """
    if len(task.correct) < 2 or len(task.wrong) < 3 or len(task.raw["examiner"]) != 2:
        yield "too few solutions or examiners"
    existing = {p: text for p, text in task.base.items() if p.startswith(("test/", "tests/"))}
    drafted: dict[str, str] = {}
    for examiner in task.raw["examiner"]:
        for criterion in examiner["criteria"]:
            yield from (f"{path} is there twice" for path in criterion["tests"] if path in drafted)
            drafted |= criterion["tests"]
    tests = {**existing, **task.hidden, **drafted}
    red = find_red(tests, task.base)
    yield from (f"{path} is red on the base" for path in existing if path in red)
    yield from (
        f"{path} is green on the base" for path in tests.keys() - existing if path not in red
    )
    for name, files in task.correct.items():
        yield from (f"{p} is red on correct.{name}" for p in find_red(tests, task.base, files))
    for name, files in task.wrong.items():
        red = find_red({**task.hidden, **drafted}, task.base, files)
        if not red & task.hidden.keys():
            yield f"the hidden tests are green on wrong.{name}"
        if not red & drafted.keys():
            yield f"no test of the good examiners is red on wrong.{name}"
    for kind in ("over-fitted", "disagreeing"):
        if raw := task.raw.get(kind):
            files = task.read_solution(raw["reference"])
            tests = raw["tests"] | task.hidden if kind == "over-fitted" else raw["tests"]
            for path in find_red(tests, task.base, files):
                yield f"{path} is red on the reference of {kind}"
    for path, edits in task.raw.get("sloppy", {}).items():
        careless = {path: apply_edits(drafted[path], edits)}
        if not find_red(careless, task.base, next(iter(task.correct.values()))):
            yield f"sloppy {path} is green on the first reference"
