"""The goal tool: none, active, paused, complete, dropped."""

from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import ChangeGoalTool, GoalSnapshot, ToolOp
from goalkeeper.core.plan.events import (
    GoalCompleted,
    GoalReopened,
    GoalToolChanged,
    ObjectiveMigrated,
    ReceiptIssued,
)
from goalkeeper.core.plan.goal_tool import reconcile
from goalkeeper.core.plan.model import (
    Classification,
    GoalMode,
    Plan,
    ToolStatus,
)
from goalkeeper.core.plan.objective import point_to_run
from tests.tables import for_each
from tests.unit.core.helpers import (
    RUN,
    accepted,
    after,
    complete,
    plan_of,
    recorded,
    refused,
    split,
    start,
)

ERRAND = "Write a letter."  # a goal that has nothing to do with the plan
CREATE = ChangeGoalTool(ToolOp.CREATE)
POINTER = point_to_run(RUN)
FINAL = ReceiptIssued("final", "", "digest", "tree")

# What becomes of an errand in each status: the status it gets, `same` where nothing is
# recorded, or why it is refused (`held`: goal-paused, `wrong`: goal-tool-state).
TABLE = """
          create  complete  drop     pause   resume
none      active  wrong     same     wrong   wrong
active    same    proof     dropped  paused  same
paused    held    wrong     dropped  same    active
complete  active  same      same     wrong   wrong
dropped   active  wrong     same     wrong   wrong
"""
REASONS = {"held": "goal-paused", "wrong": "goal-tool-state", "proof": "not-this-plan"}
OPS, *ROWS = [line.split() for line in TABLE.strip().splitlines()]
CASES = [(row[0], op, end) for row in ROWS for op, end in zip(OPS, row[1:], strict=True)]


def holding(status: str, objective: str = ERRAND) -> Plan:
    plan = plan_of("one")
    if status == "none":
        return plan
    return recorded(plan, GoalToolChanged(ToolStatus(status), objective))


def asked(op: str, objective: str = "") -> ChangeGoalTool:
    return ChangeGoalTool(ToolOp(op), objective)


def test_the_states_and_operations_are_those_of_the_specification() -> None:
    assert {row[0] for row in ROWS} == set(ToolStatus)
    assert set(OPS) == set(ToolOp)


@for_each(("status", "op", "end"), [case for case in CASES if case[2] in set(ToolStatus)])
def test_an_operation_that_fits_the_state_changes_it(status: str, op: str, end: str) -> None:
    plan = holding(status)

    decision = accepted(plan, asked(op, ERRAND))

    assert decision.events == (GoalToolChanged(ToolStatus(end), ERRAND),)
    assert recorded(plan, *decision.events).tool.status == end


@for_each(("status", "op", "end"), [case for case in CASES if case[2] == "same"])
def test_an_operation_that_is_done_already_records_nothing(status: str, op: str, end: str) -> None:
    assert accepted(holding(status), asked(op, ERRAND)).events == ()


@for_each(("status", "op", "end"), [case for case in CASES if case[2] in REASONS])
def test_an_operation_that_does_not_fit_the_state_is_refused(
    status: str, op: str, end: str
) -> None:
    assert refused(holding(status), asked(op, ERRAND)).reason == REASONS[end]


@for_each("status", ["active", "paused"])
def test_create_is_refused_while_a_different_goal_is_held(status: str) -> None:
    refusal = refused(holding(status), asked("create", "Something else."))

    assert (refusal.reason, refusal.facts) == ("goal-already-held", {"held": ERRAND})


def test_create_without_words_takes_the_pointer_to_the_plan() -> None:
    assert accepted(plan_of("one"), CREATE).events == (GoalToolChanged(ToolStatus.ACTIVE, POINTER),)


def test_create_in_a_per_story_plan_takes_the_active_story() -> None:
    plan = plan_of("one", "two", mode=GoalMode.PER_STORY)

    assert refused(plan, CREATE).reason == "no-active-goal"
    assert accepted(after(plan, start()), CREATE).events == (
        GoalToolChanged(ToolStatus.ACTIVE, "objective of one"),
    )


def test_scenario_76_drop_is_always_open_and_leaves_the_tool_armed() -> None:
    plan = after(plan_of("one"), CREATE, asked("drop"))

    assert plan.tool.status is ToolStatus.DROPPED
    assert after(plan, CREATE).tool.status is ToolStatus.ACTIVE


def test_the_goal_of_the_plan_is_not_completed_before_every_goal_went_through_the_gate() -> None:
    plan = after(plan_of("one", "two", "three"), start(), CREATE)
    plan = recorded(plan, GoalCompleted("G001", "it works"))

    refusal = refused(plan, asked("complete"))

    assert (refusal.reason, refusal.hint) == ("plan-not-complete", "goalkeeper status")
    assert refusal.facts == {"open": ["G002", "G003"]}
    assert "G002, G003" in refusal.message


def test_a_refusal_names_the_first_open_goals_and_counts_the_others() -> None:
    plan = after(plan_of(*"abcdefg"), CREATE)

    refusal = refused(plan, asked("complete"))

    assert "G001, G002, G003, G004, G005 and 2 more" in refusal.message
    assert refusal.facts == {"open": [f"G00{n}" for n in range(1, 8)]}


def test_the_goal_of_the_plan_completes_with_the_plan() -> None:
    plan = after(plan_of("one", "two"), start(), CREATE, split("G002", "a", "b"))
    done = (GoalCompleted(name, "it works") for name in ("G001", "G003", "G004"))
    plan = recorded(plan, *done)

    assert plan.is_complete
    assert refused(plan, asked("complete")).reason == "no-final-receipt"
    certified = recorded(plan, FINAL)
    assert after(certified, asked("complete")).tool.status is ToolStatus.COMPLETE
    assert refused(recorded(certified, GoalReopened("G001", "")), asked("complete")).facts == {
        "open": ["G001"]
    }


def test_the_goal_of_a_story_is_not_completed_before_the_story() -> None:
    plan = after(plan_of("one", "two", mode=GoalMode.PER_STORY), start(), CREATE)

    refusal = refused(plan, asked("complete"))

    assert (refusal.reason, refusal.hint) == ("goal-not-complete", "goalkeeper status")
    assert refusal.facts == {"open": ["G001"]}


def test_the_goal_of_a_story_completes_with_the_story_though_others_are_open() -> None:
    plan = after(plan_of("one", "two", mode=GoalMode.PER_STORY), start(), CREATE)
    plan = recorded(plan, GoalCompleted("G001", "it works"))

    assert accepted(plan, asked("complete")).events == (
        GoalToolChanged(ToolStatus.COMPLETE, "objective of one"),
    )


def test_stories_of_the_same_words_complete_together() -> None:
    plan = after(plan_of("one", "one", mode=GoalMode.PER_STORY), start(), CREATE)
    plan = recorded(plan, GoalCompleted("G001", "it works"))

    assert refused(plan, asked("complete")).facts == {"open": ["G002"]}


def test_a_story_that_was_superseded_is_not_complete() -> None:
    plan = plan_of("one", "two", mode=GoalMode.PER_STORY)
    plan = after(plan, asked("create", "objective of two"), split("G002"))

    assert refused(plan, asked("complete")).facts == {"open": ["G002"]}


def test_an_errand_does_not_complete_even_when_the_plan_has() -> None:
    plan = recorded(holding("active"), GoalCompleted("G001", "it works"))

    refusal = refused(plan, asked("complete"))

    assert (refusal.reason, refusal.facts) == ("not-this-plan", {"held": ERRAND})


def test_a_goal_held_under_an_alias_of_the_plan_completes_with_the_plan_only() -> None:
    plan = recorded(plan_of("one"), ObjectiveMigrated("Complete G001.", POINTER))
    plan = after(plan, asked("create", "Complete G001."))

    assert refused(plan, asked("complete")).reason == "plan-not-complete"
    assert accepted(
        recorded(plan, GoalCompleted("G001", "it works"), FINAL), asked("complete")
    ).events


def test_the_goal_of_the_plan_is_paused_only_for_a_human() -> None:
    plan = after(plan_of("one"), start(), CREATE)

    assert refused(plan, asked("pause")).reason == "blocker-not-classified"

    classify = commands.ClassifyBlocker(Classification.HUMAN_BLOCKED, "a key is missing")
    paused = after(plan, classify, asked("pause"))
    assert paused.tool.status is ToolStatus.PAUSED
    assert after(paused, asked("resume")).tool.status is ToolStatus.ACTIVE


def test_what_a_client_says_must_agree_in_status() -> None:
    plan = holding("active", POINTER)

    assert reconcile(plan, GoalSnapshot(POINTER, "active")) is None
    refusal = reconcile(plan, GoalSnapshot(POINTER, "paused"))
    assert refusal is not None
    assert refusal.reason == "goal-state-mismatch"


@for_each("said", ["", ERRAND, "G001"])
def test_what_a_client_says_must_agree_in_words(said: str) -> None:
    refusal = reconcile(holding("active", POINTER), GoalSnapshot(said, "active"))

    assert refusal is not None
    assert refusal.facts["given"] == {"objective": said, "status": "active"}


@for_each("status", ["none", "dropped"])
def test_a_client_that_holds_the_goal_by_itself_or_none_agrees(status: str) -> None:
    plan = holding(status, POINTER)

    assert reconcile(plan, GoalSnapshot(POINTER, "active")) is None
    assert reconcile(plan, GoalSnapshot("", "none")) is None
    assert reconcile(plan, GoalSnapshot(ERRAND, "active")) is not None
    assert reconcile(plan, GoalSnapshot(POINTER, "complete")) is not None


def test_a_goal_that_is_over_and_in_the_way_is_shown_by_who_is_blocked() -> None:
    plan, old = holding("active", POINTER), GoalSnapshot(ERRAND, "complete")

    assert reconcile(plan, old, is_blocked=True) is None
    assert reconcile(plan, old) is not None
    assert reconcile(plan, GoalSnapshot(POINTER, "complete"), is_blocked=True) is not None


def test_a_story_does_not_complete_while_the_tool_holds_another() -> None:
    plan = after(plan_of("one", "two", mode=GoalMode.PER_STORY), start(), CREATE)
    plan = after(recorded(plan, GoalCompleted("G001", "done")), start())
    done = complete("G002")

    told = refused(plan, done)
    assert (told.reason, told.facts["held"]) == ("goal-of-another-story", "G001")
    assert told.hint == "goalkeeper goal complete, then goalkeeper goal create"
    assert refused(after(plan, asked("complete"), CREATE), done).reason != told.reason


def test_an_alias_of_the_plan_agrees_with_its_pointer() -> None:
    plan = recorded(holding("active", POINTER), ObjectiveMigrated("Complete G001.", POINTER))

    assert reconcile(plan, GoalSnapshot("Complete G001.", "active")) is None
