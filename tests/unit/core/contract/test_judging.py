"""A judgement is recorded with what follows from it; saying it twice changes nothing."""

from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus, Decision
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.judgement import FINDINGS_KEPT, Judgement, bound_findings
from goalkeeper.core.plan.events import GoalJudged
from goalkeeper.core.plan.model import Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    AT,
    FINDING,
    FROZEN,
    HINT,
    LATER,
    accepted,
    after,
    contract_of,
    frozen_of,
    frozen_plan,
    goal_of,
    judged,
    judgement_of,
    plan_of,
    recorded,
    refused,
)

ALL_PASS = judgement_of("pp")


def decision_of(plan: Plan, judgement: Judgement, most: int = 10) -> Decision:
    (event,) = accepted(plan, judged(judgement, most=most)).events
    assert isinstance(event, GoalJudged)
    return event.decision


def after_trees(*told: str) -> Plan:
    """The frozen plan after a judgement of each of these, every one of another tree."""
    asked = (judged(judgement_of(each, tree=f"tree{n}")) for n, each in enumerate(told, 1))
    return after(frozen_plan(), *asked)


def criteria(plan: Plan) -> tuple[CriterionState, ...]:
    return goal_of(plan, "G001").criteria


def test_a_judgement_is_recorded_with_its_iteration_and_decision() -> None:
    plan = frozen_plan()

    decision = accepted(plan, judged(judgement_of("pf")))

    assert decision.goal_ids == ("G001",)
    assert decision.events == (GoalJudged("G001", 1, judgement_of("pf"), Decision.REPLAN),)


def test_a_recorded_judgement_moves_the_states_of_its_criteria() -> None:
    plan = after_trees("pf", "ff")

    one, two = criteria(plan)
    assert (one.status, one.passed_at, one.regressed_at, one.failed) == ("REGRESSED", 1, 2, 1)
    assert (two.status, two.fail_count, two.failed) == ("FAIL", 2, 2)
    assert two.failures == ("seen 2 on tree1", "seen 2 on tree2")
    assert (two.reason, two.evidence, two.since) == ("why 2", "seen 2 on tree2", AT)
    assert goal_of(plan, "G001").iteration == 2


def test_a_judgement_is_no_new_revision_of_the_plan() -> None:
    assert after_trees("pf", "pp").revision == frozen_plan().revision


def test_the_same_said_of_the_same_tree_is_no_new_iteration() -> None:
    plan = after(frozen_plan(), judged(judgement_of("pf")))

    again = accepted(plan, judged(judgement_of("pf", uncached=False)))

    assert (again.events, again.goal_ids) == ((), ("G001",))


@for_each(
    "other",
    [
        judgement_of("pf", tree="tree2"),
        judgement_of("pp"),
        judgement_of("pu"),
        judgement_of("pf", FINDING),
        judgement_of("pf").replace(isolation="sandbox"),
    ],
)
def test_anything_else_is_a_new_iteration(other: Judgement) -> None:
    plan = after(frozen_plan(), judged(judgement_of("pf")))

    (event,) = accepted(plan, judged(other)).events

    assert isinstance(event, GoalJudged)
    assert event.iteration == 2


def test_saying_what_was_said_before_the_last_time_is_news() -> None:
    plan = after_trees("pf", "pp")

    assert accepted(plan, judged(judgement_of("pf"))).events


def test_all_passed_is_done() -> None:
    assert decision_of(frozen_plan(), ALL_PASS) is Decision.DONE


def test_scenario_9_done_on_the_last_iteration_is_done() -> None:
    assert decision_of(frozen_plan(), ALL_PASS, most=1) is Decision.DONE


def test_scenario_10_a_failure_on_the_last_iteration_is_a_safeguard() -> None:
    assert decision_of(after_trees("pf"), judgement_of("pf", tree="t2"), 2) is Decision.SAFEGUARD


def test_scenario_11_three_failures_leave_it_done_in_part() -> None:
    plan = after_trees("pf", "pf")

    assert decision_of(plan, judgement_of("pf", tree="tree3")) is Decision.DONE_PARTIAL


def test_a_blocking_finding_stands_against_done() -> None:
    judgement = judgement_of("pp", FINDING)
    plan = after(frozen_plan(), judged(judgement))

    assert decision_of(frozen_plan(), judgement) is Decision.REPLAN
    assert goal_of(plan, "G001").blocking == 1
    assert {state.status for state in criteria(plan)} == {CriterionStatus.PASS}


def test_a_blocking_finding_on_the_last_iteration_ends_the_loop_too() -> None:
    assert decision_of(frozen_plan(), judgement_of("pp", FINDING), 1) is Decision.SAFEGUARD


def test_an_advisory_finding_stands_against_nothing() -> None:
    judgement = judgement_of("pp", HINT)

    assert decision_of(frozen_plan(), judgement) is Decision.DONE
    assert goal_of(after(frozen_plan(), judged(judgement)), "G001").blocking == 0


def test_the_number_of_blocking_findings_is_the_last_judgements() -> None:
    plan = after(frozen_plan(), judged(judgement_of("pp", FINDING, HINT)))

    plan = after(plan, judged(judgement_of("pp", HINT)))

    assert goal_of(plan, "G001").blocking == 0


def test_scenario_7_unknown_leaves_the_state_and_is_not_done() -> None:
    plan = after_trees("pp")
    judgement = judgement_of("pu", tree="tree2")

    assert decision_of(plan, judgement) is Decision.REPLAN
    _, two = criteria(after(plan, judged(judgement)))
    assert (two.status, two.error_streak, two.passed_tree) == ("PASS", 1, "tree1")


def test_scenario_13_a_criterion_that_was_not_judged_has_not_passed() -> None:
    plan = after_trees("pp")

    assert decision_of(frozen_plan(), judgement_of("p")) is Decision.REPLAN
    assert decision_of(plan, judgement_of("p", tree="tree2")) is Decision.REPLAN
    assert criteria(after(frozen_plan(), judged(judgement_of("p"))))[1] == CriterionState("C2")


def test_a_criterion_nobody_asked_for_changes_no_state() -> None:
    plan = after(frozen_plan(), judged(judgement_of("ppf")))

    assert [state.id for state in criteria(plan)] == ["C1", "C2"]
    assert decision_of(frozen_plan(), judgement_of("ppf")) is Decision.REPLAN


def test_a_judgement_without_a_frozen_contract_is_refused() -> None:
    refusal = refused(plan_of("one"), judged(ALL_PASS))

    assert refusal.reason == "contract-missing"


def test_a_judgement_of_another_contract_is_refused() -> None:
    other = frozen_of(contract_of(C1="easy"))

    refusal = refused(frozen_plan(), judged(judgement_of("p", frozen=other)))

    assert refusal.reason == "contract-changed"
    assert refusal.hint == "goalkeeper judge --goal-id G001"


def test_since_is_when_the_state_came_to_be() -> None:
    plan = recorded(after_trees("pf"), GoalJudged("G001", 2, ALL_PASS, Decision.DONE), at=LATER)

    one, two = criteria(plan)
    assert (one.since, two.since) == (AT, LATER)


def test_a_judgement_of_a_goal_without_a_contract_is_folded_without_harm() -> None:
    plan = recorded(plan_of("one"), GoalJudged("G001", 3, ALL_PASS, Decision.DONE))

    goal = goal_of(plan, "G001")
    assert (goal.iteration, goal.criteria, goal.judgement) == (3, (), ALL_PASS.essence)


def test_a_judgement_is_proven_when_all_passed_and_nothing_blocks() -> None:
    assert ALL_PASS.is_proven
    assert judgement_of("pp", HINT).is_proven
    assert not judgement_of("pp", FINDING).is_proven
    assert not judgement_of("pu").is_proven
    assert not judgement_of("pf").is_proven


def test_a_judgement_of_nothing_proves_nothing() -> None:
    assert not judgement_of("").is_proven


def test_the_essence_is_what_is_said_and_not_how_it_was_found() -> None:
    (one, two) = ALL_PASS.criteria
    cached = ALL_PASS.replace(criteria=(one.replace(cached=True, evidence="other"), two))

    assert cached.replace(uncached=False, commit="another").essence == ALL_PASS.essence
    assert judgement_of("pp", frozen=FROZEN.replace(digest="x")).essence != ALL_PASS.essence


def findings(level: Level, count: int) -> tuple[Finding, ...]:
    return tuple(Finding(f"{level}-{n}", level, "a.py", n, "so it is") for n in range(count))


def test_strong_findings_come_first_and_keep_their_order() -> None:
    weak = (*findings(Level.ADVISORY, 2), *findings(Level.ASKING, 1))
    mixed = (HINT, FINDING, *weak, *findings(Level.BLOCKING, 2))

    assert [finding.rule for finding in bound_findings(mixed)] == [
        "test-removed", "blocking-0", "blocking-1", "asking-0", "long-diff", "advisory-0",
        "advisory-1",
    ]  # fmt: skip


def test_as_many_findings_as_a_line_holds_are_kept_as_they_are() -> None:
    full = findings(Level.BLOCKING, FINDINGS_KEPT)

    assert bound_findings(full) == full
    assert bound_findings(()) == ()


def test_too_many_findings_are_counted_and_hide_no_blocking_one() -> None:
    kept = bound_findings(findings(Level.ADVISORY, 150) + findings(Level.BLOCKING, 7))

    assert len(kept) == FINDINGS_KEPT + 1
    assert [finding.level for finding in kept].count(Level.BLOCKING) == 7
    assert (kept[-1].rule, kept[-1].level) == ("more-findings", Level.ADVISORY)
    assert kept[-1].message == "57 more findings are not listed"


def test_what_is_not_listed_still_blocks() -> None:
    kept = bound_findings(findings(Level.BLOCKING, FINDINGS_KEPT + 1))

    assert (kept[-1].rule, kept[-1].level) == ("more-findings", Level.BLOCKING)
