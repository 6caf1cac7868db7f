"""`python -m bench.fixes.find NAME …`: which steps of packages are fixes that bring their tests.

A step is one if a test fails with the new release's tests on the old release's code, and passes on
the new release's, and if tests of the old release that are gone still pass there, as they were: who
takes something back changes what a project promises, and mends nothing. It is told by the plain
command of the project, without goalkeeper. Packages must stand in `fixes.toml` with a check; their
steps need not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.fixes.fix import DATA, NPM, RealFix
from bench.fixes.trial import MOST_RELEASES, find_builders, lay_release, list_releases
from bench.history.releases import open_releases
from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.wire.canonical import digest
from goalkeeper.witness.reports import ReportCutOff, ReportUnreadable, junit, tap

_REPORT = "plain-report.xml"
_TESTS = frozenset({Role.TEST, Role.DATA})
_TELLING = _TESTS | {Role.HARNESS}
_BAD = {Outcome.FAILED, Outcome.ERROR}
_SECONDS = 300


class NotRun(Exception):
    """The plain command gave no report."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.fixes.find", description=__doc__)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--limit", type=int, default=12, help="steps of each package, the last")
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    kept = Path(home) / "goalkeeper-history"
    parser.add_argument("--cache", type=Path, default=kept, help="where releases are kept")
    args = parser.parse_args()
    told = tomllib.loads(DATA.read_text())
    for name in args.names:
        _look_at_package(name, told[name], args.cache.resolve(), args.limit)


def _look_at_package(name: str, raw: Mapping[str, Any], cache: Path, most: int) -> None:
    releases = open_releases(str(raw["registry"]), name, cache, most=MOST_RELEASES)
    versions = list(list_releases(releases))
    with tempfile.TemporaryDirectory(prefix="plain-") as folder:
        for old, new in list(pairwise(versions))[-most:]:
            fix = RealFix(name, old, new, raw)
            try:
                why = _look_at_step(fix, releases, Path(folder))
            except (NotRun, subprocess.SubprocessError, ReportUnreadable) as exc:
                why = f"it does not run: {exc}"[:200]
            row = [old, new, why] if why else [old, new]
            print(name, "left_out" if why else "step", row, flush=True)


def _look_at_step(fix: RealFix, releases: Path, folder: Path) -> str:
    """Say why the step is none that brings tests; empty if it is one."""
    old, new = folder / "old", folder / "new"
    for tree, version in ((old, fix.old), (new, fix.new)):
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        lay_release(releases, version, tree)
    before, after = _read_files(old, _TELLING), _read_files(new, _TELLING)
    if before == after:
        return "no tests changed"
    if not after:
        return "no tests are shipped"
    builders = find_builders(releases, (fix.old, fix.new))
    was = _run_plainly(fix, old, folder, builders)
    own = _run_plainly(fix, new, folder, builders)
    tests = _read_files(old, _TESTS), _read_files(new, _TESTS)
    _exchange(old, before, after)
    try:
        seen = _run_plainly(fix, old, folder, builders)
    except ReportCutOff:  # a test of the new release stopped all that come after it
        seen = {}
    _exchange(new, tests[1], tests[0])
    still = _run_plainly(fix, new, folder, builders)
    bad = sorted(name for name, outcome in own.items() if outcome in _BAD)
    gone = {name for name, outcome in was.items() if outcome is Outcome.PASSED} - own.keys()
    lost = sorted(name for name in gone if still.get(name) in _BAD)
    red = [n for n, o in own.items() if o is Outcome.PASSED and seen.get(n) is not Outcome.PASSED]
    if bad:
        return f"{len(bad)} tests fail on the new release: {bad[0]}"
    if not red:
        return "no test fails on the old release"
    return f"it takes back what {len(lost)} tests asked for: {lost[0]}" if lost else ""


def _exchange(tree: Path, gone: Iterable[str], laid: Mapping[str, bytes]) -> None:
    for path in gone:
        (tree / path).unlink()
    for path, data in laid.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(data)


def _read_files(tree: Path, roles: AbstractSet[Role]) -> dict[str, bytes]:
    paths = (path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    named = {str(path.relative_to(tree)): path for path in paths}
    return {name: path.read_bytes() for name, path in named.items() if role_of_path(name) in roles}


def _run_plainly(
    fix: RealFix, tree: Path, folder: Path, builders: Sequence[str]
) -> dict[str, Outcome]:
    # A test whose rows stand in a set has other ids in every process without a seed.
    environ = {**os.environ, "SETUPTOOLS_SCM_PRETEND_VERSION": fix.old, "PYTHONHASHSEED": "0"}
    if fix.registry == "npm":
        _link_packages(fix, tree, folder)
        ran = subprocess.run(
            fix.raw["check"]["tap"], cwd=tree, capture_output=True, check=False, timeout=_SECONDS
        )
        return {case.id: case.outcome for case in tap.parse(ran.stdout, root=str(tree))}
    python = folder / fix.package / "bin" / "python"
    pip = ["uv", "pip", "install", "--quiet", "--python", str(python)]
    if not python.exists():
        subprocess.run(["uv", "venv", "--quiet", str(python.parent.parent)], check=True)
    subprocess.run([*pip, *fix.list_needs(builders)], check=True, capture_output=True)
    own = ["--no-deps", "--no-build-isolation", "--editable", "."]
    subprocess.run([*pip, *own], cwd=tree, env=environ, check=True, capture_output=True)
    report = tree / _REPORT
    report.unlink(missing_ok=True)
    words = ["-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", f"--junitxml={_REPORT}"]
    where = fix.raw["check"]["pytest"]
    paths = where if isinstance(where, list) else [where]
    subprocess.run(
        [str(python), "-m", "pytest", *words, *fix.raw["check"].get("args", []), *paths],
        cwd=tree, env=environ, capture_output=True, check=False, timeout=_SECONDS,
    )  # fmt: skip
    if not report.exists():
        raise NotRun("no report")
    return {case.id: case.outcome for case in junit.parse(report.read_bytes(), root=str(tree))}


def _link_packages(fix: RealFix, tree: Path, folder: Path) -> None:
    """Install what the tests and the package need, once for all releases that need the same."""
    told = json.loads((tree / "package.json").read_text())
    needed = {"name": "needs", "dependencies": told.get("dependencies", {})}
    place = folder / f"{fix.package}-{digest(needed)[:12]}"
    if not place.exists():
        place.mkdir()
        (place / "package.json").write_text(json.dumps(needed))
        words = [*NPM, *fix.list_needs(())]
        subprocess.run(words, cwd=place, check=True, capture_output=True)
    (place / "node_modules").mkdir(exist_ok=True)
    (tree / "node_modules").unlink(missing_ok=True)
    (tree / "node_modules").symlink_to(place / "node_modules")


if __name__ == "__main__":
    main()
