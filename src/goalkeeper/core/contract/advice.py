"""Advice on a criterion that is not met, in one sentence each."""

from __future__ import annotations

from goalkeeper.core.contract.criteria import (
    ANSWERED_KINDS,
    FAILURES_TO_BLOCK,
    CriterionState,
    CriterionStatus,
)
from goalkeeper.core.contract.document import Criterion

_ERRORS_TO_ESCALATE = 3
_LIMIT = "hit the limit on"  # in the reason of a check that a limit ended
_ANSWER = {
    "question": "answer it: goalkeeper verify --template prints the file for --answers",
    "manual": "leave it to a human: goalkeeper verify --criterion ID --confirm --evidence <seen>",
}


def suggest_next_step(
    criterion: Criterion, state: CriterionState, *, is_answered: bool = False
) -> str:
    """Suggest what to do; `is_answered` says that there is an answer that nobody judged yet."""
    if is_answered:
        return "have it judged: goalkeeper judge, or the checkpoint"
    if criterion.check.kind in ANSWERED_KINDS and not state.is_met:
        return _ANSWER[criterion.check.kind]
    match state.status:
        case CriterionStatus.PASS:
            return "nothing; it is met" if not state.error_streak else _advise_on_unknown(state)
        case CriterionStatus.BLOCKED if state.is_left:
            return "leave it to a human: it was blocked in an earlier run"
        case CriterionStatus.BLOCKED:
            return "leave it to a human: it failed three times in a row"
        case CriterionStatus.REGRESSED:
            return (
                "find which of the files changed since it passed broke it, and mend that "
                "without undoing what the change was for"
            )
        case CriterionStatus.PENDING | CriterionStatus.FAIL:
            return (
                _advise_on_unknown(state)
                if state.error_streak
                else _advise_on_failure(criterion, state)
            )


def _advise_on_failure(criterion: Criterion, state: CriterionState) -> str:
    if criterion.held_out:
        return "read the goal's text again: cases that you do not see are not met"
    if state.fail_count == FAILURES_TO_BLOCK - 1:
        return "try another way than before: the next failure in a row blocks it"
    if criterion.new_tests:
        return "write tests that fail on the base's code and pass on yours, and keep the others"
    return "make it true in the product code, not in the tests"


def _advise_on_unknown(state: CriterionState) -> str:
    if _LIMIT in state.reason:
        return (
            "mend what takes so much; if the work is right, a human raises the limit: `timeout` in "
            "the check (goalkeeper contract amend --file), or [witness] before the next plan"
        )
    if state.error_streak >= _ERRORS_TO_ESCALATE:
        return "mend the environment: it could not be checked several times in a row"
    return "see why it could not be checked, and mend that first"


def describe_proof(criterion: Criterion) -> str:
    """Say what would prove it, in the words of its check."""
    check = criterion.check
    main = check.main_option
    main = " ".join(map(str, main)) if isinstance(main, tuple) else str(main)
    more = [f"{n}={v}" for n, v in check.to_plain().items() if n != check.kind]
    held = " (held out: you do not see it)" if criterion.held_out else ""
    if criterion.new_tests:
        more.append("with tests of yours that fail without the work; all others stay green")
    if check.kind in ANSWERED_KINDS:
        more = ["answered with goalkeeper verify" if check.kind == "question" else "by a human"]
    shown = "" if criterion.held_out else f" {main}"
    return f"{check.kind}{shown}" + (f" ({', '.join(more)})" if more and not held else "") + held
