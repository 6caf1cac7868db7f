"""The objective of a whole plan is a pointer; those that listed goals are migrated."""

from goalkeeper.core.fold import begin
from goalkeeper.core.plan import commands, objective
from goalkeeper.core.plan.commands import ToolOp
from goalkeeper.core.plan.events import GoalStarted, GoalToolChanged, ObjectiveMigrated, PlanCreated
from goalkeeper.core.plan.model import GoalMode, Plan
from tests.unit.core.helpers import (
    AGENT,
    AT,
    RUN,
    accepted,
    after,
    complete,
    new,
    plan_of,
    recorded,
    refused,
    start,
    steer,
)

LISTED = "Complete G001, G002."
POINTER = objective.point_to_run(RUN)


def legacy_plan() -> Plan:
    goals = (new("one"), new("two"))
    event = PlanCreated(RUN, "b\n", GoalMode.AGGREGATE, LISTED, "c", goals, AGENT.session)
    return begin(event, AT)


def test_the_pointer_names_the_run_and_no_goal() -> None:
    assert f".goalkeeper/runs/{RUN}/goals.json" in POINTER
    assert f".goalkeeper/runs/{RUN}/ledger.jsonl" in POINTER
    assert "G001" not in POINTER


def test_the_first_change_of_a_legacy_plan_records_the_migration_before_itself() -> None:
    assert accepted(legacy_plan(), start()).events == (
        ObjectiveMigrated(LISTED, POINTER),
        GoalStarted("G001"),
    )


def test_the_migration_is_recorded_once_and_keeps_the_old_words_as_an_alias() -> None:
    plan = after(legacy_plan(), start())

    assert (plan.objective, plan.aliases) == (POINTER, (LISTED,))
    assert accepted(plan, steer(commands.AnnotateLedger())).events[0] != ObjectiveMigrated(
        LISTED, POINTER
    )
    assert len(accepted(plan, steer(commands.AnnotateLedger())).events) == 1


def test_a_command_that_changes_nothing_records_no_migration() -> None:
    assert accepted(legacy_plan(), commands.RecordHandoff("")).events == ()


def test_a_refused_command_is_refused_before_and_after_the_migration_alike() -> None:
    before, behind = legacy_plan(), after(legacy_plan(), steer(commands.AnnotateLedger()))

    assert refused(before, complete("G001")) == refused(behind, complete("G001"))


def test_a_reader_sees_the_pointer_before_anything_was_recorded() -> None:
    seen = objective.migrate_objective(legacy_plan())

    assert (seen.objective, seen.aliases) == (POINTER, (LISTED,))
    assert objective.migrate_objective(seen) == seen


def test_the_migration_does_not_count_as_a_change_of_the_plan() -> None:
    assert recorded(legacy_plan(), ObjectiveMigrated(LISTED, POINTER)).revision == 0


def test_the_goal_tool_of_a_legacy_plan_takes_the_pointer() -> None:
    create = commands.ChangeGoalTool(ToolOp.CREATE)

    events = accepted(legacy_plan(), create).events

    assert [e.objective for e in events if isinstance(e, GoalToolChanged)] == [POINTER]


def test_an_alias_still_speaks_of_the_plan() -> None:
    plan = after(legacy_plan(), start())

    assert objective.belongs_to(plan, LISTED)
    assert objective.belongs_to(plan, POINTER)
    assert not objective.belongs_to(plan, "Write a poem.")


def test_a_per_story_plan_is_never_legacy() -> None:
    plan = plan_of("one", mode=GoalMode.PER_STORY)

    assert objective.migrate_objective(plan) == plan
    assert accepted(plan, start()).events == (GoalStarted("G001"),)


def test_what_the_tool_should_hold_is_the_pointer_or_the_active_story() -> None:
    story = plan_of("one", "two", mode=GoalMode.PER_STORY)

    assert objective.expected_objective(plan_of("one")) == POINTER
    assert objective.expected_objective(story) == ""
    assert objective.expected_objective(after(story, start())) == "objective of one"
