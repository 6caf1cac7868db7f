"""Lines of work: what happens to one goal is no affair of another, whoever is killed when."""

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.contract.criteria import Decision
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import Depth, Phase, Spend
from goalkeeper.core.drive.state import Budget, Drive, LineOfWork, Running
from goalkeeper.core.fold import apply
from goalkeeper.core.next_step import (
    Recover,
    Step,
    Wait,
    choose_step,
    find_goals_at_work,
    next_step,
)
from goalkeeper.core.plan import events
from goalkeeper.core.plan.model import Plan
from goalkeeper.core.snapshot import Position, Snapshot, dump, load
from tests.property.strategies import lanes, records
from tests.unit.core.helpers import FROZEN, judgement_of, plan_of
from tests.unit.core.stories import NOON, worktree_of

GOALS = ("G001", "G002")
trees = st.sampled_from(["tree0", "tree1", "tree2"])
works = st.sampled_from([Phase.PLAN, Phase.IMPL, Phase.VERIFY, Phase.QA])
Ledger = list[events.Event]


def about(goal_id: str) -> st.SearchStrategy[events.Event]:
    """Anything that may happen in the work on a goal, in any order."""
    runnings = st.builds(
        Running, st.just(goal_id), st.integers(1, 3), works, st.integers(1, 3),
        st.sampled_from(["m1", "m2"]), trees,
    )  # fmt: skip
    goal = st.just(goal_id)
    return st.one_of(
        st.builds(happened.PhaseBegan, runnings, st.just("rehearsal"), st.just("p")),
        st.builds(happened.PhaseSpawned, goal, st.integers(1, 99), st.just("b"), st.just("a")),
        st.builds(happened.PhaseEnded, goal, st.just(1), works, st.just(1), records, trees),
        st.builds(happened.PhaseSkipped, goal, st.just(1), works, st.just("small")),
        st.builds(happened.JudgementStood, goal),
        st.builds(
            events.GoalJudged, goal, st.just(1),
            st.builds(judgement_of, st.sampled_from(["pp", "pf"]), tree=trees),
            st.sampled_from(Decision),
        ),
        st.builds(events.LaneReported, goal, lanes),
        st.builds(happened.WorktreeMade, st.just(worktree_of(goal_id)), trees),
    )  # fmt: skip


def lines_about(goal_id: str) -> st.SearchStrategy[Ledger]:
    begins = happened.WorktreeMade(worktree_of(goal_id), "tree0")
    return st.lists(about(goal_id), max_size=12).map(lambda told: [begins, *told])


@st.composite
def interleaved(draw: st.DrawFn) -> tuple[dict[str, Ledger], Ledger]:
    """What happens to each of two goals, and one order in which all of it may happen."""
    apart = {goal_id: draw(lines_about(goal_id)) for goal_id in GOALS}
    turns = draw(st.permutations([g for g, told in apart.items() for _ in told]))
    left = {goal_id: iter(told) for goal_id, told in apart.items()}
    return apart, [next(left[goal_id]) for goal_id in turns]


def folded(ledger: Ledger, depth: Depth = Depth.FULL) -> Plan:
    """Two goals are worked on at the same time, which no rule of the plan allows yet."""
    begun: Ledger = [events.GoalStarted(goal_id) for goal_id in GOALS]
    begun += [events.ContractFrozen(goal_id, FROZEN) for goal_id in GOALS]
    begun.append(happened.DriveBegan("rehearsal", depth, Budget()))
    return reduce(lambda plan, event: apply(plan, event, NOON), begun + ledger, plan_of("a", "b"))


def drive_of(plan: Plan) -> Drive:
    assert plan.drive
    return plan.drive


def line_of(plan: Plan, goal_id: str) -> LineOfWork | None:
    return drive_of(plan).line(goal_id)


@given(interleaved(), st.sampled_from(Depth))
def test_a_line_comes_out_as_if_it_were_alone(
    told: tuple[dict[str, Ledger], Ledger], depth: Depth
) -> None:
    apart, together = told
    both = folded(together, depth)

    for goal_id in GOALS:
        alone = folded(apart[goal_id], depth)
        assert line_of(both, goal_id) == line_of(alone, goal_id)
        assert next_step(both, drive_of(both), goal_id, NOON) == next_step(
            alone, drive_of(alone), goal_id, NOON
        )


@given(interleaved())
def test_the_drive_pays_for_all_of_its_lines(told: tuple[dict[str, Ledger], Ledger]) -> None:
    apart, together = told
    each = [drive_of(folded(apart[goal_id])) for goal_id in GOALS]

    both = drive_of(folded(together))

    assert both.spend == sum((drive.spend for drive in each), Spend())
    assert both.unpriced == sum(drive.unpriced for drive in each)


@given(interleaved(), st.data())
def test_a_kill_between_any_two_events_leaves_a_next_step_for_every_line(
    told: tuple[dict[str, Ledger], Ledger], data: st.DataObject
) -> None:
    _, together = told
    plan = folded(together[: data.draw(st.integers(0, len(together)))])

    saved = load(dump(Snapshot(plan, Position(1, 0, 100, "f" * 64))))
    assert saved
    resumed = apply(saved.plan, happened.DriveResumed(), NOON)

    drive = drive_of(resumed)
    assert set(find_goals_at_work(resumed, drive)) == set(GOALS)
    for goal_id in GOALS:
        step = next_step(resumed, drive, goal_id, NOON)
        assert isinstance(step, Step)
        assert step == next_step(plan, drive_of(plan), goal_id, NOON)
        line = drive.line(goal_id)
        assert isinstance(step, Recover) == bool(line and line.running)
    first = choose_step(resumed, drive, NOON)
    assert isinstance(first, Recover) == bool(drive.running)


@given(interleaved())
def test_in_a_pause_no_line_begins_a_phase(told: tuple[dict[str, Ledger], Ledger]) -> None:
    until = "2026-01-01T13:00:00.000000Z"
    plan = apply(folded(told[1]), happened.DrivePaused(until, "a limit"), NOON)

    for goal_id in GOALS:
        assert isinstance(next_step(plan, drive_of(plan), goal_id, NOON), Recover | Wait)
