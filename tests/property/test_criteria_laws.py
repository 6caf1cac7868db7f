"""Laws of the reducer, whatever the witness sees."""

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.contract.criteria import (
    FAILURES_TO_BLOCK,
    CriterionState,
    CriterionStatus,
    Observation,
    Verdict,
    take_observation,
)

observations = st.lists(
    st.builds(
        Observation,
        st.sampled_from(Verdict),
        st.integers(1, 50),
        st.text(max_size=4),
        st.text(max_size=4),
        st.text(max_size=4),
        st.sampled_from(["monday", "tuesday", "wednesday"]),
    ),
    max_size=30,
)
NEW = CriterionState("C1")


@given(observations, observations)
def test_replay_in_two_parts_gives_the_same_state(
    first: list[Observation], then: list[Observation]
) -> None:
    """Scenario 12."""
    assert reduce(take_observation, then, reduce(take_observation, first, NEW)) == reduce(
        take_observation, first + then, NEW
    )


@given(observations)
def test_the_last_thing_that_was_seen_decides(told: list[Observation]) -> None:
    state = reduce(take_observation, told, NEW)
    known = [seen.verdict for seen in told if seen.verdict is not Verdict.UNKNOWN]

    assert (state.status is CriterionStatus.PASS) == (known[-1:] == [Verdict.PASSED])
    assert (state.status is CriterionStatus.PENDING) == (known == [])


@given(observations)
def test_blocked_takes_three_failures_since_the_last_pass(told: list[Observation]) -> None:
    state = reduce(take_observation, told, NEW)

    assert 0 <= state.fail_count <= FAILURES_TO_BLOCK
    assert (state.status is CriterionStatus.BLOCKED) == (state.fail_count == FAILURES_TO_BLOCK)
    assert len(state.failures) <= FAILURES_TO_BLOCK


@given(observations)
def test_failures_are_counted_and_regressions_are_some_of_them(told: list[Observation]) -> None:
    state = reduce(take_observation, told, NEW)

    assert state.failed == sum(seen.verdict is Verdict.FAILED for seen in told)
    assert state.regressions <= state.failed
    assert set(state.failures) <= {seen.evidence for seen in told}


@given(observations)
def test_a_status_is_as_old_as_its_last_change(told: list[Observation]) -> None:
    states = [reduce(take_observation, told[:n], NEW) for n in range(len(told) + 1)]
    known = [n for n in range(1, len(states)) if states[n].status is not states[n - 1].status]
    begun = known[-1] if known else 1

    assert states[-1].since == (told[begun - 1].at if told else "")
    assert (states[-1].reason, states[-1].evidence) == (
        (told[-1].reason, told[-1].evidence) if told else ("", "")
    )
