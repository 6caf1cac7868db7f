"""What is kept of a refusal: an agent's is recorded, rejected steering always."""

from goalkeeper.core.decide import record_of_refusal
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import CommandRefused, SteeringRejected
from goalkeeper.core.plan.model import ENGINE, Actor, GoalStatus, Refused
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    HUMAN,
    complete,
    plan_with_first,
    recorded,
    start,
    steer,
    supersede,
)

NO = Refused("because", "It is so.")


def test_the_refusal_of_an_agent_is_recorded_with_the_goal_it_is_about() -> None:
    assert record_of_refusal(complete("G001"), NO, AGENT) == (
        CommandRefused("Checkpoint", "because", "G001"),
    )


def test_the_refusal_of_a_command_without_a_goal_is_recorded_too() -> None:
    assert record_of_refusal(start(), NO, AGENT) == (CommandRefused("StartNext", "because"),)


@for_each("actor", [HUMAN, ENGINE])
def test_the_refusal_of_anybody_else_is_not_recorded(actor: Actor) -> None:
    assert record_of_refusal(complete("G001"), NO, actor) == ()


@for_each("actor", [AGENT, HUMAN, ENGINE])
def test_rejected_steering_is_recorded_whoever_asked(actor: Actor) -> None:
    change = commands.MarkBlockedSuperseded("G001")

    assert record_of_refusal(steer(change), NO, actor) == (
        SteeringRejected(change, "seen", "needed", "because"),
    )


def test_the_record_of_a_refusal_changes_nothing() -> None:
    plan = plan_with_first(GoalStatus.ACTIVE)
    events = (
        *record_of_refusal(complete("G001"), NO, AGENT),
        *record_of_refusal(supersede("G001"), NO, AGENT),
    )

    assert len(events) == 2
    assert recorded(plan, *events) == plan
