"""Steps of a plan become sessions."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.campaign.decompose import decompose
from goalkeeper.core.campaign.overlap import can_overlap
from goalkeeper.core.campaign.plan import MasterPlan, PlannedStep
from goalkeeper.core.plan import graph
from tests.tables import for_each
from tests.unit.core.campaign.small_plans import command, plan, session, step


def steps_of(made: MasterPlan) -> list[list[int]]:
    return [[each.number for each in one.steps] for one in made.sessions]


def before(made: MasterPlan) -> Mapping[str, tuple[str, ...]]:
    return {one.id: one.depends_on for one in made.sessions}


def on(number: int, files: str = "", *needs: int, goal: str = "") -> PlannedStep:
    return step(number, files=tuple(files.split()), depends_on=needs, goal=goal)


@for_each(
    ("steps", "by", "groups", "waits"),
    [
        # Steps of the same files are one session; others run side by side.
        ([on(1, "a"), on(2, "b"), on(3, "a/x")], "files", [[1, 3], [2]], [(), ()]),
        # A chain is one session, and a fork is several.
        ([on(1, "a"), on(2, "b", 1), on(3, "c", 2)], "files", [[1, 2, 3]], [()]),
        (
            [on(1, "a"), on(2, "b", 1), on(3, "c", 1), on(4, "d", 2, 3)],
            "files",
            [[1], [2], [3], [4]],
            [(), ("S01",), ("S01",), ("S02", "S03")],
        ),
        # Groups that would wait for each other are one.
        (
            [on(1, "a"), on(2, "b", 1), on(3, "a c", 2), on(4, "d", 1)],
            "files",
            [[1, 2, 3], [4]],
            [(), ("S01",)],
        ),
        # What a step waits for is done first, whatever its number.
        ([on(1, "a", 2), on(2, "a")], "files", [[2, 1]], [()]),
        # Goals stay together, and follow each other where they touch the same files.
        (
            [on(1, "a", goal="A"), on(2, "b", goal="B"), on(3, "b", goal="A"), on(4, "c")],
            "goal",
            [[2], [1, 3], [4]],
            [(), ("S01",), ()],
        ),
        (
            [on(1, "a", goal="A"), on(2, "a", goal="B"), on(3, "b", goal="B")],
            "goal",
            [[1], [2, 3]],
            [(), ("S01",)],
        ),
        # A number is met by joining small groups and cutting large ones.
        ([on(n, f"f{n}") for n in range(1, 5)], 2, [[1, 2], [3, 4]], [(), ()]),
        ([on(n, "a") for n in range(1, 4)], 2, [[1, 2], [3]], [(), ("S01",)]),
        ([on(1, "a"), on(2, "b")], 9, [[1], [2]], [(), ()]),
        ([], 3, [], []),
        # A plan whose steps wait for each other gives sessions that do not.
        ([on(1, "a", 2), on(2, "b", 1)], 2, [[1], [2]], [(), ("S01",)]),
    ],
)
def test_how_steps_are_divided(
    steps: list[PlannedStep], by: str | int, groups: list[list[int]], waits: list[tuple[str, ...]]
) -> None:
    made = decompose(plan(steps=tuple(steps)), by)

    assert steps_of(made) == groups
    assert [one.depends_on for one in made.sessions] == waits
    assert made.steps == ()


def test_a_session_has_the_files_the_title_and_the_exit_of_its_steps() -> None:
    first = on(1, "src/a.py").replace(manifest="manifest:\n  expected_paths: [src/b.py, src/a.py]")
    last = on(2, "src/a.py").replace(
        test_first="tests/test_a.py::test_it", verify=(command("make test", "passes"),), line=7
    )
    (made,) = decompose(plan(steps=(first, last)), "files").sessions

    assert made.touch == ("src/a.py", "src/b.py", "tests/test_a.py")
    assert made.never == ()
    assert made.title == "Do 1; Do 2"
    assert made.exit == last.verify


def test_files_that_are_shared_join_nothing() -> None:
    made = decompose(
        plan(steps=(on(1, "a go.sum"), on(2, "b go.sum")), shared=("go.sum",)), "files"
    )

    assert before(made) == {"S01": (), "S02": ()}
    assert [one.touch for one in made.sessions] == [("a", "go.sum"), ("b", "go.sum")]


def test_sessions_that_are_there_stay_as_they_are() -> None:
    old = session(on(1, "a"), id="S03")
    made = decompose(plan(old, steps=(on(2, "b", 1),)), "files")

    assert made.sessions[0] == old
    assert before(made) == {"S03": (), "S04": ("S03",)}


@for_each("by", ["sessions", "", 0, -1])
def test_other_ways_to_divide_are_refused(by: str | int) -> None:
    with pytest.raises(ValueError, match="by goal, by files"):
        decompose(plan(), by)


@st.composite
def step_lists(draw: st.DrawFn) -> tuple[PlannedStep, ...]:
    count = draw(st.integers(0, 9))
    return tuple(
        PlannedStep(
            number,
            f"Do {number}",
            files=tuple(
                draw(st.lists(st.sampled_from(["a", "a/b", "c", "d/*", "d/e"]), max_size=2))
            ),
            depends_on=tuple(draw(st.lists(st.integers(1, count), max_size=2))),
            goal=draw(st.sampled_from(["", "A", "B"])),
            manifest=draw(st.text(max_size=20) | st.just("expected_paths:   [c]  # so\r\n")),
        )
        for number in range(1, count + 1)
    )


@given(steps=step_lists(), by=st.sampled_from(["goal", "files"]) | st.integers(1, 12))
def test_no_step_is_lost_or_doubled_and_no_session_waits_for_itself(
    steps: tuple[PlannedStep, ...], by: str | int
) -> None:
    made = decompose(plan(steps=steps), by)
    found = [each for one in made.sessions for each in one.steps]

    assert sorted(each.number for each in found) == [each.number for each in steps]
    assert all(each is steps[each.number - 1] for each in found)  # its manifest, too, as it was
    assert graph.find_problems(before(made)) == []
    if isinstance(by, int):
        assert len(made.sessions) <= by


@given(steps=step_lists())
def test_independent_sessions_share_no_file_and_need_nothing_of_each_other(
    steps: tuple[PlannedStep, ...],
) -> None:
    made = decompose(plan(steps=steps), "files")
    homes = {each.number: one.id for one in made.sessions for each in one.steps}

    for one in made.sessions:
        needed = {homes[number] for each in one.steps for number in each.depends_on} - {one.id}
        assert needed <= {*one.depends_on}
        for other in made.sessions:
            assert one is other or not can_overlap(one.touch, other.touch)
