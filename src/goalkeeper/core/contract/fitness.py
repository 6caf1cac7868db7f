"""Whether a criterion can show anything: how it looks on the base, before any work."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.criteria import ANSWERED_KINDS, Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.wire.value import Value


class Look(StrEnum):
    RED = "red"
    GUARD = "guard"
    NO_TESTS_YET = "no tests yet"
    NEEDS_ANSWER = "needs an answer"
    GREEN = "already green"
    GUARD_RED = "guard is red"
    UNKNOWN = "unknown"


FIT = frozenset({Look.RED, Look.GUARD, Look.NO_TESTS_YET, Look.NEEDS_ANSWER})


class Fitness(Value):
    criterion: Criterion
    look: Look
    reason: str
    lacks: bool = False  # it could not be judged, for want of something outside of the tree

    @property
    def is_fit(self) -> bool:
        return self.look in FIT


def assess_fitness(contract: Contract, criterion: Criterion, judged: Judged) -> Fitness:
    lacks = bool(judged.outside) and not judged.limit
    look = _look_on_base(contract, criterion, judged)
    return Fitness(criterion, look, judged.reason, lacks)


def _look_on_base(contract: Contract, criterion: Criterion, judged: Judged) -> Look:
    if criterion.check.kind in ANSWERED_KINDS:
        return Look.NEEDS_ANSWER
    match judged.verdict:
        case Verdict.PASSED:
            return Look.GUARD if criterion.guard else Look.GREEN
        case Verdict.FAILED:
            return Look.GUARD_RED if criterion.guard else Look.RED
        case Verdict.UNKNOWN:
            is_work = not criterion.guard and not judged.outside
            awaited = is_work and _may_bring_tests(contract, criterion)
            return Look.NO_TESTS_YET if awaited else Look.UNKNOWN


def _may_bring_tests(contract: Contract, criterion: Criterion) -> bool:
    """Return whether the contract lets the goal write the tests that are not there yet."""
    if criterion.check.kind not in TEST_KINDS or criterion.held_out:
        return False
    if criterion.new_tests:
        return True
    if criterion.check.kind != "pytest":
        return bool(contract.may_change)
    named = [path.split("::", 1)[0] for path in criterion.check.main_option]
    # A folder is named by itself; the contract frees it by itself or by all that is in it.
    return all(
        is_match(path, contract.may_change) or is_match(f"{path}/_", contract.may_change)
        for path in named
    )
