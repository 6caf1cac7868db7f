"""Ways round the rules that somebody found once."""

from goalkeeper.core import codec
from goalkeeper.core.decide import record_of_refusal
from goalkeeper.core.fold import REMEMBERED_STEERS
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.actors import session_of
from goalkeeper.core.plan.brief import GOALS_LIMIT, Brief, parse_brief
from goalkeeper.core.plan.commands import ChangeGoalTool, ClassifyBlocker, GoalSnapshot, ToolOp
from goalkeeper.core.plan.events import GoalCompleted
from goalkeeper.core.plan.goal_tool import reconcile
from goalkeeper.core.plan.graph import is_satisfied
from goalkeeper.core.plan.model import Classification, GoalMode, GoalStatus, NewGoal
from goalkeeper.core.problems import Problem
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    HUMAN,
    accepted,
    after,
    blocked,
    goal_of,
    plan_of,
    recorded,
    refused,
    review,
    split,
    start,
    statuses,
    steer,
    supersede,
)

HUMAN_BLOCKED = ClassifyBlocker(Classification.HUMAN_BLOCKED, "a password", "G001")
RESOLVABLE = ClassifyBlocker(Classification.RESOLVABLE, "never mind", "G001")


@for_each("tag", ["!!bool x", "!!int ''", "!!float ''", "!!timestamp x"])
def test_yaml_tags_that_do_not_fit_are_problems_and_not_crashes(tag: str) -> None:
    parsed = parse_brief(f"@goal: a\n```contract\na: {tag}\n```\n")

    assert isinstance(parsed, tuple)
    assert parsed[0].where == "line 3"


def test_a_contract_outside_of_every_goal_is_a_problem() -> None:
    parsed = parse_brief("intro\n```contract\na: 1\n```\n@goal: a\n")

    assert parsed == (Problem("line 2", "a contract belongs to a goal; this one has none"),)


def test_a_bad_dependency_is_named_with_its_own_line() -> None:
    parsed = parse_brief("@goal: a\n```contract\nmay_change: []\ndepends_on: G001\n```\n")

    assert isinstance(parsed, tuple)
    assert parsed[0].where == "line 4"


def test_two_cycles_are_two_problems() -> None:
    blocks = [
        f"@goal: {n}\n```contract\ndepends_on: [{other}]\n```"
        for n, other in enumerate(["G002", "G001", "G004", "G003"])
    ]

    parsed = parse_brief("\n".join(blocks))

    assert isinstance(parsed, tuple)
    assert [p.message for p in parsed] == [
        "a cycle: G001 → G002 → G001",
        "a cycle: G003 → G004 → G003",
    ]


def test_a_lone_carriage_return_at_the_end_makes_no_delimiter() -> None:
    parsed = parse_brief("@goal: A\nbody\n@goal: B\r")

    assert isinstance(parsed, Brief)
    assert len(parsed.goals) == 1


def test_an_agent_cannot_talk_a_human_blocker_away() -> None:
    plan = after(plan_of("one", "two"), start(), blocked("G001"), HUMAN_BLOCKED)

    assert refused(plan, RESOLVABLE, AGENT).reason == "human-only"
    assert goal_of(after(plan, RESOLVABLE, actor=HUMAN), "G001").classification == "resolvable"


def test_a_blocker_classified_without_a_goal_is_about_the_one_in_trouble() -> None:
    unnamed = ClassifyBlocker(Classification.HUMAN_BLOCKED, "a password")
    plan = after(plan_of("one", "two"), start(), blocked("G001"), unnamed)

    assert refused(plan, commands.Unblock("G001", "guessed it"), AGENT).reason == "human-only"


def test_handing_a_run_off_does_not_open_the_pause() -> None:
    hold = ChangeGoalTool(ToolOp.CREATE)
    plan = after(plan_of("one"), hold, commands.RecordHandoff("clarification"), actor=HUMAN)

    assert refused(plan, ChangeGoalTool(ToolOp.PAUSE)).reason == "blocker-not-classified"


def test_a_blocker_without_evidence_opens_no_pause() -> None:
    silent = ClassifyBlocker(Classification.HUMAN_BLOCKED, " ")
    plan = after(plan_of("one"), start(), ChangeGoalTool(ToolOp.CREATE), silent)

    assert refused(plan, ChangeGoalTool(ToolOp.PAUSE)).reason == "blocker-not-classified"


@for_each("objective", ["objective of two", ""])
def test_per_story_the_goal_of_a_client_must_be_the_very_one(objective: str) -> None:
    plan = plan_of("one", "two", mode=GoalMode.PER_STORY)
    plan = after(plan, start(), ChangeGoalTool(ToolOp.CREATE))

    assert reconcile(plan, GoalSnapshot("objective of one", "active")) is None
    assert reconcile(plan, GoalSnapshot(objective, "active")) is not None


def test_a_split_does_not_shed_the_contract() -> None:
    plan = plan_of(NewGoal("One", "do one", (), "criteria: []"), "two")

    plan = after(plan, split("G001", "a", "b"))

    assert goal_of(plan, "G004").contract == "criteria: []"


def test_a_repeat_is_a_repeat_also_when_the_first_opened_another_goal() -> None:
    plan = after(plan_of("one", "two"), start(), review("G001"), start(), blocked("G003"))
    plan = after(plan, supersede("G003"))

    assert statuses(plan)["G001"] == "active"
    assert accepted(plan, supersede("G003")).events == ()


def test_blockers_are_worked_in_the_order_they_were_found() -> None:
    plan = after(plan_of("one"), start(), review("G001", "first"), review("G001", "second"))

    assert [goal.id for goal in plan.goals] == ["G001", "G002", "G003"]


def test_a_goal_cannot_be_reworded_into_nothing() -> None:
    change = commands.RevisePendingWording("G001", "A title", "   ")

    assert refused(plan_of("one"), steer(change)).reason == "nothing-to-revise"


def test_nothing_pending_is_nothing_to_reorder() -> None:
    plan = after(plan_of("one"), start())

    assert refused(plan, steer(commands.ReorderPending(()))).reason == "order-not-pending"


def test_every_recorded_rejection_can_be_read_back() -> None:
    command = steer(commands.SplitSubgoal("", ()), evidence="")
    (event,) = record_of_refusal(command, refused(plan_of("one"), command), AGENT)

    assert codec.decode_event(*codec.encode_event(event)) == event


def test_a_run_closed_without_a_reason_is_closed() -> None:
    plan = plan_of("one")

    plan = recorded(plan, *accepted(plan, commands.CloseRun("")).events)

    assert not plan.is_live


def test_the_plan_does_not_grow_with_the_number_of_notes() -> None:
    notes = [
        steer(commands.AnnotateLedger(), evidence=f"note {number}", key=f"k{number}")
        for number in range(REMEMBERED_STEERS + 20)
    ]

    plan = after(plan_of("one"), *notes)

    assert len(plan.steering_keys) == REMEMBERED_STEERS
    assert accepted(plan, notes[-1]).events == ()


def test_a_brief_of_too_many_goals_is_a_problem_and_not_a_wait() -> None:
    parsed = parse_brief("@goal: a\n" * (GOALS_LIMIT + 1))

    assert parsed == (Problem("brief", "it has 1001 goals; at most 1000 make a plan"),)


def test_a_goal_split_a_thousand_times_still_has_a_status() -> None:
    plan = plan_of(NewGoal("One", "do one"), NewGoal("Two", "do two", ("G001",)))
    splits = 1100
    goals = [
        plan.goals[0].replace(
            id=f"S{n}", status=GoalStatus.SUPERSEDED, superseded_by=(f"S{n + 1}",)
        )
        for n in range(splits)
    ]
    goals.append(plan.goals[0].replace(id=f"S{splits}", status=GoalStatus.COMPLETE))

    assert is_satisfied(plan.replace(goals=tuple(goals)), "S0")


def test_a_session_id_that_is_not_text_is_still_a_session() -> None:
    assert session_of({"GOALKEEPER_SESSION": "\udcff"}) == "GOALKEEPER_SESSION=\\udcff"


def test_evidence_of_invisible_characters_is_no_evidence() -> None:
    note = steer(commands.AnnotateLedger(), evidence="\u200b\u2060", rationale="\t")

    assert refused(plan_of("one"), note).reason == "missing-evidence-and-rationale"


def test_the_same_classification_twice_is_one_event() -> None:
    plan = after(plan_of("one", "two"), start(), blocked("G001"), HUMAN_BLOCKED)

    assert accepted(plan, HUMAN_BLOCKED).events == ()


def test_an_agent_does_not_let_go_of_what_the_brief_gave_a_contract() -> None:
    plan = plan_of(NewGoal("One", "do one", (), "criteria: []"))
    plan = after(plan, split("G001", "a", "b"), start())
    plan = recorded(plan, GoalCompleted("G002", "easy"))
    plan = after(plan, start(), blocked("G003"))

    assert refused(plan, supersede("G003")).reason == "contract-of-the-brief"
    assert accepted(plan, supersede("G003"), HUMAN).events
