"""A judgement changes the state of a criterion, and a decision follows.

- Every criterion is judged every time, also one that passed.
- A failure after a pass is REGRESSED, once, and is not counted.
- Three failures in a row are BLOCKED; a blocked criterion may pass again, but never only fails.
- Unknown changes no status: what could not be checked was neither met nor missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from goalkeeper.wire.value import Value

FAILURES_TO_BLOCK = 3
FLAKY = "flaky:"  # so begins the reason of a check that disagrees with itself on one tree
# Checks of these kinds speak of more than the files of a tree.
ANSWERED_KINDS = frozenset({"question", "manual"})  # no program settles these
HISTORY_KINDS = frozenset({"git", "commit_message_pattern"})
MOMENT_KINDS = frozenset({"after_time", "file_exists_after", "goal_completed_after"})


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class CriterionStatus(StrEnum):
    PENDING = "PENDING"
    PASS = "PASS"  # noqa: S105  a verdict, not a word to get in by
    FAIL = "FAIL"
    REGRESSED = "REGRESSED"
    BLOCKED = "BLOCKED"


class Decision(StrEnum):
    DONE = "DONE"
    DONE_PARTIAL = "DONE_PARTIAL"
    SAFEGUARD = "SAFEGUARD"
    REPLAN = "REPLAN"


class Observation(Value):
    """What the witness saw of one criterion, on which tree, in which iteration."""

    verdict: Verdict
    iteration: int
    tree: str
    evidence: str
    reason: str = ""
    at: str = ""


class CriterionState(Value):
    id: str
    status: CriterionStatus = CriterionStatus.PENDING
    fail_count: int = 0  # it counts failures in a row, without regressions
    error_streak: int = 0
    regressions: int = 0
    regressed_at: int = 0
    passed_at: int = 0
    passed_tree: str = ""
    failures: tuple[str, ...] = ()  # the evidence of each since the last pass, at most three
    failed: int = 0  # it counts all failures
    reason: str = ""  # the reason of the latest observation
    evidence: str = ""  # the evidence of the latest observation
    since: str = ""  # the moment when the status became what it is

    @property
    def is_met(self) -> bool:
        """Return whether it passed, and could be checked ever since."""
        return self.status is CriterionStatus.PASS and not self.error_streak

    @property
    def shown_status(self) -> str:
        """Return the status for people: what could not be checked has not failed."""
        return "UNKNOWN" if self.error_streak and self.is_failed else self.status

    @property
    def is_left(self) -> bool:
        """Return whether it is blocked because it was before, and not by failures of this run."""
        return self.status is CriterionStatus.BLOCKED and self.fail_count < FAILURES_TO_BLOCK

    @property
    def is_failed(self) -> bool:
        """Return whether it failed when it was last seen, and may be tried again."""
        return self.status in {CriterionStatus.FAIL, CriterionStatus.REGRESSED}


def take_observation(state: CriterionState, seen: Observation) -> CriterionState:
    after = _count_observation(state, seen)
    since = state.since if after.status is state.status and state.since else seen.at
    return after.replace(reason=seen.reason, evidence=seen.evidence, since=since)


def _count_observation(state: CriterionState, seen: Observation) -> CriterionState:
    match seen.verdict:
        case Verdict.PASSED:
            return CriterionState(
                state.id,
                CriterionStatus.PASS,
                regressions=state.regressions,
                failed=state.failed,
                passed_at=seen.iteration,
                passed_tree=seen.tree,
            )
        case Verdict.FAILED:
            return _count_failure(state.replace(error_streak=0, failed=state.failed + 1), seen)
        case Verdict.UNKNOWN:
            return state.replace(error_streak=state.error_streak + 1)


def _count_failure(state: CriterionState, seen: Observation) -> CriterionState:
    failures = (*state.failures, seen.evidence)[-FAILURES_TO_BLOCK:]
    if state.status is CriterionStatus.BLOCKED:
        return state.replace(failures=failures)
    if state.status is CriterionStatus.PASS:
        return state.replace(
            status=CriterionStatus.REGRESSED,
            regressions=state.regressions + 1,
            regressed_at=seen.iteration,
            failures=failures,
        )
    count = state.fail_count + 1
    blocked = count >= FAILURES_TO_BLOCK
    status = CriterionStatus.BLOCKED if blocked else CriterionStatus.FAIL
    return state.replace(status=status, fail_count=count, failures=failures)


def retry_blocked(state: CriterionState) -> CriterionState:
    """Let a blocked criterion be tried again, because something has changed."""
    if state.status is not CriterionStatus.BLOCKED:
        return state
    return state.replace(status=CriterionStatus.FAIL, fail_count=0, failures=())


def leave_blocked(state: CriterionState) -> CriterionState:
    """Block a criterion that was blocked in an earlier run, without another try."""
    reason = "left as it was blocked in an earlier run"
    return state.replace(status=CriterionStatus.BLOCKED, fail_count=0, reason=reason)


def decide_after(
    states: Sequence[CriterionState], *, iteration: int, max_iterations: int
) -> Decision:
    """Decide what follows from a judgement; all met on the last allowed iteration is met."""
    statuses = {state.status for state in states}
    if statuses == {CriterionStatus.PASS}:
        return Decision.DONE
    if statuses and statuses <= {CriterionStatus.PASS, CriterionStatus.BLOCKED}:
        return Decision.DONE_PARTIAL
    return Decision.SAFEGUARD if iteration >= max_iterations else Decision.REPLAN
