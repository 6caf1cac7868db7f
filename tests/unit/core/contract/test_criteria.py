"""The states of a criterion, by the numbered scenarios of the loop's state machine."""

import pytest

from goalkeeper.core.contract.criteria import (
    CriterionState,
    CriterionStatus,
    Decision,
    Observation,
    Verdict,
    decide_after,
    take_observation,
)
from tests.tables import for_each

NEW = CriterionState("C1")
VERDICTS = {"p": Verdict.PASSED, "f": Verdict.FAILED, "u": Verdict.UNKNOWN}


def judged(told: str, state: CriterionState = NEW) -> list[CriterionState]:
    """The state after each observation: p passed, f failed, u unknown."""
    states = []
    for iteration, letter in enumerate(told, 1):
        seen = Observation(
            VERDICTS[letter],
            iteration,
            f"tree{iteration}",
            f"seen {iteration}",
            f"why {iteration}",
            f"at {iteration}",
        )
        state = take_observation(state, seen)
        states.append(state)
    return states


def shown(told: str) -> str:
    return " ".join(f"{state.status}{state.fail_count}" for state in judged(told))


@for_each(
    ("told", "expected"),
    [
        pytest.param("fff", "FAIL1 FAIL2 BLOCKED3", id="1-three-failures-block"),
        pytest.param("pf", "PASS0 REGRESSED0", id="2-a-failure-after-a-pass-is-a-regression"),
        pytest.param("pffff", "PASS0 REGRESSED0 FAIL1 FAIL2 BLOCKED3", id="3-then-it-counts"),
        pytest.param("ffpf", "FAIL1 FAIL2 PASS0 REGRESSED0", id="4-a-pass-resets-the-count"),
        pytest.param("fffp", "FAIL1 FAIL2 BLOCKED3 PASS0", id="6-blocked-may-pass"),
        pytest.param("ffff", "FAIL1 FAIL2 BLOCKED3 BLOCKED3", id="6-blocked-stays-blocked"),
        pytest.param("u", "PENDING0", id="7-unknown-decides-nothing"),
        pytest.param("fufu", "FAIL1 FAIL1 FAIL2 FAIL2", id="8-unknown-breaks-no-streak"),
        pytest.param("puf", "PASS0 PASS0 REGRESSED0", id="8-unknown-hides-no-regression"),
    ],
)
def test_a_criterion_goes_the_way_the_protocol_says(told: str, expected: str) -> None:
    assert shown(told) == expected


def test_scenario_1_the_evidence_of_all_three_failures_is_kept() -> None:
    assert judged("fff")[-1].failures == ("seen 1", "seen 2", "seen 3")


def test_scenario_2_a_regression_knows_when_and_since_which_tree() -> None:
    regressed = judged("ppf")[-1]

    assert (regressed.passed_at, regressed.passed_tree, regressed.regressed_at) == (2, "tree2", 3)


def test_scenario_5_a_flaky_criterion_is_never_blocked_but_counted() -> None:
    states = judged("pf" * 10)

    assert CriterionStatus.BLOCKED not in {state.status for state in states}
    assert states[-1].regressions == 10


def test_scenario_7_what_could_not_be_checked_is_counted_apart() -> None:
    assert [state.error_streak for state in judged("uufuup")] == [1, 2, 0, 1, 2, 0]


@for_each(
    ("told", "expected"),
    [
        ("u", "at 1"),
        ("uuu", "at 1"),
        ("ff", "at 1"),
        ("ppp", "at 1"),
        ("fffff", "at 3"),
        ("pfpf", "at 4"),
        ("puu", "at 1"),
        ("uuf", "at 3"),
    ],
)
def test_since_is_when_the_status_came_to_be_what_it_is(told: str, expected: str) -> None:
    assert judged(told)[-1].since == expected


@for_each("told", ["p", "f", "u", "pf", "fp", "fu", "pu", "ffff"])
def test_reason_and_evidence_are_those_of_the_latest_observation(told: str) -> None:
    last = judged(told)[-1]

    assert (last.reason, last.evidence) == (f"why {len(told)}", f"seen {len(told)}")


def test_all_failures_are_counted_also_those_before_a_pass() -> None:
    assert [state.failed for state in judged("fpffufffp")] == [1, 1, 2, 3, 3, 4, 5, 6, 6]


def test_the_evidence_of_failures_begins_anew_with_a_pass() -> None:
    assert [len(state.failures) for state in judged("ffpfu")] == [1, 2, 0, 1, 1]
    assert judged("fffff")[-1].failures == ("seen 3", "seen 4", "seen 5")


def test_an_unknown_keeps_what_was_last_known_of_a_pass() -> None:
    assert [(s.passed_at, s.passed_tree) for s in judged("pu")] == [(1, "tree1"), (1, "tree1")]


def states(*statuses: CriterionStatus) -> list[CriterionState]:
    return [CriterionState(f"C{n}", status) for n, status in enumerate(statuses, 1)]


PASS, FAIL, BLOCKED = CriterionStatus.PASS, CriterionStatus.FAIL, CriterionStatus.BLOCKED
REGRESSED, PENDING = CriterionStatus.REGRESSED, CriterionStatus.PENDING


@for_each(
    ("criteria", "iteration", "expected"),
    [
        pytest.param(states(PASS, PASS), 5, Decision.DONE, id="9-done-on-the-last-iteration"),
        pytest.param(states(PASS, FAIL), 5, Decision.SAFEGUARD, id="10-one-failure-at-the-end"),
        pytest.param(states(PASS, REGRESSED), 5, Decision.SAFEGUARD, id="10-one-regression"),
        pytest.param(states(BLOCKED, BLOCKED), 1, Decision.DONE_PARTIAL, id="11-all-blocked"),
        pytest.param(states(PASS, BLOCKED), 5, Decision.DONE_PARTIAL, id="11-some-blocked"),
        pytest.param(states(PASS, FAIL), 4, Decision.REPLAN, id="go-on"),
        pytest.param(states(PASS, PENDING), 1, Decision.REPLAN, id="13-unjudged-is-not-passed"),
        pytest.param([], 1, Decision.REPLAN, id="nothing-to-judge-is-not-done"),
    ],
)
def test_the_decision_follows_from_the_states(
    criteria: list[CriterionState], iteration: int, expected: Decision
) -> None:
    assert decide_after(criteria, iteration=iteration, max_iterations=5) == expected
