"""Reports: of test runners, and of workers who tried to break something."""

from __future__ import annotations

from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.witness.captures.unfit import Unfit
from goalkeeper.witness.reports import ReportUnreadable, junit, tap

_LEAST_LETTERS = 40
_RERUN = "run the tests again, and give what their runner wrote"


def judge_report(data: bytes, kind: str) -> Unfit | None:
    if kind == "test-report":
        return _judge_test_report(data)
    letters = sum(character.isalnum() for character in data.decode(errors="replace"))
    if letters < _LEAST_LETTERS:
        said = f"it says next to nothing ({letters} letters)"
        return Unfit("thin", said, "say what was tried, and what came of it")
    return None


def _judge_test_report(data: bytes) -> Unfit | None:
    try:
        cases = junit.parse(data) if data.lstrip().startswith(b"<") else tap.parse(data)
    except ReportUnreadable as exc:
        return Unfit("unreadable", f"it is neither JUnit XML nor TAP: {exc}", _RERUN)
    bad = [case.id for case in cases if case.outcome in {Outcome.FAILED, Outcome.ERROR}]
    if bad:
        return Unfit("failed", f"{len(bad)} test(s) failed, such as {bad[0][:80]}", _RERUN)
    if not any(case.outcome is Outcome.PASSED for case in cases):
        return Unfit("no-tests", "no test in it passed", _RERUN)
    return None
