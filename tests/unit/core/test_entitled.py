"""What an agent wrote in its copy of the record is decided anew."""

import pytest

from goalkeeper.core.contract.findings import FindingAnswer
from goalkeeper.core.drive.state import ExitKind
from goalkeeper.core.entitled import decide_asked
from goalkeeper.core.plan import events
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.model import Actor
from tests.unit.core.helpers import AGENT, HUMAN, frozen_of, goal_of, plan_of, recorded
from tests.unit.core.verifications import asked, at, hypothesis

REASON = "it only moves words and weakens nothing"


def answer(reason: str = REASON, by: str = "agent") -> FindingAnswer:
    return FindingAnswer("rule", "a.py", ("it is bent",), "content", reason, by)


def exit_of(goal_id: str) -> events.HonestExit:
    return events.HonestExit(goal_id, ExitKind.BLOCKED, "no key")


@pytest.mark.parametrize(
    "event",
    [
        exit_of("G001"),
        events.GoalCheckpointed("G001", CheckpointStatus.FAILED, "no way"),
        events.FindingAnswered("G001", answer()),
        events.VerificationFailed("G001", ("C1",), "tree", ("it hedges",)),
        events.CommandRefused("Steer", "driven", "G001"),
    ],
)
def test_what_an_agent_may_ask_for_is_recorded_as_it_wrote_it(event: events.Event) -> None:
    plan = recorded(plan_of(asked(hypothesis())), events.GoalStarted("G001"))
    plan = recorded(plan, events.ContractFrozen("G001", frozen_of(hypothesis())))

    assert decide_asked(plan, "G001", event, at=at(), actor=AGENT) == (event,)


@pytest.mark.parametrize(
    ("event", "actor"),
    [
        (exit_of("G002"), AGENT),
        (exit_of("G001"), HUMAN),
        (events.GoalCheckpointed("G001", CheckpointStatus.COMPLETE, "done"), AGENT),
        (events.FindingAnswered("G001", answer("so")), AGENT),
        (events.FindingAnswered("G001", answer(by="human")), AGENT),
        (events.QuestionsAnswered("G001", ("C1",), "tree", "", "a human confirmed it"), AGENT),
        (events.StepVerified("G001", "q1", "inputs"), AGENT),
        (events.GoalStarted("G001"), AGENT),
        (events.HypothesisDeferred("G002", "9999-01-01T00:00:00.000000Z"), AGENT),
    ],
)
def test_what_no_agent_may_ask_for_is_left_out(event: events.Event, actor: Actor) -> None:
    plan = recorded(plan_of(asked(hypothesis()), "two"), events.GoalStarted("G001"))
    plan = recorded(plan, events.ContractFrozen("G001", frozen_of(hypothesis())))

    assert decide_asked(plan, "G001", event, at=at(), actor=actor) == ()


def test_a_hypothesis_is_put_off_for_a_day_whatever_its_agent_wrote() -> None:
    plan = recorded(plan_of(asked(hypothesis())), events.GoalStarted("G001"))
    event = events.HypothesisDeferred("G001", "9999-01-01T00:00:00.000000Z")

    later = decide_asked(plan, "G001", event, at=at(), actor=AGENT)
    other = decide_asked(
        recorded(plan_of("one"), events.GoalStarted("G001")), "G001", event, at=at(), actor=AGENT
    )

    assert (later, other) == ((events.HypothesisDeferred("G001", at(24)),), ())


def test_whoever_gave_up_asks_for_no_other_exit() -> None:
    plan = recorded(plan_of("one"), events.GoalStarted("G001"), exit_of("G001"))
    other = events.HonestExit("G001", ExitKind.IMPOSSIBLE, "other words")

    assert goal_of(plan, "G001").status == "blocked"
    assert decide_asked(plan, "G001", other, at=at(), actor=AGENT) == ()
