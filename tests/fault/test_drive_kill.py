"""kill -9 of goalkeeper while it drives: the drive goes on, and comes to the same end."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fault.drives import Driven, End

CHANCE = random.SystemRandom()
KILLS_A_DRIVE = 6
LONGEST_SECONDS = 1.2

Record = Callable[[str, object], None]


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[End, int]:
    driven = Driven(tmp_path_factory.mktemp("undisturbed"))
    return driven.finish(), driven.lines()


def test_an_undisturbed_drive(undisturbed: tuple[End, int]) -> None:
    end, _ = undisturbed

    assert end.goals == (("G001", "complete", 2), ("G002", "complete", 2))
    assert end.spend == {"input_tokens": 400, "output_tokens": 40, "dollars": 1.0}
    assert set(end.finished.values()) == {1}


@pytest.mark.thorough
def test_killed_after_every_entry_of_the_ledger(
    undisturbed: tuple[End, int], tmp_path: Path
) -> None:
    expected, lines = undisturbed
    for part, first in enumerate((3, 4, 5)):
        driven = Driven(tmp_path / str(part))
        for number in range(first, lines, 3):
            driven.kill_at_line(number)
        assert driven.finish() == expected
        assert driven.left_running() == []


def test_killed_at_random_moments(
    undisturbed: tuple[End, int],
    tmp_path: Path,
    rounds: int,
    record_property: Record,
) -> None:
    expected, _ = undisturbed
    kills = 0
    for drive in range(max(1, rounds // KILLS_A_DRIVE)):
        driven = Driven(tmp_path / str(drive))
        for _ in range(KILLS_A_DRIVE):
            seconds = CHANCE.uniform(0.05, LONGEST_SECONDS)
            kills += driven.kill_after(seconds)
        assert driven.finish() == expected
        assert driven.left_running() == []
    record_property("kills", kills)
