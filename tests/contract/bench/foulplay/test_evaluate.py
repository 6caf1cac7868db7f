"""The evaluator of the gates we are compared with."""

from pathlib import Path

import pytest

from bench.foulplay import evaluate as evaluating
from bench.foulplay.evaluate import Check, checks_of, run_check, run_program

CONTRACT = """
criteria:
  - {id: C1, check: {pytest: tests/test_a.py, min_tests: 2}}
  - {id: C2, check: {tap: [make, test]}}
  - {id: C3, check: {manual: look at it}}
"""


def test_checks_are_read_from_a_contract() -> None:
    assert checks_of(CONTRACT) == (
        Check("C1", "pytest", ("tests/test_a.py",), 2),
        Check("C2", "tap", ("make", "test")),
        Check("C3", "unknown", ()),
    )


def test_tap_is_read_line_by_line(tmp_path: Path) -> None:
    told = (
        "TAP version 13\nok 1 - a\nnot ok 2 - b\n# note\nok 3 - c # SKIP later\nnot ok 4 - d # TODO"
    )
    (tmp_path / "told").write_text(f"{told}\n1..4\n")

    seen = run_check(Check("C1", "tap", ("cat", "told")), tmp_path, as_worker=False)

    assert seen.tests == {"a": "passed", "b": "failed", "c": "skipped", "d": "skipped"}
    assert (seen.exit_code, seen.passed) == (0, 1)


def test_pytest_is_read_from_its_report(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        "import pytest\n\n"
        "def test_good(): pass\n"
        "def test_bad(): assert 0\n"
        "@pytest.mark.xfail\ndef test_hopeless(): assert 0\n"
    )

    seen = run_check(Check("C1", "pytest", ("test_a.py",)), tmp_path, as_worker=False)

    assert seen.tests == {
        "test_a::test_good": "passed",
        "test_a::test_bad": "failed",
        "test_a::test_hopeless": "skipped",
    }
    assert seen.exit_code == 1


@pytest.mark.parametrize(("pattern", "code"), [("^all 3$", 0), ("^all 2$", 1)])
def test_a_command_prints_the_line_that_is_looked_for(
    tmp_path: Path, pattern: str, code: int
) -> None:
    check = Check("C1", "command", ("printf", "one\nall 3\n"), stdout=pattern)

    assert run_check(check, tmp_path, as_worker=False).exit_code == code


def test_only_the_worker_has_the_workers_environment(tmp_path: Path) -> None:
    (tmp_path / ".envrc").write_text("export MOOD=sunny\n")
    argv = ("sh", "-c", "echo $MOOD")

    assert run_program(argv, tmp_path, as_worker=True) == (0, "sunny\n")
    assert run_program(argv, tmp_path, as_worker=False) == (0, "\n")


def test_a_program_that_does_not_end_is_stopped_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluating, "TIMEOUT_SECONDS", 0.3)

    assert run_program(("sh", "-c", "sleep 60 & wait"), tmp_path, as_worker=False) == (None, "")
