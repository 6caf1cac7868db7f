"""Checks that disagree with themselves on one tree: what fails now and then, and what passes so."""

from __future__ import annotations

from collections.abc import Iterable

from goalkeeper.core.contract.criteria import FLAKY, Verdict
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.witness.check_context import CheckResult

# After a failure on the same tree so many more runs must pass, for every failure that is known.
# Who judges a product that is right now and then until it passes pays more for each attempt.
_RUNS = 3
_MOST_RUNS = 12
_BAD = (Outcome.FAILED, Outcome.ERROR)


def count_passes(failures: int) -> int:
    """Return how often a check must pass again that did not pass on this tree before."""
    return min(_RUNS * failures, _MOST_RUNS)


def doubt_failure(seen: CheckResult, repeated: Iterable[CheckResult]) -> CheckResult:
    """Return a failure as unknown if the check passes when it is repeated."""
    if not any(again.verdict is Verdict.PASSED for again in repeated):
        return seen
    said = f"{FLAKY} it failed, then passed on the same tree ({seen.reason})"
    return seen.replace(verdict=Verdict.UNKNOWN, reason=said)


def doubt_pass(
    seen: CheckResult, repeated: Iterable[tuple[CheckResult, CheckResult]]
) -> CheckResult:
    """Return a pass as unknown if the check does worse when it is repeated."""
    worse = [again for first, again in repeated if _is_worse(first, again)]
    if not worse:
        return seen
    said = f"{FLAKY} it failed on this tree before, and does again ({worse[0].reason})"
    return seen.replace(verdict=Verdict.UNKNOWN, reason=said)


def _is_worse(first: CheckResult, again: CheckResult) -> bool:
    """Return whether a repetition fails; for a guard, tests may have failed at first, too."""
    if again.verdict is Verdict.PASSED or first.verdict is Verdict.PASSED:
        return again.verdict is not Verdict.PASSED
    known = {case.id for case in first.cases if case.outcome in _BAD}
    return not {case.id for case in again.cases if case.outcome in _BAD} <= known
