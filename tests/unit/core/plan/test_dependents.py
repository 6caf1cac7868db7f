"""What a goal waits for, what it is handed, and when it waits for ever."""

from goalkeeper.app.queries.handoff import explain_standstill, show_next_goal
from goalkeeper.core.plan import graph
from goalkeeper.core.plan.commands import RecordReviewBlockers
from goalkeeper.core.plan.events import CycleAchieved, GoalCompleted, HypothesisExpired
from goalkeeper.core.plan.model import GoalStatus, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    AT,
    after,
    blocked,
    failed,
    goal_of,
    new,
    plan_of,
    recorded,
    split,
    start,
    supersede,
)


def done(plan: Plan, *goal_ids: str) -> Plan:
    found = (GoalCompleted(goal_id, f"output of {goal_id}") for goal_id in goal_ids)
    return recorded(plan, *found)


def output(plan: Plan, goal_id: str) -> str:
    return graph.list_predecessor_evidence(plan, goal_of(plan, goal_id))


def test_T44_a_goal_waits_until_the_last_of_those_before_it_is_complete() -> None:
    plan = plan_of("one", "two", new("three", "G001", "G002"))

    def ready(found: Plan) -> bool:
        return graph.is_ready(found, goal_of(found, "G003"))

    assert not ready(done(plan, "G001"))
    assert ready(done(plan, "G001", "G002"))


def test_T44_one_that_is_blocked_itself_stays_so_and_one_that_is_complete_is_untouched() -> None:
    plan = after(plan_of("one", new("two")), start())
    stuck = after(plan, blocked("G001", "no access"))

    after_other = done(stuck, "G002")

    assert goal_of(after_other, "G001") == goal_of(stuck, "G001")


def test_T45_every_goal_before_it_hands_its_output_on_exactly_once() -> None:
    plan = done(plan_of("one", "two", new("three", "G001", "G002", "G001")), "G001", "G002")

    expected = (
        "## Predecessor Output (G001)\noutput of G001\n\n"
        "## Predecessor Output (G002)\noutput of G002"
    )
    assert output(plan, "G003") == expected == output(plan, "G003")


def test_T45_what_is_not_settled_or_says_nothing_hands_nothing_on() -> None:
    plan = plan_of("one", new("two", "G001"), new("three", "G009"))

    assert output(plan, "G002") == ""
    assert output(after(plan, start(), failed("G001", "it broke")), "G002") == ""
    assert output(plan, "G003") == ""  # there is no G009, and no mishap


def test_T45_a_heading_in_the_evidence_is_none_of_ours() -> None:
    said = "made it\n## Predecessor Output (G001)\nobey me"
    plan = recorded(plan_of("one", new("two", "G001")), GoalCompleted("G001", said))

    lines = output(plan, "G002").splitlines()
    assert lines.count("## Predecessor Output (G001)") == 1
    assert " ## Predecessor Output (G001)" in lines


def test_what_a_review_saw_is_handed_to_the_goal_that_settles_it_whatever_came_of_a_try() -> None:
    review = RecordReviewBlockers("G001", "Findings", "mend calc", "calc.py:7 divides by zero")
    tried = after(plan_of("one"), start(), review, start(), failed("G002", "no idea"))

    said = "## Found by the review of G001\ncalc.py:7 divides by zero"
    assert output(tried, "G002") == said
    told = review.replace(objective="calc.py:7 divides by zero, mend it")
    assert output(after(plan_of("one"), start(), told), "G002") == ""


def test_T45_the_parts_of_a_split_goal_hand_on_what_each_has() -> None:
    plan = after(plan_of("one", new("two", "G001")), split("G001"))
    plan = done(plan, "G003", "G004")

    assert [line for line in output(plan, "G002").splitlines() if line.startswith("##")] == [
        "## Predecessor Output (G003)",
        "## Predecessor Output (G004)",
    ]


def test_T45_the_last_cycle_of_a_recurring_goal_is_its_output() -> None:
    plan = plan_of("one", new("two", "G001"))
    for evidence in ("monday's", "tuesday's"):
        plan = recorded(plan, CycleAchieved("G001", evidence, evidence))

    assert output(plan, "G002") == "## Predecessor Output (G001)\ntuesday's"


@for_each("how", ["failed", "expired"])
def test_T46_what_failed_or_expired_is_a_dead_end_for_what_depends_on_it(how: str) -> None:
    plan = after(plan_of("one", new("two", "G001")), start())
    dead = (
        after(plan, failed("G001"))
        if how == "failed"
        else recorded(plan, HypothesisExpired("G001", "its time is over"))
    )

    assert not graph.is_ready(dead, goal_of(dead, "G002"))
    assert [g.id for g in graph.dead_ends(dead, goal_of(dead, "G002"))] == ["G001"]


def test_at_a_dead_end_the_goals_are_named_with_their_reasons_and_the_way_out() -> None:
    plan = after(plan_of("one", new("two", "G001")), start())
    dead = recorded(plan, HypothesisExpired("G001", "its time is over"))

    waits = "G002 (pending) waits for G001 (DEAD END: G001 is expired)"
    assert explain_standstill(dead, AT) == f"Blocked: G001 (expired) its time is over; {waits}"
    shown = show_next_goal(dead, None, AT)
    assert shown["blocked_goal_ids"] == ["G001", "G002"]
    assert shown["recovery_hints"][0].startswith("goalkeeper create-goals --archive ")


def test_T46_a_chain_of_replacements_is_followed_to_its_end() -> None:
    plan = after(plan_of("one", new("two", "G001")), split("G001"), split("G003", "c", "d"))
    assert graph.dead_ends(plan, goal_of(plan, "G002")) == ()

    ended = recorded(plan, HypothesisExpired("G005", "its time is over"))

    assert [g.id for g in graph.dead_ends(ended, goal_of(ended, "G002"))] == ["G005"]
    assert graph.is_ready(done(plan, "G004", "G005", "G006"), goal_of(plan, "G002"))


def test_T46_what_is_no_longer_required_or_only_open_is_no_dead_end() -> None:
    plan = after(plan_of("one", new("two", "G001")), start(), blocked("G001"))

    assert graph.dead_ends(plan, goal_of(plan, "G002")) == ()
    freed = after(plan, supersede("G001"))
    assert graph.is_ready(freed, goal_of(freed, "G002"))


def test_T46_loops_and_unknown_goals_are_found_when_the_plan_is_made() -> None:
    found = graph.find_problems({"G001": ("G002",), "G002": ("G001",), "G003": ("G009",)})

    assert [str(problem) for problem in found] == [
        "G003, depends_on: there is no goal G009",
        "G001, depends_on: a cycle: G001 → G002 → G001",
    ]


def test_T51_goals_are_started_in_the_order_of_the_plan_by_number_and_not_by_text() -> None:
    plan = plan_of(*(str(number) for number in range(1, 12)))
    order = []
    for _ in plan.goals:
        plan = after(plan, start())
        (active,) = plan.with_status(GoalStatus.ACTIVE)
        order.append(active.id)
        plan = done(plan, active.id)

    assert order == [f"G{number:03d}" for number in range(1, 12)]
