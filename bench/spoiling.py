"""Measures spoilt tests on a project: how many can be spoilt, and whether all of them fail.

The project must be there with what its tests need; its files are changed and put back. Tests run
as they are, then with other expectations; what is named as spoilt and passes is our mistake.

    python -m bench.spoiling FOLDER RUNNER PATTERN… [--seeds N] [--show]

RUNNER is one of node, jest, vitest, mocha, ava, tap (each file is a program that prints TAP),
bats, sh (each file is a script that ends with a status), or tap.sh (test/run.sh prints TAP).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.tamper.source import is_script
from goalkeeper.tamper.spoiling.golden import spoil_golden
from goalkeeper.tamper.spoiling.javascript import spoil_javascript
from goalkeeper.tamper.spoiling.model import SpoiltFile
from goalkeeper.tamper.spoiling.shell import spoil_shell
from goalkeeper.witness.reports import ReportUnreadable, tap

LONGEST = 900
ALL = "*"  # where a report does not name files
# jest's own report breaks off where what was compared holds itself.
JEST_REPORTER = """module.exports = class {
  onRunComplete(_, { testResults }) {
    const tests = (each) => each.testResults.map(({ ancestorTitles, title, status }) =>
      ({ ancestorTitles, title, status }))
    const told = testResults.map((each) =>
      ({ name: each.testFilePath, assertionResults: tests(each) }))
    require("fs").writeFileSync("spoiling-report.json", JSON.stringify({ testResults: told }))
  }
}
"""
Results = Mapping[str, set[str]]  # names of a file's tests, and how each of that name ended
Runner = Callable[[Path, Sequence[str]], dict[str, Results]]


@dataclass
class Figures:
    tests: int = 0
    spoilt: int = 0
    failed: int = 0
    not_seen: int = 0
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(description="Spoil the tests of a project, and run them.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("runner", choices=sorted(RUNNERS))
    parser.add_argument("patterns", nargs="+")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="name what was left")
    asked = parser.parse_args()
    run = RUNNERS[asked.runner]
    root = asked.folder.resolve()
    found = {str(p.relative_to(root)) for each in asked.patterns for p in root.glob(each)}
    files = sorted(each for each in found if "node_modules" not in each)
    before = run(root, files)
    wrong = 0
    for seed in range(asked.seeds):
        texts = {each: (root / each).read_bytes() for each in files}
        try:
            spoilt = spoil_all(root, files, f"seed {seed}", texts)
            figures = compare(before, run(root, files), spoilt)
        finally:
            for each, data in texts.items():
                (root / each).write_bytes(data)
        share = 100 * figures.spoilt / max(figures.tests, 1)
        print(
            f"seed {seed}: {figures.tests} tests passed, {figures.spoilt} spoilt ({share:.0f} %), "
            f"{figures.failed} fail, {figures.not_seen} do not run, {len(figures.wrong)} pass"
        )
        wrong += len(figures.wrong)
        print("".join(f"  PASSES {each}\n" for each in figures.wrong), end="")
        if asked.show and seed == 0:
            left = [f"{path}: {n}" for path, each in spoilt.items() if each for n in each.left]
            print("".join(f"  left {each}\n" for each in left), end="")
            print("".join(f"  unread {path}\n" for path, each in spoilt.items() if not each))
    return 1 if wrong else 0


def spoil_all(
    root: Path, files: Sequence[str], seed: str, texts: dict[str, bytes]
) -> dict[str, SpoiltFile | None]:
    """Spoil files in their places; `texts` gets what else was there before."""
    scripts = {
        path: (root / path).read_text(errors="replace")
        for path in (str(each.relative_to(root)) for each in root.rglob("*"))
        if re.search(r"\.(sh|bash|bats)$", path) and "node_modules" not in path
    }
    found: dict[str, SpoiltFile | None] = {}
    for path in files:
        text = (root / path).read_text(errors="replace")
        if is_script(path):
            made = spoil_javascript(text, seed, path=path)
        else:
            others = {name: each for name, each in scripts.items() if name != path}
            made = spoil_shell(text, seed, path=path, others=others)
        found[path] = made
        if made is None:
            continue
        (root / path).write_text(made.text)
        for name, test in made.golden:
            place = root / name
            data = texts.setdefault(name, place.read_bytes()) if place.is_file() else None
            other = spoil_golden(data, seed) if data is not None else None
            if other is not None:
                place.write_bytes(other)
                found[path] = made.replace(spoilt=(*made.spoilt, test))
    return found


def compare(
    before: Mapping[str, Results],
    after: Mapping[str, Results],
    spoilt: Mapping[str, SpoiltFile | None],
) -> Figures:
    figures = Figures()
    told_all = [each for each in spoilt.values() if each is not None]
    unsure = {name for each in told_all for name in each.left if name not in each.spoilt}
    joined = tuple({name for each in told_all for name in each.spoilt} - unsure)
    spoilt = {**spoilt, ALL: SpoiltFile("", joined)}
    for path, results in before.items():
        good = [name for name, ends in results.items() if ends == {"passed"}]
        figures.tests += len(good)
        told = spoilt.get(path)
        if told is None:
            continue
        known = {squeeze(each): each for each in told.spoilt}
        for name in good:
            if squeeze(name) not in known:
                continue
            figures.spoilt += 1
            ends = after.get(path, {}).get(name, set())
            figures.failed += ends == {"failed"}
            figures.not_seen += not ends
            figures.wrong += [f"{path}: {name}"] if "passed" in ends else []
    return figures


def squeeze(name: str) -> str:
    return " ".join(name.replace(" > ", " ").split())


def run_program(argv: Sequence[str], root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["nice", "-n", "10", *argv],
        cwd=root, check=False, capture_output=True, text=True, errors="replace", timeout=LONGEST,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def gather(pairs: Sequence[tuple[str, str]]) -> Results:
    found: dict[str, set[str]] = {}
    for name, end in pairs:
        found.setdefault(name, set()).add(end)
    return found


def read_tap(printed: str) -> Results:
    try:
        cases = tap.parse(printed.encode())
    except ReportUnreadable as exc:
        print(f"  unreadable: {exc}")
        return {}
    ends = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.ERROR: "failed"}
    return gather(
        [(re.sub(r" #\d+$", "", each.id), ends.get(each.outcome, "skipped")) for each in cases]
    )


def each_file(*argv: str) -> Runner:
    def run(root: Path, files: Sequence[str]) -> dict[str, Results]:
        return {path: read_tap(run_program([*argv, path], root).stdout) for path in files}

    return run


def run_node(root: Path, files: Sequence[str]) -> dict[str, Results]:
    argv = ["node", "--test", "--test-reporter=tap", *files]
    return {ALL: read_tap(run_program(argv, root).stdout)}


def run_status(root: Path, files: Sequence[str]) -> dict[str, Results]:
    codes = {path: run_program(["sh", path], root).returncode for path in files}
    return {path: {"": {"failed" if code else "passed"}} for path, code in codes.items()}


def run_jest(*argv: str) -> Runner:
    def run(root: Path, files: Sequence[str]) -> dict[str, Results]:
        report, reporter = root / "spoiling-report.json", root / "spoiling-reporter.cjs"
        reporter.write_text(JEST_REPORTER)
        ended = run_program([*argv, *files], root)
        reporter.unlink()
        if not report.exists():
            print(ended.stdout[-2000:], ended.stderr[-2000:])
            return {}
        told = json.loads(report.read_text())
        report.unlink()
        return {
            str(Path(each["name"]).relative_to(root)): gather(
                [
                    (" > ".join([*test["ancestorTitles"], test["title"]]), test["status"])
                    for test in each["assertionResults"]
                ]
            )
            for each in told["testResults"]
        }

    return run


def run_mocha(root: Path, files: Sequence[str]) -> dict[str, Results]:
    found: dict[str, Results] = {}
    for path in files:
        printed = run_program(["npx", "mocha", "--reporter", "json", "--exit", path], root).stdout
        start = printed.find('{\n  "stats"')
        told = json.loads(printed[start:]) if start >= 0 else {"passes": [], "failures": []}
        found[path] = gather(
            [(each["fullTitle"], "passed") for each in told["passes"]]
            + [(each["fullTitle"], "failed") for each in told["failures"]]
        )
    return found


RUNNERS: dict[str, Runner] = {
    "node": run_node,
    "tap": each_file("node"),
    "bats": each_file("bats", "--tap"),
    "ava": each_file("npx", "ava", "--tap"),
    "sh": run_status,
    "tap.sh": each_file("sh", "test/run.sh"),
    "jest": run_jest("npx", "jest", "--reporters=./spoiling-reporter.cjs", "--ci"),
    "vitest": run_jest(
        "npx", "vitest", "run", "--reporter=json", "--outputFile=spoiling-report.json"
    ),
    "mocha": run_mocha,
}

if __name__ == "__main__":
    raise SystemExit(main())
