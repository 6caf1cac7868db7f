"""What became of the base's tests in the candidate."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.wire.value import Value

_PASSED = frozenset({Outcome.PASSED})
_FAILED = frozenset({Outcome.FAILED, Outcome.ERROR})
_RAN = _FAILED | _PASSED
_NOT_RUN = frozenset({Outcome.SKIPPED, Outcome.XFAILED})
_SCRIPT = re.compile(r"\S+\.[cm]?[jt]sx?")


class Comparison(Value):
    """Ids are the candidate's, except for tests that it no longer has. All of them are sorted."""

    missing: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()  # ran in the base, is skipped or expected to fail now
    failing: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()  # passed in the base
    still_failing: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


def compare(
    base: Sequence[TestCase], candidate: Sequence[TestCase], renamed: Mapping[str, str]
) -> Comparison:
    before = {case.id: case.outcome for case in base}
    after = {case.id: case.outcome for case in candidate}
    followed = _choose_renames(renamed, before, after)
    both = {
        now: (before[test], after[now])
        for test in before
        if (now := followed.get(test, test)) in after
    }
    gone = {test for test in before if test not in after and test not in followed}
    mended = _find_mended({test for test in gone if before[test] in _FAILED}, before, after)

    def find_changed(old: AbstractSet[Outcome], new: AbstractSet[Outcome]) -> set[str]:
        return {test for test, (was, now) in both.items() if was in old and now in new}

    return Comparison(
        missing=_sort(gone - mended),
        newly_skipped=_sort(find_changed(_RAN, _NOT_RUN)),
        failing=_sort(test for test, outcome in after.items() if outcome in _FAILED),
        fixed=_sort(find_changed(_FAILED, _PASSED) | mended),
        broken=_sort(find_changed(_PASSED, _FAILED)),
        still_failing=_sort(find_changed(_FAILED, _FAILED)),
        appeared=_sort(test for test in after if test not in both),
        renamed=tuple(sorted(followed.items())),
    )


def _choose_renames(
    renamed: Mapping[str, str], before: Mapping[str, Outcome], after: Mapping[str, Outcome]
) -> dict[str, str]:
    """A rename leads from an id that is gone to one that is new, and each id is used once."""
    pairs: dict[str, str] = {}
    taken = set(before)
    for old, new in sorted(renamed.items()):
        if old in before and old not in after and new in after and new not in taken:
            pairs[old] = new
            taken.add(new)
    return pairs


def _find_mended(gone: AbstractSet[str], before: Iterable[str], after: Iterable[str]) -> set[str]:
    """Those of the failures that are gone because what they stood for works now.

    They are not tests. A group is reported only when it fails by itself, and a file only when
    it could not be loaded; where it can, its tests are reported instead.
    """
    if not gone:
        return set()
    old, new = sorted(before), sorted(after)
    has_new = not set(after) <= set(before)
    return {
        test
        for test in gone
        if (_has_prefix(old, f"{test} > ") and _has_prefix(new, f"{test} > "))
        or ("::" not in test and (_has_prefix(new, f"{test}::") or _has_prefix(new, f"{test}.")))
        # node's titles do not tell their file, so any new test must do.
        or (_SCRIPT.fullmatch(test) and has_new)
    }


def _has_prefix(tests: Sequence[str], start: str) -> bool:
    place = bisect_left(tests, start)
    return place < len(tests) and tests[place].startswith(start)


def _sort(tests: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(tests))
