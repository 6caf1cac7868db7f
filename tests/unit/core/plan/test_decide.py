"""The life of a goal and of its run."""

from collections.abc import Callable

from goalkeeper.core.decide import create
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import GoalSnapshot, ToolOp
from goalkeeper.core.plan.events import (
    GoalCheckpointed,
    GoalStarted,
    GoalUnblocked,
    HandoffRecorded,
    PlanCreated,
    StateCleared,
)
from goalkeeper.core.plan.graph import NextAction, next_action
from goalkeeper.core.plan.model import (
    ENGINE,
    Actor,
    Classification,
    GoalMode,
    GoalStatus,
)
from goalkeeper.core.plan.objective import point_to_run
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    AT,
    HUMAN,
    RUN,
    accepted,
    after,
    blocked,
    complete,
    failed,
    goal_of,
    new,
    plan_of,
    plan_with_first,
    recorded,
    refused,
    review,
    split,
    start,
    statuses,
)

Ending = Callable[..., commands.Checkpoint]

RETRY = commands.StartNext(retry_failed=True)
HUMAN_BLOCKED = commands.ClassifyBlocker(Classification.HUMAN_BLOCKED, "a key is missing", "G001")


def test_a_plan_is_created_with_a_pointer_as_its_objective() -> None:
    command = commands.CreatePlan(RUN, "b\n", GoalMode.AGGREGATE, "c", (new("a"), new("b")))

    assert create(command, AGENT) == PlanCreated(
        RUN,
        "b\n",
        GoalMode.AGGREGATE,
        point_to_run(RUN),
        "c",
        (new("a"), new("b")),
        AGENT.session,
        author="agent",
    )


def test_a_per_story_plan_has_no_objective_of_its_own() -> None:
    assert plan_of("a", mode=GoalMode.PER_STORY).objective == ""


def test_scenario_17_the_first_pending_goal_is_started_once() -> None:
    plan = plan_of("one", "two")

    first = accepted(plan, start())
    again = accepted(recorded(plan, *first.events), start())

    assert (first.events, first.goal_ids) == ((GoalStarted("G001"),), ("G001",))
    assert (again.events, again.goal_ids) == ((), ("G001",))


def test_a_goal_is_started_only_when_what_it_depends_on_is_complete() -> None:
    plan = plan_of(new("one", "G002"), "two")

    assert accepted(plan, start()).goal_ids == ("G002",)


def test_a_started_goal_counts_its_attempts() -> None:
    plan = after(plan_of("one"), start(), failed("G001"), RETRY)

    goal = goal_of(plan, "G001")
    assert (goal.attempts, goal.started_at) == (2, AT)


def test_scenario_18_a_blocked_goal_is_not_started_and_blocks_completion() -> None:
    plan = after(plan_of("one"), start(), blocked("G001"))

    assert accepted(plan, start()).goal_ids == ()
    assert next_action(plan, AT) is NextAction.RESOLVE_BLOCKERS
    assert not plan.is_complete


def test_scenario_19_a_failed_goal_is_started_only_when_a_retry_is_asked_for() -> None:
    plan = after(plan_of("one"), start(), failed("G001"))

    assert next_action(plan, AT) is NextAction.RETRY_FAILED
    assert accepted(plan, start()).events == ()
    assert accepted(plan, RETRY).events == (GoalStarted("G001"),)


def test_a_retry_comes_after_the_pending_goals() -> None:
    plan = after(plan_of("one", "two"), start(), failed("G001"))

    assert accepted(plan, RETRY).goal_ids == ("G002",)


@for_each(("command", "status"), [(failed, "failed"), (blocked, "blocked")])
def test_an_active_goal_is_set_down_with_its_evidence(command: Ending, status: str) -> None:
    plan = after(plan_of("one"), start())

    decision = accepted(plan, command("G001", "what happened"))

    asked = commands.CheckpointStatus(status)
    assert decision.events == (GoalCheckpointed("G001", asked, "what happened"),)
    goal = goal_of(recorded(plan, *decision.events), "G001")
    assert (str(goal.status), goal.evidence) == (status, "what happened")


@for_each("command", [failed, blocked])
def test_scenario_24_an_identical_checkpoint_is_recorded_once(command: Ending) -> None:
    plan = after(plan_of("one"), start(), command("G001", "same"))

    decision = accepted(plan, command("G001", "same"))

    assert (decision.events, decision.goal_ids) == ((), ("G001",))


def test_a_completion_repeated_with_its_evidence_is_a_no_op() -> None:
    plan = plan_with_first(GoalStatus.COMPLETE)

    assert accepted(plan, complete("G001", "it works")).events == ()


@for_each("command", [failed, blocked])
def test_a_checkpoint_with_other_evidence_is_no_repeat(command: Ending) -> None:
    plan = after(plan_of("one"), start(), command("G001", "one thing"))

    assert refused(plan, command("G001", "another")).reason == "transition-not-allowed"


def test_scenario_22_completion_is_refused_for_want_of_a_contract() -> None:
    refusal = refused(plan_with_first(GoalStatus.ACTIVE), complete("G001"))

    assert refusal.reason == "contract-missing"
    assert refusal.facts == {"goal_id": "G001"}


@for_each("status", [s for s in GoalStatus if s is not GoalStatus.ACTIVE])
def test_scenario_21_completion_is_refused_from_every_status_but_active(status: GoalStatus) -> None:
    plan = plan_with_first(status)
    assert goal_of(plan, "G001").status is status

    assert refused(plan, complete("G001", "other")).reason == "transition-not-allowed"


def test_a_checkpoint_of_an_unknown_goal_is_refused() -> None:
    refusal = refused(plan_of("one", "two"), failed("G009"))

    assert refusal.reason == "unknown-goal"
    assert refusal.facts == {"goal_id": "G009"}


def test_a_checkpoint_with_a_goal_state_that_differs_from_ours_is_refused() -> None:
    plan = after(plan_of("one"), start(), commands.ChangeGoalTool(ToolOp.CREATE))
    agreeing = failed("G001").replace(snapshot=GoalSnapshot(point_to_run(RUN), "active"))
    differing = failed("G001").replace(snapshot=GoalSnapshot(point_to_run(RUN), "complete"))

    assert refused(plan, differing).reason == "goal-state-mismatch"
    assert accepted(plan, agreeing).events


def test_a_blocked_goal_is_unblocked_with_evidence() -> None:
    plan = plan_with_first(GoalStatus.BLOCKED)

    decision = accepted(plan, commands.Unblock("G001", "the key came"))

    assert decision.events == (GoalUnblocked("G001", "the key came"),)
    assert statuses(recorded(plan, *decision.events))["G001"] == "active"


def test_a_goal_that_is_unblocked_waits_while_another_one_is_active() -> None:
    plan = after(plan_with_first(GoalStatus.BLOCKED), start())

    plan = after(plan, commands.Unblock("G001", "the key came"))

    assert len(plan.with_status(GoalStatus.ACTIVE)) == 1
    assert statuses(plan)["G001"] == "pending"
    assert statuses(after(plan, failed("G002"), start()))["G001"] == "active"


@for_each("status", [s for s in GoalStatus if s is not GoalStatus.BLOCKED])
def test_only_a_blocked_goal_is_unblocked(status: GoalStatus) -> None:
    plan = plan_with_first(status)

    assert refused(plan, commands.Unblock("G001", "x"), HUMAN).reason == "goal-not-blocked"


@for_each("actor", [AGENT, ENGINE])
def test_what_waits_for_a_human_is_unblocked_by_a_human_only(actor: Actor) -> None:
    plan = after(plan_with_first(GoalStatus.BLOCKED), HUMAN_BLOCKED)

    assert refused(plan, commands.Unblock("G001", "done"), actor).reason == "human-only"
    assert accepted(plan, commands.Unblock("G001", "done"), HUMAN).events


def test_what_a_human_released_is_no_longer_theirs_alone() -> None:
    plan = after(plan_with_first(GoalStatus.BLOCKED), HUMAN_BLOCKED)
    plan = after(plan, commands.Unblock("G001", "done"), actor=HUMAN)

    again = after(plan, blocked("G001", "something else"))

    assert accepted(again, commands.Unblock("G001", "found it")).events


def test_a_classification_of_an_unknown_goal_is_refused() -> None:
    command = commands.ClassifyBlocker(Classification.RESOLVABLE, "why", "G009")

    assert refused(plan_of("one"), command).reason == "unknown-goal"


@for_each(
    "command",
    [
        start(),
        failed("G001"),
        split("G002"),
        review("G001"),
        commands.ChangeGoalTool(ToolOp.CREATE),
        commands.RecordHandoff("planning"),
        commands.CloseRun("again"),
    ],
)
def test_a_closed_run_refuses_everything(command: commands.Command) -> None:
    plan = after(plan_with_first(GoalStatus.ACTIVE), commands.CloseRun("enough"))

    assert refused(plan, command, HUMAN).reason == "run-closed"


def test_closing_a_run_keeps_the_reason_and_ends_it() -> None:
    plan = plan_of("one")

    assert accepted(plan, commands.CloseRun("enough")).events == (StateCleared("enough"),)
    assert not after(plan, commands.CloseRun("enough")).is_live


def test_a_handoff_is_recorded_once_and_ends_when_work_goes_on() -> None:
    plan = after(plan_with_first(GoalStatus.ACTIVE), commands.RecordHandoff("planning"))

    assert plan.handoff == "planning"
    assert accepted(plan, commands.RecordHandoff("planning")).events == ()
    assert accepted(plan, start()).events == (HandoffRecorded(""),)
    assert after(plan, start()).handoff == ""


def test_a_handoff_ends_also_when_a_new_goal_is_started() -> None:
    plan = after(plan_of("one"), commands.RecordHandoff("clarification"), actor=HUMAN)

    assert after(plan, start()).handoff == ""
