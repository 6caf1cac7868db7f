"""Break the code on purpose, one place at a time, and ask the tests whether they notice.

The table names each mutation: what is broken, in which file, and which tests notice it.
Every mutation is tried in a copy of the checkout that has its own virtual environment. All
programs that a test starts therefore import the broken code, and the checkout stays as it is.

    python -m tools.mutations [--table FILE] [--repo DIR] [--only ID …] [--jobs N]
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, Popen, TimeoutExpired, run

REPO = Path(__file__).resolve().parent.parent
LONGEST = 120  # seconds
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:randomly", "-n", "0")
FOUND_GREEN, FOUND_RED = 0, 1  # pytest's exit codes; the others mean that it could not test
KILLED, BY_TIMEOUT, SURVIVED, BROKEN = "killed", "killed by timeout", "survived", "broken"
MARK = "MUTATIONS_COPY"  # in the environment of all processes that tests start
Copies = queue.Queue[Path]


@dataclass(frozen=True)
class Mutation:
    """One place to break: `old` stands in `file` exactly once, and `new` takes its place."""

    id: str
    package: str
    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    mutation: Mutation
    verdict: str
    why: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description="Break the code, and ask whether tests notice.")
    parser.add_argument("--table", type=Path, default=REPO / "tools" / "mutations.toml")
    parser.add_argument("--repo", type=Path, default=REPO, help="a checkout with a .venv")
    parser.add_argument("--only", nargs="+", metavar="ID", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    mutations = [m for m in read_table(options.table) if not options.only or m.id in options.only]
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        os.chmod(folder, 0o755)  # some tests start programs as another user
        copies: Copies = queue.Queue()
        for number in range(options.jobs):
            copies.put(copy_checkout(options.repo.resolve(), Path(folder) / str(number)))
        with ThreadPoolExecutor(options.jobs) as pool:
            outcomes = try_all(mutations, copies, pool)
    print_table(outcomes)
    return 0 if all(o.verdict in {KILLED, BY_TIMEOUT} for o in outcomes) else 1


def read_table(path: Path) -> list[Mutation]:
    rows = tomllib.loads(path.read_text())["mutation"]
    mutations = [Mutation(**{**row, "tests": tuple(row["tests"])}) for row in rows]
    if len({m.id for m in mutations}) < len(mutations):
        raise SystemExit(f"{path}: an id stands twice")
    return mutations


def copy_checkout(repo: Path, copy: Path) -> Path:
    """Copy what git would track, and the virtual environment with its paths set to the copy."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = run(asked, cwd=repo, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if os.path.lexists(repo / name):  # a deleted file may still be in the index
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repo / name, copy / name, follow_symlinks=False)
    lean = shutil.ignore_patterns("lean-python")  # its links lead out of the copy
    shutil.copytree(repo / ".venv", copy / ".venv", symlinks=True, ignore=lean)
    venv = copy / ".venv"
    for path in (*venv.glob("bin/*"), *venv.glob("lib/python*/site-packages/*.pth")):
        content = path.read_bytes()
        if not path.is_symlink() and bytes(repo) in content:
            path.write_bytes(content.replace(bytes(repo), bytes(copy)))
    argv = [str(venv / "bin/python"), "-I", "-c", "import goalkeeper; print(goalkeeper.__file__)"]
    imported = run(argv, cwd="/", check=True, capture_output=True, text=True).stdout
    if not imported.startswith(f"{copy}/"):
        raise SystemExit(f"the copy imports {imported.strip()}, which is not its own code")
    return copy


def try_all(mutations: list[Mutation], copies: Copies, pool: ThreadPoolExecutor) -> list[Outcome]:
    """Run every named test on the code as it is, and then each mutation with its own tests."""
    selectors = sorted({test for m in mutations for test in m.tests})
    shares = [selectors[first :: copies.qsize()] for first in range(copies.qsize())]
    red = {test for found in pool.map(lambda s: find_red(s, copies), shares) for test in found}
    return list(pool.map(lambda m: try_mutation(m, copies, red), mutations))


def find_red(tests: list[str], copies: Copies) -> list[str]:
    """Name the tests that fail on the code as it is; only if some do, each is run alone."""
    copy = copies.get()
    try:
        most = LONGEST * len(tests)
        if not tests or run_tests(copy, tests, "the code as it is", most) == FOUND_GREEN:
            return []
        return [test for test in tests if run_tests(copy, [test], test) != FOUND_GREEN]
    finally:
        copies.put(copy)


def try_mutation(mutation: Mutation, copies: Copies, red: set[str]) -> Outcome:
    already = sorted(red.intersection(mutation.tests))
    if already:
        return Outcome(mutation, BROKEN, f"not green without it: {', '.join(already)}")
    copy = copies.get()
    path = copy / mutation.file
    before = path.read_text() if path.is_file() else ""
    try:
        if before.count(mutation.old) != 1:
            return Outcome(mutation, BROKEN, f"found {before.count(mutation.old)} times")
        after = before.replace(mutation.old, mutation.new)
        if path.suffix == ".py":
            compile(after, mutation.file, "exec")
        write_source(path, after)
        return Outcome(mutation, *judge(run_tests(copy, mutation.tests, mutation.id)))
    except SyntaxError as exc:
        return Outcome(mutation, BROKEN, f"it is no Python any more: {exc}")
    finally:
        if before:
            write_source(path, before)
        copies.put(copy)


def write_source(path: Path, text: str) -> None:
    """Remove the compiled code too: Python takes it for that of any text as long and as old."""
    path.write_text(text)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def judge(code: int | None) -> tuple[str, str]:
    known = {None: BY_TIMEOUT, FOUND_RED: KILLED, FOUND_GREEN: SURVIVED}
    return (known[code], "") if code in known else (BROKEN, f"pytest ended with {code}")


def run_tests(copy: Path, tests: Sequence[str], name: str, most: int = LONGEST) -> int | None:
    """Return pytest's exit code, or None when the time is over; examples are always the same."""
    environ = {**os.environ, "HYPOTHESIS_PROFILE": "ci", MARK: str(copy)}
    argv = [str(copy / ".venv" / "bin" / "python"), *PYTEST, *tests]
    begun = time.monotonic()
    with (output := copy / "pytest-output.txt").open("w") as file:
        # Some tests send signals to their whole group, which must not be ours.
        process = Popen(argv, cwd=copy, env=environ, stdin=DEVNULL, stdout=file, stderr=file,
                        start_new_session=True)  # fmt: skip
        with suppress(TimeoutExpired):
            process.wait(most)
    code = process.poll()
    end_leftovers(copy)  # also pytest itself, when its time is over
    lines = ["", *output.read_text(errors="replace").splitlines()]
    last = next((line for line in lines if line.startswith("FAILED")), lines[-1])
    print(f"{time.monotonic() - begun:6.1f} s  {name}: {last[:150]}", file=sys.stderr, flush=True)
    return code


def end_leftovers(copy: Path) -> None:
    """Kill what is left of a run: some mutations are just that programs outlive their test."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={copy}".encode() in (place / "environ").read_bytes().split(b"\0"):
                os.kill(int(place.name), signal.SIGKILL)


def print_table(outcomes: list[Outcome]) -> None:
    for o in sorted(outcomes, key=lambda o: (o.mutation.package, o.mutation.id)):
        reason = f" ({o.why})" if o.why else ""
        print(f"{o.verdict}: {o.mutation.package}: {o.mutation.id}: {o.mutation.what}{reason}")
    verdicts = (KILLED, BY_TIMEOUT, SURVIVED, BROKEN)
    print(f"\n{'package':20}" + "".join(f"{verdict:>19}" for verdict in verdicts))
    for package in (*sorted({o.mutation.package for o in outcomes}), "all"):
        found = Counter(o.verdict for o in outcomes if package in {o.mutation.package, "all"})
        print(f"{package:20}" + "".join(f"{found[verdict]:19}" for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
