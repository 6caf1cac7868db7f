"""What a test runner reported, test by test, whatever the runner."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.wire.value import Value


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # the test or its set-up broke before it could show anything
    SKIPPED = "skipped"
    XFAILED = "xfailed"  # it failed, as it was marked to (also TAP's todo)


class TestCase(Value):
    """One test: its id is stable between runs and unique in a report."""

    __test__ = False  # pytest would collect it by its name

    id: str
    outcome: Outcome
    message: str = ""
