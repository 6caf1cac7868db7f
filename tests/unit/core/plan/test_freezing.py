"""Contracts are frozen by anyone, amended by humans only, and swapped by nobody."""

import json

from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.decide import record_of_refusal
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import AmendContract, FreezeContract
from goalkeeper.core.plan.events import CommandRefused, ContractAmended, ContractFrozen
from goalkeeper.core.plan.model import ENGINE, Actor, Base, Frozen, GoalStatus, NewGoal, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    FROZEN,
    HUMAN,
    TWO_CRITERIA,
    accepted,
    after,
    contract_of,
    frozen_of,
    frozen_plan,
    goal_of,
    judged,
    judgement_of,
    plan_of,
    plan_with_first,
    recorded,
    refused,
)

FREEZE = FreezeContract("G001", FROZEN)
OTHER = frozen_of(contract_of(C1="one", C2="more", C3="three"))
AMEND = AmendContract("G001", OTHER, "it asked for the wrong thing")


def briefed(contract: str = TWO_CRITERIA) -> Plan:
    return plan_of(NewGoal("One", "do one", (), contract), "two")


@for_each("actor", [AGENT, HUMAN, ENGINE])
def test_anybody_freezes_a_contract_where_there_is_none(actor: Actor) -> None:
    plan = plan_of("one")

    decision = accepted(plan, FREEZE, actor)

    kept = FROZEN.replace(author=str(actor.kind))
    assert (decision.events, decision.goal_ids) == ((ContractFrozen("G001", kept),), ("G001",))
    goal = goal_of(recorded(plan, *decision.events), "G001")
    assert goal.frozen == kept
    assert goal.criteria == (CriterionState("C1"), CriterionState("C2"))


@for_each("actor", [AGENT, HUMAN])
def test_the_contract_of_the_brief_is_frozen_as_the_briefs(actor: Actor) -> None:
    (event,) = accepted(briefed(), FREEZE, actor).events

    assert event == ContractFrozen("G001", FROZEN.replace(author="brief"))


def test_the_contract_of_the_brief_is_the_same_in_other_words() -> None:
    reordered = json.dumps({"outcomes": [], "criteria": json.loads(FROZEN.contract)["criteria"]})

    (event,) = accepted(briefed(reordered), FREEZE).events

    assert event == ContractFrozen("G001", FROZEN.replace(author="brief"))


@for_each("actor", [HUMAN, ENGINE])
def test_others_than_an_agent_may_freeze_another_contract_than_the_briefs(actor: Actor) -> None:
    (event,) = accepted(briefed(), FreezeContract("G001", OTHER), actor).events

    assert event == ContractFrozen("G001", OTHER.replace(author=str(actor.kind)))


def test_an_agent_may_not() -> None:
    refusal = refused(briefed(), FreezeContract("G001", OTHER))

    assert refusal.reason == "contract-of-the-brief"
    assert refusal.facts == {"goal_id": "G001"}
    assert refusal.hint == "goalkeeper contract freeze --goal-id G001"


def test_an_author_is_never_taken_from_the_request() -> None:
    (event,) = accepted(
        plan_of("one"), FreezeContract("G001", FROZEN.replace(author="human"))
    ).events

    assert event == ContractFrozen("G001", FROZEN.replace(author="agent"))


def test_the_same_contract_is_frozen_once() -> None:
    plan = frozen_plan()
    later = FROZEN.replace(base=Base("another"), protected="other files")

    assert accepted(plan, FREEZE).events == ()
    assert accepted(plan, FreezeContract("G001", later)).events == ()


@for_each("actor", [AGENT, HUMAN])
def test_a_frozen_contract_is_not_swapped_by_freezing_another(actor: Actor) -> None:
    refusal = refused(frozen_plan(), FreezeContract("G001", OTHER), actor)

    assert refusal.reason == "contract-frozen"
    assert refusal.facts == {"goal_id": "G001", "frozen": FROZEN.digest, "given": OTHER.digest}
    assert refusal.hint.startswith("goalkeeper contract amend --goal-id G001 ")


@for_each("status", [GoalStatus.COMPLETE, GoalStatus.SUPERSEDED])
@for_each("command", [FREEZE, AMEND])
def test_the_contract_of_a_goal_that_is_over_is_history(
    status: GoalStatus, command: commands.Command
) -> None:
    assert refused(plan_with_first(status), command, HUMAN).reason == "goal-is-over"


@for_each("command", [FREEZE, AMEND, judged(judgement_of("pp"))])
def test_a_goal_nobody_knows_has_no_contract(command: commands.Command) -> None:
    assert refused(plan_of("one"), command.replace(goal_id="G009"), HUMAN).reason == "unknown-goal"


@for_each("actor", [AGENT, ENGINE])
def test_scenario_15_only_a_human_amends(actor: Actor) -> None:
    refusal = refused(frozen_plan(), AMEND, actor)

    assert refusal.reason == "amendment-needs-human"
    assert str(actor.kind) in refusal.message
    assert actor.how in refusal.message


def test_scenario_15_the_attempt_of_an_agent_is_recorded() -> None:
    refusal = refused(frozen_plan(), AMEND)

    assert record_of_refusal(AMEND, refusal, AGENT) == (
        CommandRefused("AmendContract", "amendment-needs-human", "G001"),
    )


def test_scenario_15_an_amendment_says_who_and_why() -> None:
    decision = accepted(frozen_plan(), AMEND, HUMAN)

    amended = OTHER.replace(author="human")
    assert decision.events == (ContractAmended("G001", amended, "it asked for the wrong thing"),)


def test_scenario_15_only_changed_criteria_begin_anew() -> None:
    plan = after(frozen_plan(), judged(judgement_of("pf")), judged(judgement_of("pf", tree="t2")))

    plan = after(plan, AMEND, actor=HUMAN)

    goal = goal_of(plan, "G001")
    assert goal.frozen == OTHER.replace(author="human")
    one, two, three = goal.criteria
    assert (one.status, one.passed_tree) == (CriterionStatus.PASS, "t2")
    assert (two, three) == (CriterionState("C2"), CriterionState("C3"))


def test_a_criterion_that_was_taken_out_is_forgotten_and_comes_back_new() -> None:
    plan = after(frozen_plan(), judged(judgement_of("pp")))
    less = AmendContract("G001", frozen_of(contract_of(C1="one")), "less")
    back = AmendContract("G001", FROZEN, "and back")

    plan = after(plan, less, back, actor=HUMAN)

    one, two = goal_of(plan, "G001").criteria
    assert (one.status, two) == (CriterionStatus.PASS, CriterionState("C2"))


def test_the_order_of_criteria_is_the_contracts() -> None:
    swapped = frozen_of(contract_of(C2="two", C1="one"))
    plan = after(frozen_plan(), judged(judgement_of("pf")))

    plan = after(plan, AmendContract("G001", swapped, "the other way round"), actor=HUMAN)

    assert [(c.id, c.status) for c in goal_of(plan, "G001").criteria] == [
        ("C2", "FAIL"),
        ("C1", "PASS"),
    ]


def test_what_was_judged_before_an_amendment_is_judged_again() -> None:
    plan = after(frozen_plan(), judged(judgement_of("pp")))
    later = FROZEN.replace(base=Base("later"))

    plan = after(plan, AmendContract("G001", later, "a later base"), actor=HUMAN)

    assert goal_of(plan, "G001").judgement == ""
    assert goal_of(plan, "G001").iteration == 1
    assert accepted(plan, judged(judgement_of("pp"))).events


def test_an_amendment_that_changes_nothing_is_none() -> None:
    plan = frozen_plan()

    assert accepted(plan, AmendContract("G001", FROZEN, "no reason"), HUMAN).events == ()


def test_what_is_not_frozen_is_not_amended() -> None:
    assert refused(plan_of("one"), AMEND, HUMAN).reason == "contract-missing"


def test_freezing_and_amending_are_new_revisions_of_the_plan() -> None:
    plan = plan_of("one")
    frozen = after(plan, FREEZE)
    amended = after(frozen, AMEND, actor=HUMAN)

    assert [plan.revision, frozen.revision, amended.revision] == [0, 1, 2]


@for_each("text", ["", "{}", "[]", "null", "no JSON", '{"criteria": [1]}', "[" * 9999])
def test_a_frozen_contract_that_is_none_is_kept_and_asks_for_nothing(text: str) -> None:
    odd = Frozen("digest", text, "agent", Base("tree"), "")

    goal = goal_of(recorded(plan_of("one"), ContractFrozen("G001", odd)), "G001")

    assert (goal.frozen, goal.criteria) == (odd, ())
