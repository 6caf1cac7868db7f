"""May an agent pause the run, or ask the user?"""

from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import AddSubgoal, AnnotateLedger, ToolOp
from goalkeeper.core.plan.events import CommandRefused, GoalCompleted, SteeringRejected, Unknown
from goalkeeper.core.plan.guards import Interruption, refuse_interruption
from goalkeeper.core.plan.model import Classification, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    HUMAN,
    after,
    blocked,
    failed,
    new,
    plan_of,
    recorded,
    refused,
    review,
    start,
    steer,
)

HUMAN_BLOCKED = commands.ClassifyBlocker(Classification.HUMAN_BLOCKED, "a key is missing")
RESOLVABLE = commands.ClassifyBlocker(Classification.RESOLVABLE, "a test is red")


def in_work() -> Plan:
    return after(plan_of("one", "two"), start())


def why_not(plan: Plan | None, action: Interruption) -> str:
    refusal = refuse_interruption(plan, action)
    return refusal.reason if refusal else ""


def test_scenario_74_a_run_without_a_classified_blocker_is_not_paused() -> None:
    assert why_not(in_work(), Interruption.PAUSE) == "blocker-not-classified"


def test_scenario_74_a_run_with_a_resolvable_blocker_is_not_paused() -> None:
    assert why_not(after(in_work(), RESOLVABLE), Interruption.PAUSE) == "blocker-resolvable"


def test_scenario_74_a_run_that_waits_for_a_human_is_paused() -> None:
    assert why_not(after(in_work(), HUMAN_BLOCKED), Interruption.PAUSE) == ""


@for_each(
    ("first", "second", "reason"),
    [(HUMAN_BLOCKED, RESOLVABLE, "blocker-resolvable"), (RESOLVABLE, HUMAN_BLOCKED, "")],
)
def test_scenario_74_the_latest_classification_counts(
    first: commands.Command, second: commands.Command, reason: str
) -> None:
    assert why_not(after(in_work(), first, second), Interruption.PAUSE) == reason


@for_each(
    "command",
    [
        blocked("G001"),
        failed("G001"),
        review("G001"),
        steer(AddSubgoal(new("more"))),
        steer(commands.RevisePendingWording("G002", "New")),
        steer(commands.SplitSubgoal("G002", (new("a"), new("b")))),
        steer(commands.ReorderPending(("G002",))),
    ],
)
def test_scenario_74_a_change_of_the_plan_makes_the_classification_stale(
    command: commands.Command,
) -> None:
    plan = after(in_work(), HUMAN_BLOCKED, command)

    assert why_not(plan, Interruption.PAUSE) == "classification-stale"


def test_a_stale_classification_can_be_renewed() -> None:
    plan = after(in_work(), HUMAN_BLOCKED, blocked("G001"), HUMAN_BLOCKED)

    assert why_not(plan, Interruption.PAUSE) == ""


@for_each(
    "command",
    [steer(AnnotateLedger()), commands.ChangeGoalTool(ToolOp.CREATE), start()],
    ids=["annotation", "goal tool", "repeated start"],
)
def test_what_leaves_the_plan_alone_leaves_the_classification_fresh(
    command: commands.Command,
) -> None:
    assert why_not(after(in_work(), HUMAN_BLOCKED, command), Interruption.PAUSE) == ""


def test_refusals_and_unknown_events_leave_the_classification_fresh() -> None:
    plan = recorded(
        after(in_work(), HUMAN_BLOCKED),
        CommandRefused("Checkpoint", "not-proven", "G001"),
        SteeringRejected(AnnotateLedger(), "", "", "missing-evidence"),
        Unknown("nudge", {"goal_id": "G001"}),
    )

    assert why_not(plan, Interruption.PAUSE) == ""


def test_a_refusal_to_pause_names_the_command_that_would_help() -> None:
    refusal = refuse_interruption(in_work(), Interruption.PAUSE)

    assert refusal is not None
    assert refusal.hint.startswith("goalkeeper classify-blocker --classification human_blocked ")


def test_scenario_78_questions_are_closed_while_a_run_is_active() -> None:
    refusal = refuse_interruption(in_work(), Interruption.ASK)

    assert refusal is not None
    assert refusal.reason == "questions-closed"
    assert refusal.hint.startswith("goalkeeper record-review-blockers ")


def test_scenario_78_questions_stay_closed_while_anything_is_open() -> None:
    plan = recorded(in_work(), GoalCompleted("G001", "it works"))
    plan = after(plan, start(), blocked("G002"), HUMAN_BLOCKED)

    assert why_not(plan, Interruption.ASK) == "questions-closed"


@for_each("action", list(Interruption))
def test_scenario_78_an_absent_run_guards_nothing(action: Interruption) -> None:
    assert why_not(None, action) == ""


@for_each("action", list(Interruption))
def test_scenario_78_a_complete_run_guards_nothing(action: Interruption) -> None:
    done = (GoalCompleted("G001", "it works"), GoalCompleted("G002", "it works"))

    assert why_not(recorded(in_work(), *done), action) == ""


@for_each("action", list(Interruption))
def test_a_closed_run_guards_nothing(action: Interruption) -> None:
    assert why_not(after(in_work(), commands.CloseRun("enough")), action) == ""


def test_a_run_handed_off_for_clarification_lets_questions_through_until_it_goes_on() -> None:
    plan = after(in_work(), commands.RecordHandoff("clarification"), actor=HUMAN)

    assert why_not(plan, Interruption.ASK) == ""
    assert why_not(after(plan, start()), Interruption.ASK) == "questions-closed"


def test_an_agent_opens_questions_only_for_what_it_classified_as_a_humans() -> None:
    asks, plans = commands.RecordHandoff("clarification"), commands.RecordHandoff("planning")

    assert refused(in_work(), asks).reason == "blocker-not-classified"
    assert why_not(after(in_work(), plans), Interruption.ASK) == "questions-closed"
    assert why_not(after(in_work(), HUMAN_BLOCKED, asks), Interruption.ASK) == ""
