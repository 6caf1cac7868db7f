"""The reports of test runners are read here, with one module for each format.

Hostile code may have run with the tests, so a report must be consistent in itself; otherwise it is
unreadable, and the verdict is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Protocol

from goalkeeper.core.contract.test_cases import TestCase

MOST_BYTES = 64 * 1024 * 1024
MOST_CASES = 500_000  # 64 MB of text can have more tests than fit into memory as objects
MOST_DEPTH = 100
MOST_LINES = 4_000_000
MOST_MESSAGE = 200


class ReportParser(Protocol):
    def __call__(self, data: bytes, *, root: str = "") -> tuple[TestCase, ...]: ...


class ReportUnreadable(ValueError):
    """A report that is broken, cut off, or contradicts itself."""


class ReportCutOff(ReportUnreadable):
    """A report that is right as far as it goes, and has no end: its runner may have stopped."""


def require_sane_size(data: bytes) -> None:
    if not data.strip():
        raise ReportUnreadable("the report is empty")
    if len(data) > MOST_BYTES:
        raise ReportUnreadable(f"the report has {len(data)} bytes, at most {MOST_BYTES} are read")
    if data.count(b"\n") > MOST_LINES:
        raise ReportUnreadable(f"the report has more than {MOST_LINES} lines")


class ReportAllowance:
    """The number of tests that a report may name, and the length of all their ids.

    Ids repeat the names of the suites around them, so a small report could need terabytes.
    """

    def __init__(self) -> None:
        self._cases = MOST_CASES
        self._text = 4 * MOST_BYTES

    def spend_case(self, case_id: str) -> None:
        self._cases -= 1
        self._text -= len(case_id)
        if self._cases < 0:
            raise ReportUnreadable(f"the report has more than {MOST_CASES} tests")
        if self._text < 0:
            raise ReportUnreadable("the names of the tests are too long to be kept")


def strip_root(root: str, path: str) -> str:
    """Return the path relative to the root, if it is below it.

    Base and candidate are checked out in different folders, but their tests have the same ids.
    """
    return path.removeprefix(f"{root.rstrip('/')}/") if root else path


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0].strip()[:MOST_MESSAGE].strip()


def with_unique_ids(cases: Iterable[TestCase]) -> tuple[TestCase, ...]:
    """Return the cases in their order; a second `x` becomes `x #2`."""
    taken: set[str] = set()
    numbers: dict[str, count[int]] = {}
    found = []
    for case in cases:
        free = case.id
        while free in taken:
            free = f"{case.id} #{next(numbers.setdefault(case.id, count(2)))}"
        taken.add(free)
        found.append(case if free == case.id else case.replace(id=free))
    return tuple(found)
