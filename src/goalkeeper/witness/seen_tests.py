"""Losses that reading a change finds, and that a run of its own tests shows to be none.

Tests that a loop or a helper makes, and rows in a file, are not read; but they are reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.witness.check_context import CheckResult

_GONE = " is gone"
_LOST = " lost the case "


def excuse_seen_tests(
    findings: Sequence[Finding],
    own: Iterable[CheckResult],
    known: Mapping[str, Sequence[TestCase]],
) -> tuple[Finding, ...]:
    """Make a note of what names tests that pass in `own`, the runs of the candidate's own tests."""
    passed = {case.id for seen in own for case in seen.cases if case.outcome is Outcome.PASSED}
    names = {_find_name(test) for test in passed}
    before = {case.id for cases in known.values() for case in cases}

    def is_seen(each: Finding) -> bool:
        if each.rule == "test-removed" and each.message.endswith(_GONE):
            return each.message.removesuffix(_GONE) in names
        name, lost, _ = each.message.partition(_LOST)
        if not lost:
            return False
        old = {test for test in before if _find_name(test) == name and each.path in test}
        return bool(old) and old <= passed

    return tuple(each.replace(level=Level.ADVISORY) if is_seen(each) else each for each in findings)


def _find_name(test: str) -> str:
    """Return the name of a test as readers of files write it, without its path and row."""
    _, apart, rest = test.partition("::")
    name = (rest if apart else test).replace("::", ".")
    return name.partition("[")[0] if apart else name
