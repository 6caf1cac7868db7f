"""Laws of the dependencies: what is next is always ready, and cycles are always found."""

from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.fold import begin
from goalkeeper.core.plan import graph
from goalkeeper.core.plan.events import PlanCreated
from goalkeeper.core.plan.model import Goal, GoalMode, GoalStatus, NewGoal, Plan
from tests.unit.core.helpers import AT

names = st.sampled_from("ABCDEF")
dependencies = st.dictionaries(names, st.lists(names, max_size=3).map(tuple))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Goals in any status; each depends on others, and a superseded one points at later ones."""
    count = draw(st.integers(min_value=1, max_value=6))
    known = [f"G{n:03d}" for n in range(1, count + 1)]
    news = tuple(NewGoal("Title", "objective") for _ in known)
    plan = begin(PlanCreated("run", "brief", GoalMode.AGGREGATE, "o", "", news), "now")
    made: list[Goal] = []
    for index, goal in enumerate(plan.goals):
        status = draw(st.sampled_from(GoalStatus))
        later = st.sampled_from(known[index + 1 :] or ["G999"])
        parts = draw(st.lists(later, max_size=2)) if status is GoalStatus.SUPERSEDED else []
        needs = draw(st.lists(st.sampled_from([*known, "G999"]), max_size=3))
        made.append(
            goal.replace(status=status, depends_on=tuple(needs), superseded_by=tuple(parts))
        )
    return plan.replace(goals=tuple(made))


def met(plan: Plan) -> set[str]:
    """The goals whose dependents may start, found from the end of the chain."""
    found = {goal.id for goal in plan.goals if goal.status is GoalStatus.COMPLETE}
    superseded = [goal for goal in plan.goals if goal.status is GoalStatus.SUPERSEDED]
    for _ in superseded:
        found |= {goal.id for goal in superseded if found.issuperset(goal.superseded_by)}
    return found


def may_start(plan: Plan) -> list[str]:
    pending = [goal for goal in plan.goals if goal.status is GoalStatus.PENDING]
    return [goal.id for goal in pending if met(plan).issuperset(goal.depends_on)]


def with_status(plan: Plan, status: GoalStatus) -> list[str]:
    return [goal.id for goal in plan.goals if goal.status is status]


@given(plan=plans())
def test_the_next_goal_is_the_active_one_or_else_the_first_that_is_ready(plan: Plan) -> None:
    expected = [*with_status(plan, GoalStatus.ACTIVE), *may_start(plan), None]

    chosen = graph.next_goal(plan, retry_failed=False, at=AT)

    assert (chosen.id if chosen else None) == expected[0]


@given(plan=plans())
def test_a_failed_goal_is_next_only_when_asked_for_and_nothing_else_is(plan: Plan) -> None:
    unasked = graph.next_goal(plan, retry_failed=False, at=AT)
    asked = graph.next_goal(plan, retry_failed=True, at=AT)

    if unasked:
        assert asked == unasked
    else:
        failed = with_status(plan, GoalStatus.FAILED)
        assert (asked.id if asked else None) == next(iter(failed), None)


@given(plan=plans())
def test_every_plan_has_one_next_action_that_fits_it(plan: Plan) -> None:
    action = graph.next_action(plan, AT)

    startable = bool(with_status(plan, GoalStatus.ACTIVE) or may_start(plan))
    assert (action == "execute-goal") is startable
    assert (action == "none") is plan.is_complete
    if action == "retry-failed":
        assert with_status(plan, GoalStatus.FAILED)


@given(depends_on=dependencies)
def test_a_cycle_is_found_exactly_when_there_is_one(
    depends_on: dict[str, tuple[str, ...]],
) -> None:
    try:
        TopologicalSorter(depends_on).prepare()
        cyclic = False
    except CycleError:
        cyclic = True

    found = graph.find_problems(depends_on)

    assert any("cycle" in problem.message for problem in found) is cyclic


@given(depends_on=dependencies)
def test_a_reported_cycle_can_be_walked(depends_on: dict[str, tuple[str, ...]]) -> None:
    for problem in graph.find_problems(depends_on):
        if problem.message.startswith("a cycle: "):
            path = problem.message.removeprefix("a cycle: ").split(" → ")
            assert path[0] == path[-1]
            assert all(b in depends_on[a] for a, b in pairwise(path))


@given(depends_on=dependencies)
def test_every_unknown_dependency_is_reported(depends_on: dict[str, tuple[str, ...]]) -> None:
    unknown = [n for names in depends_on.values() for n in names if n not in depends_on]

    found = [problem.message for problem in graph.find_problems(depends_on)]

    assert [m for m in found if "cycle" not in m] == [f"there is no goal {n}" for n in unknown]
