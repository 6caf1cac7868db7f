"""The gate: a goal completes by a judgement of its frozen contract, or not at all."""

from goalkeeper.core.contract.criteria import CriterionStatus, Verdict
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.decide import create
from goalkeeper.core.fold import begin
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import ClassifyBlocker, FreezeContract
from goalkeeper.core.plan.events import (
    ContractFrozen,
    GoalCompleted,
    GoalStarted,
    GoalUnblocked,
    ReviewBlockersRecorded,
)
from goalkeeper.core.plan.gate import why_closed
from goalkeeper.core.plan.graph import NextAction, next_action
from goalkeeper.core.plan.model import Base, Classification, GoalMode, GoalStatus, NewGoal, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    AT,
    BASE,
    FINDING,
    FROZEN,
    HINT,
    HUMAN,
    RUN,
    TWO_CRITERIA,
    accepted,
    after,
    blocked,
    complete,
    contract_of,
    failed,
    frozen_of,
    frozen_plan,
    goal_of,
    judged,
    judgement_of,
    new,
    plan_of,
    proven,
    recorded,
    refused,
    review,
    split,
    start,
    statuses,
    supersede,
)

PROOF = judgement_of("pp")
DONE = proven("G001", PROOF)
ONE = frozen_of(contract_of(C1="one"))


def settled(plan: Plan, goal_id: str) -> Plan:
    """The plan after a goal with a contract of its own went through the gate."""
    proof = judgement_of("p", frozen=ONE, tree=f"tree of {goal_id}")
    return after(plan, FreezeContract(goal_id, ONE), proven(goal_id, proof))


def test_a_goal_without_a_contract_cannot_be_proven() -> None:
    refusal = refused(after(plan_of("one"), start()), DONE)

    assert (refusal.reason, refusal.facts) == ("contract-missing", {"goal_id": "G001"})
    assert refusal.message == "G001 has no contract, and what cannot fail cannot be proven."
    assert refusal.hint == "goalkeeper contract freeze --goal-id G001 --file contract.yaml"


def test_the_contract_of_the_brief_counts_when_it_is_frozen() -> None:
    plan = after(plan_of(NewGoal("One", "do one", (), TWO_CRITERIA)), start())

    refusal = refused(plan, DONE)

    assert refusal.reason == "contract-missing"
    assert refusal.message == "The contract of G001 is not frozen yet."
    assert refusal.hint == "goalkeeper contract freeze --goal-id G001"


def test_without_a_judgement_there_is_no_completion() -> None:
    refusal = refused(frozen_plan(), complete("G001"))

    assert (refusal.reason, refusal.hint) == ("not-judged", "goalkeeper judge --goal-id G001")


def test_a_recorded_judgement_is_not_the_proof() -> None:
    plan = after(frozen_plan(), judged(PROOF))

    assert refused(plan, complete("G001")).reason == "not-judged"


def test_answers_from_the_cache_open_no_gate() -> None:
    refusal = refused(frozen_plan(), proven("G001", judgement_of("pp", uncached=False)))

    assert refusal.reason == "not-judged"
    assert refusal.hint == "goalkeeper judge --goal-id G001 --no-cache"


def test_a_judgement_of_another_contract_proves_nothing() -> None:
    other = judgement_of("p", frozen=ONE)

    assert refused(frozen_plan(), proven("G001", other)).reason == "not-judged"


@for_each("told", ["pf", "fp", "pu", "ff", "uu"])
def test_what_did_not_pass_closes_the_gate(told: str) -> None:
    assert refused(frozen_plan(), proven("G001", judgement_of(told))).reason == "not-proven"


def test_a_refusal_tells_what_is_in_the_way() -> None:
    judgement = judgement_of("fu", FINDING, HINT, tree="0123456789abcdef")

    refusal = refused(frozen_plan(), proven("G001", judgement))

    assert refusal.reason == "not-proven"
    assert refusal.hint == "goalkeeper why G001"
    assert refusal.message == (
        "G001 is not proven on tree 0123456789ab: C1 failed: why 1; C2 unknown: why 2; "
        "test-removed tests/test_a.py:3: test_a is gone"
    )
    assert refusal.facts == {
        "goal_id": "G001",
        "tree": "0123456789abcdef",
        "unproven": [
            {"id": "C1", "verdict": "failed", "reason": "why 1"},
            {"id": "C2", "verdict": "unknown", "reason": "why 2"},
        ],
        "findings": [FINDING.as_dict()],
    }


def test_a_refusal_tells_the_first_few_and_counts_the_others() -> None:
    refusal = refused(frozen_plan(), proven("G001", judgement_of("ff", FINDING, FINDING, FINDING)))

    assert refusal.message.endswith("test_a is gone (and 2 more)")


def test_a_finding_closes_the_gate_though_everything_passed() -> None:
    whole = FINDING.replace(path="", line=0)

    refusal = refused(frozen_plan(), proven("G001", judgement_of("pp", whole)))

    assert refusal.reason == "findings-stand"
    assert refusal.message.endswith(": test-removed: test_a is gone")
    assert refusal.facts["unproven"] == []


def test_an_advisory_finding_does_not() -> None:
    assert accepted(frozen_plan(), proven("G001", judgement_of("pp", HINT))).events


def test_scenario_13_a_criterion_left_out_closes_the_gate() -> None:
    refusal = refused(frozen_plan(), proven("G001", judgement_of("p")))

    assert refusal.reason == "not-proven"
    assert refusal.facts["unproven"] == [
        {"id": "C2", "verdict": "unknown", "reason": "it was not judged"}
    ]


def test_scenario_13_a_criterion_judged_twice_must_pass_twice() -> None:
    twice = PROOF.replace(criteria=(*PROOF.criteria, Judged("C1", Verdict.FAILED, "after all")))

    assert refused(frozen_plan(), proven("G001", twice)).reason == "not-proven"


def test_a_contract_without_criteria_is_never_met() -> None:
    empty = frozen_of("outcomes: [people like it]")
    plan = frozen_plan(frozen=empty)

    assert refused(plan, proven("G001", judgement_of("", frozen=empty))).reason == "not-proven"


def test_completion_keeps_the_gate_and_the_judgement() -> None:
    decision = accepted(frozen_plan("one"), DONE)

    assert decision.events == (GoalCompleted("G001", "it works", "standard", PROOF),)
    assert decision.goal_ids == ("G001",)


def test_the_next_goal_that_is_ready_starts_at_once() -> None:
    plan = after(plan_of("one", new("two", "G003"), "three"), start())
    plan = after(plan, FreezeContract("G001", FROZEN))

    decision = accepted(plan, DONE)

    assert decision.events[1:] == (GoalStarted("G003"),)
    assert decision.goal_ids == ("G001", "G003")
    assert statuses(recorded(plan, *decision.events)) == {
        "G001": "complete",
        "G002": "pending",
        "G003": "active",
    }


def test_completion_frees_what_depended_on_it() -> None:
    plan = after(plan_of("one", new("two", "G001")), start(), FreezeContract("G001", FROZEN))

    assert accepted(plan, DONE).events[1:] == (GoalStarted("G002"),)


def test_a_goal_that_is_active_already_is_named_and_not_started() -> None:
    plan = recorded(frozen_plan(), GoalStarted("G002"))

    decision = accepted(plan, DONE)

    assert (len(decision.events), decision.goal_ids) == (1, ("G001", "G002"))


def test_nothing_is_started_while_the_run_is_handed_over() -> None:
    plan = after(frozen_plan(), commands.RecordHandoff("planning"))

    decision = accepted(plan, DONE)

    assert (len(decision.events), decision.goal_ids) == (1, ("G001", "G002"))


def test_a_failed_goal_is_not_retried_by_the_way() -> None:
    plan = after(plan_of("one", "two"), start(), failed("G001"), start())
    plan = after(plan, FreezeContract("G002", FROZEN))

    assert len(accepted(plan, proven("G002", PROOF)).events) == 1


def test_the_next_goal_begins_on_the_proven_tree() -> None:
    command = commands.CreatePlan(
        RUN, "b\n", GoalMode.AGGREGATE, "c", (new("one"), new("two")), base=BASE
    )
    plan = begin(create(command, AGENT), AT)
    plan = after(plan, start(), FreezeContract("G001", FROZEN))
    assert plan.base == BASE

    plan = after(plan, DONE)

    assert plan.base == Base("tree1", "commit of tree1")
    assert goal_of(plan, "G001").frozen == FROZEN.replace(author="agent")


def test_an_old_completion_without_a_judgement_leaves_the_base() -> None:
    plan = frozen_plan().replace(base=BASE)

    assert recorded(plan, GoalCompleted("G001", "it works")).base == BASE


def test_a_plan_is_complete_when_every_goal_went_through_the_gate() -> None:
    plan = settled(after(frozen_plan(), DONE), "G002")

    assert plan.is_complete
    assert next_action(plan, AT) is NextAction.NONE
    assert goal_of(plan, "G001").completed_at == AT


def test_the_same_completion_twice_is_one() -> None:
    plan = after(frozen_plan(), DONE)

    assert accepted(plan, DONE).events == ()


@for_each("status", ["failed", "blocked", "review_blocked"])
def test_a_proof_completes_only_an_active_goal(status: str) -> None:
    ends: dict[str, commands.Command] = {
        "failed": failed("G001"),
        "blocked": blocked("G001"),
        "review_blocked": review("G001"),
    }
    plan = after(frozen_plan(), ends[status])

    assert refused(plan, DONE).reason == "transition-not-allowed"


def test_a_goal_does_not_complete_while_a_review_blocker_is_open() -> None:
    opened = ReviewBlockersRecorded("G001", "G003", "A finding", "mend it", "the review")
    plan = recorded(frozen_plan(), opened, GoalUnblocked("G001", "by a newer goalkeeper"))

    refusal = refused(plan, DONE)

    assert refusal.reason == "review-blockers-open"
    assert refusal.message == "G001 waits for G003."


def test_the_last_blocker_that_completes_reopens_the_goal_it_blocked() -> None:
    plan = after(frozen_plan(), review("G001"), start(), FreezeContract("G003", ONE))

    decision = accepted(plan, proven("G003", judgement_of("p", frozen=ONE)))

    assert decision.events[1:] == (GoalUnblocked("G001", "its review blockers are settled"),)
    assert decision.goal_ids == ("G003", "G001")
    assert accepted(recorded(plan, *decision.events), DONE).events


def test_a_blocker_that_was_split_and_settled_holds_nothing_up() -> None:
    plan = after(frozen_plan("one"), review("G001"), split("G002", "a", "b"), start())
    plan = settled(settled(plan, "G003"), "G004")

    assert statuses(plan)["G002"] == "superseded"
    assert accepted(plan, DONE).events


def test_a_blocker_that_was_given_up_holds_nothing_up() -> None:
    plan = after(frozen_plan("one"), review("G001"), start(), blocked("G002"), supersede("G002"))

    assert accepted(plan, DONE).events


@for_each("judgement", [None, judgement_of("pf"), judgement_of("pp", FINDING)])
def test_a_human_does_not_open_the_gate_either(judgement: Judgement | None) -> None:
    command = complete("G001").replace(judgement=judgement)

    assert refused(frozen_plan(), command, HUMAN).reason in {
        "not-judged",
        "not-proven",
        "findings-stand",
    }


def test_the_gate_is_closed_for_reasons_and_otherwise_open() -> None:
    plan = frozen_plan()
    goal = goal_of(plan, "G001")

    assert why_closed(plan, goal, PROOF, None) is None
    assert why_closed(plan, goal, None, None) is not None
    assert why_closed(plan, goal.replace(frozen=None), PROOF, None) is not None


def test_a_classified_blocker_does_not_change_what_is_proven() -> None:
    blocker = ClassifyBlocker(Classification.HUMAN_BLOCKED, "a key", "G001")
    plan = after(frozen_plan(), blocker)

    assert accepted(plan, DONE).events


def test_a_split_goal_hands_its_frozen_contract_on() -> None:
    plan = plan_of(NewGoal("One", "do one", (), TWO_CRITERIA), "two")
    plan = recorded(plan, ContractFrozen("G001", FROZEN))

    last = goal_of(after(plan, split("G001", "a", "b")), "G004")

    assert (last.contract, last.frozen, last.status) == (TWO_CRITERIA, FROZEN, GoalStatus.PENDING)
    assert {state.status for state in last.criteria} == {CriterionStatus.PENDING}
