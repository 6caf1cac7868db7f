"""The corpus of merges is sound, and one pair of each sort goes through a real campaign."""

from itertools import combinations
from pathlib import Path

import pytest

from bench.merges.__main__ import write_table
from bench.merges.oracle import weigh_pair
from bench.merges.pair import CONFLICT, load_pairs
from bench.merges.trial import try_pair
from goalkeeper.core.campaign.document import read_plan
from goalkeeper.core.campaign.overlap import can_overlap
from goalkeeper.core.campaign.plan import MasterPlan
from tests.tables import thorough

PAIRS = load_pairs()


def test_there_are_enough_pairs_of_many_kinds_and_none_is_there_twice() -> None:
    assert len({pair.id for pair in PAIRS}) == len(PAIRS)
    assert sum(bool(pair.bad) for pair in PAIRS) >= 60
    assert sum(not pair.bad for pair in PAIRS) >= 60
    assert len({pair.kind for pair in PAIRS if pair.bad}) >= 12
    assert all(one.why != other.why for one, other in combinations(PAIRS, 2))


def test_ids_say_which_pairs_are_honest_and_only_bad_ones_recover() -> None:
    assert all(pair.id.startswith("honest-") is not bool(pair.bad) for pair in PAIRS)
    assert all(pair.bad for pair in PAIRS if pair.recovers)


def test_what_must_be_named_is_a_criterion_of_the_pair() -> None:
    assert all(pair.bad in {*pair.criteria, CONFLICT, ""} for pair in PAIRS)


def test_no_session_may_touch_what_the_other_may() -> None:
    overlapping = [
        pair.id for pair in PAIRS if can_overlap(*(each.fence for each in pair.sessions))
    ]
    assert overlapping == []


def test_sessions_write_inside_their_fences() -> None:
    outside = [
        (pair.id, path)
        for pair in PAIRS
        for session in pair.sessions
        for step in session.steps
        for path in step.touched
        if not can_overlap((path,), session.fence)
    ]
    assert outside == []


def test_every_plan_can_be_read_with_the_commands_as_they_are_written() -> None:
    for pair in PAIRS:
        plan = read_plan(pair.write_plan())
        assert isinstance(plan, MasterPlan), (pair.id, plan)
        read = [each.command for s in plan.sessions for step in s.steps for each in step.verify]
        assert read == [*pair.criteria.values()]


@pytest.mark.parametrize(
    "pair_id", ["unit-cents", thorough("honest-unit-beside"), thorough("file-folder-moved")]
)
@pytest.mark.thorough
def test_a_pair_is_what_it_says_without_goalkeeper(tmp_path: Path, pair_id: str) -> None:
    (pair,) = (each for each in PAIRS if each.id == pair_id)
    assert weigh_pair(pair, tmp_path / "as it is") == []
    turned = pair.replace(bad="" if pair.bad else "S01 G001/C1")
    assert weigh_pair(turned, tmp_path / "turned round") != []


@pytest.mark.thorough
@pytest.mark.parametrize("pair_id", ["unit-cents", "honest-unit-labels"])
def test_a_bad_pair_bounces_by_name_and_an_honest_one_lands(tmp_path: Path, pair_id: str) -> None:
    (pair,) = (each for each in PAIRS if each.id == pair_id)
    trial = try_pair(pair, tmp_path / "trial")
    assert trial.is_right, trial.verdict
    bad, honest = (1, 0) if pair.bad else (0, 1)
    assert write_table([trial]).split("\n")[-1].split() == [
        "all", *map(str, (bad, bad, bad, honest, 0, 0)),
    ]  # fmt: skip
