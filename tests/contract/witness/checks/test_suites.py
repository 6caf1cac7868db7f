"""`pytest`, `junit` and `tap`: suites, judged test by test."""

import sys
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.witness.check_context import CheckResult
from tests.contract.witness.checks.places import Bench
from tests.tables import for_each, sampled

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN

SKIP = "@pytest.mark.skip\ndef test_later(): pass\n"
XFAIL = "@pytest.mark.xfail\ndef test_known(): assert 0\n"
GOOD = "def test_good(): pass\n"
BAD = "def test_bad(): assert 1 == 2\n"


def ran(bench: Bench, text: str, **options: object) -> CheckResult:
    bench.write("pytest.ini", "[pytest]\naddopts = -p no:randomly -p no:xdist -p no:timeout\n")
    bench.write("tests/test_a.py", "import os, sys\nimport pytest\n" + text)
    return bench.see("pytest", "tests", **options)


# What is counted is the same for all suites: see `test_junit_reports`.
@pytest.mark.parametrize(
    ("text", "options", "verdict", "reason"),
    sampled(
        [
            (GOOD + BAD, {"args": ["-k", "good"]}, P, "1 test passed"),
            ("", {}, U, "no tests were collected"),
            (GOOD + SKIP + XFAIL, {}, P, "1 test passed"),
            ("raise RuntimeError('on import')\n", {}, F, "1 of 1 tests fail"),
            ("os._exit(0)\n", {}, U, "no readable report (exit 0)"),
            (GOOD, {"args": ["--no-such-option"]}, U, "no readable report (exit 4)"),
            (
                "def test_dies():\n    os.kill(os.getpid(), 11)\n",
                {},
                F,
                "it was killed by signal 11",
            ),
        ],
        one_in=3,
    ),
)
def test_pytest_suites(
    text: str, options: dict[str, Any], verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    seen = ran(bench, text, **options)

    assert seen.verdict is verdict, seen
    assert seen.reason.startswith(reason)
    assert not [*bench.root.glob("**/*.xml")]


def test_cases_have_the_ids_that_people_type(bench: Bench) -> None:
    text = GOOD + BAD + "class TestIn:\n    @pytest.mark.parametrize('n', [1])\n"
    text += "    def test_it(self, n): pass\n"

    seen = ran(bench, text)

    assert seen.reason == "1 of 3 tests fail: tests/test_a.py::test_bad"
    assert {case.id: case.outcome for case in seen.cases} == {
        "tests/test_a.py::test_good": Outcome.PASSED,
        "tests/test_a.py::test_bad": Outcome.FAILED,
        "tests/test_a.py::TestIn::test_it[1]": Outcome.PASSED,
    }


def test_a_suite_in_a_folder_of_the_checkout(bench: Bench) -> None:
    bench.write("sub/tests/test_a.py", GOOD)

    seen = bench.see("pytest", "tests", cwd="sub", args=["-p", "no:randomly"])

    assert seen.verdict is P, seen


def test_an_interpreter_without_pytest_tells_nothing(bench: Bench) -> None:
    bench.write("bin/python3", f'#!/bin/sh\nexec {sys.executable} -S -I "$@"\n', 0o755)

    seen = bench.see("pytest", "tests", env={"PATH": str(bench.root / "bin")})

    assert seen.verdict is U
    assert "python3 has no pytest" in seen.reason


def junit(*cases: str) -> str:
    return f'<testsuite name="s" tests="{len(cases)}">{"".join(cases)}</testsuite>'


OK = '<testcase classname="c" name="ok"/>'
NOT_OK = '<testcase classname="c" name="bad"><failure message="no"/></testcase>'
SKIPPED = '<testcase classname="c" name="later"><skipped/></testcase>'
BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + ']><testsuite tests="1"><testcase classname="&i;" name="x"/></testsuite>'
)


@for_each(
    ("report", "code", "options", "verdict", "reason"),
    [
        (junit(OK), 0, {}, P, "1 test passed"),
        (junit(OK, NOT_OK), 1, {}, F, "1 of 2 tests fail"),
        (junit(OK, NOT_OK), 0, {}, F, "1 of 2 tests fail"),
        (junit(OK), 1, {}, F, "all 1 tests passed, but the runner exits 1"),
        (junit(OK, SKIPPED), 0, {}, P, "1 test passed"),
        (junit(SKIPPED), 0, {"max_skips": 5}, F, "0 tests passed, at least 1 must"),
        (junit(OK), 0, {"min_tests": 2}, F, "1 tests passed, at least 2 must"),
        (junit(), 0, {}, U, "no tests were collected"),
        ("", 0, {}, U, "no readable report (exit 0)"),
        ("<testsuite", 0, {}, U, "no readable report (exit 0)"),
        ("{}", 1, {}, U, "no readable report (exit 1)"),
        (BOMB, 0, {}, U, "no readable report (exit 0)"),
    ],
)
def test_junit_reports(
    *,
    report: str,
    code: int,
    options: dict[str, Any],
    verdict: Verdict,
    reason: str,
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path)
    bench.write("made.xml", report)
    argv = ["sh", "-c", f"mkdir -p out; cp made.xml out/r.xml; exit {code}"]

    seen = bench.see("junit", argv, report="out/r.xml", **options)

    assert seen.verdict is verdict, seen
    assert seen.reason.startswith(reason)


def test_a_runner_that_leaves_no_report_tells_nothing(bench: Bench) -> None:
    seen = bench.see("junit", ["sh", "-c", "echo it crashed >&2"], report="r.xml")

    assert seen.verdict is U
    assert seen.reason.endswith("it crashed")


@for_each("kind", ["junit", "tap"])
def test_a_runner_that_cannot_be_started_tells_nothing(kind: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    options = {"report": "r.xml"} if kind == "junit" else {}

    assert bench.see(kind, ["no-such-runner"], **options).verdict is U
    assert bench.see(kind, ["sleep", "60"], timeout=1, **options).verdict is U


@for_each(
    ("lines", "code", "options", "verdict", "reason"),
    [
        ("1..2\nok 1 - a\nok 2 - b\n", 0, {"min_tests": 2}, P, "2 tests passed"),
        ("1..2\nok 1 - a\nnot ok 2 - b\n", 1, {}, F, "1 of 2 tests fail"),
        ("1..1\nok 1 - a\n", 3, {}, F, "all 1 tests passed, but the runner exits 3"),
        ("1..2\nok 1 - a\nok 2 - b # SKIP no\n", 0, {}, P, "1 test passed"),
        ("1..3\nok 1 - a\n", 0, {}, U, "no readable report"),
        ("1..3\nok 1 - a\n", 1, {}, F, "the runner stopped before the end (exit 1)"),
        ("TAP version 13\n", 1, {}, F, "the runner stopped before the end (exit 1)"),
        ("TAP version 13\n", 0, {}, U, "no readable report"),
        ("ok 1 - a\n", 0, {}, U, "no readable report"),
        ("not ok 1 - a\n", 0, {}, U, "no readable report"),
        ("not ok 1 - a\n", 1, {}, F, "the runner stopped before the end (exit 1): a"),
        ("ok 1 - a\nok 2 - b\n1..1\n", 1, {}, U, "no readable report"),
        ("hello\n", 1, {}, U, "no readable report"),
        ("hello\n", 0, {}, U, "no readable report"),
        ("", 0, {}, U, "no readable report"),
        ("1..0 # skip all\n", 0, {}, U, "no tests were collected"),
    ],
)
def test_tap_reports(
    *,
    lines: str,
    code: int,
    options: dict[str, Any],
    verdict: Verdict,
    reason: str,
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path)
    bench.write("out.tap", lines)

    seen = bench.see("tap", ["sh", "-c", f"cat out.tap; exit {code}"], **options)

    assert seen.verdict is verdict, seen
    assert seen.reason.startswith(reason)


@pytest.mark.needs("node")
def test_a_runner_of_tap_that_throws_has_failed_and_its_error_is_named(bench: Bench) -> None:
    told = "console.log('TAP version 13\\n# a\\nok 1 - a'); const queue = {}; queue.available();"

    seen = bench.see("tap", ["node", "-e", told])

    said = (
        "the runner stopped before the end (exit 1): TypeError: queue.available is not a function"
    )
    assert (seen.verdict, seen.reason) == (F, said)


@for_each("addopts", ["-x -k good -m 'not slow' -rA", "--maxfail=1 -n 2"])
def test_the_options_of_the_project_hold(addopts: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    if "-n" in addopts:
        bench.programs = Path(sys.executable).parent  # with plugins
    bench.write("pytest.ini", f"[pytest]\naddopts = {addopts}\nmarkers = slow\n")
    bench.write("tests/test_a.py", GOOD + "def test_also_good(): pass\n")

    seen = bench.see("pytest", "tests")

    assert seen.verdict is P, seen
    assert seen.reason == "2 tests passed"
    assert {case.id for case in seen.cases} == {
        "tests/test_a.py::test_good",
        "tests/test_a.py::test_also_good",
    }


def test_what_else_the_runner_complains_of_still_counts(bench: Bench) -> None:
    bench.write("pytest.ini", "[pytest]\n")
    bench.write("tests/test_a.py", GOOD)
    bench.write(
        "conftest.py",
        """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop(session):
    yield
    session.testsfailed += 1  # as pytest-cov does below its threshold
""",
    )

    seen = bench.see("pytest", "tests")

    assert seen.verdict is F
    assert seen.reason == "all 1 tests passed, but the runner exits 1"
