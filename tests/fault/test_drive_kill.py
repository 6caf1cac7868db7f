"""kill -9 of goalkeeper, and disks that fail: one `run` comes to the same end, at no more cost."""

import random
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doubles.faults import POINTS
from tests.fault.aftermath import TALLY
from tests.fault.drives import BRIEF, RUN, USAGE, Driven, End
from tests.fault.forking import Forks
from tests.patience import patience

CHANCE = random.SystemRandom()
LONGEST_SECONDS = {"run": 1.2, "judge": 0.8, "contract": 0.8, "review": 0.8}
MOST_SECONDS = 0.25  # of other commands
NUMBERS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
MOST_TIMES = 10  # a drive of one goal passes most points of writing so often
WHY = ("--evidence", "seen", "--rationale", "it decides the rest")
COMMANDS = (
    RUN, RUN, RUN, RUN, ("judge", "--isolation", "checkout"), ("contract", "check"),
    ("contract", "freeze", "--isolation", "checkout"), ("complete-goals",), ("audit",), ("status",),
    ("why", "G001"), ("report",), ("land",), ("init", "--yes"), ("ledger", "verify"),
    ("ledger", "show"), ("state", "doctor"), ("state", "repair"), ("receipt", "issue"),
    ("goal", "create"), ("steer", "--kind", "annotate_ledger", *WHY), ("doctor",),
    ("lanes", "show", "--goal-id", "G001"), ("review", "--spec", "brief.md"), ("due",),
)  # fmt: skip
# One goal that is met at once: most of a round is then what is tried.
ONE = BRIEF.partition("@goal: Two")[0]
AT_ONCE = {"G001": [{"write": {"path": "one.txt", "text": "right\n"}}, USAGE, {"say": "done"}]}

Record = Callable[[str, object], None]


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[End, int]:
    driven = Driven(tmp_path_factory.mktemp("undisturbed"))
    return driven.finish(), driven.lines()


def test_an_undisturbed_drive(undisturbed: tuple[End, int]) -> None:
    end, _ = undisturbed

    assert end.goals == (("G001", "complete", 2), ("G002", "complete", 2))
    assert set(end.finished.values()) == {1}
    assert end.calls_too_many == []


@pytest.mark.thorough
def test_killed_after_every_entry_of_the_ledger(
    undisturbed: tuple[End, int], tmp_path: Path, forks: Forks
) -> None:
    expected, lines = undisturbed
    for part, first in enumerate((3, 4, 5)):
        driven = Driven(tmp_path / str(part))
        for number in range(first, lines, 3):
            driven.kill_at_line(forks, number)
        assert driven.finish() == expected


def check_end(driven: Driven, met: str) -> None:
    """One `run` proves the goal, and asks no agent after the work is done."""
    try:
        end = driven.finish()
        assert [status for _, status, _ in end.goals] == ["complete"]
        assert (set(end.finished.values()), end.calls_too_many) == ({1}, [])
        assert driven.left_running() == []
    except AssertionError as exc:
        exc.add_note(f"{met}, in {driven.root}")
        raise


def test_one_run_mends_what_a_kill_left(
    tmp_path: Path, rounds: int, record_property: Record
) -> None:
    tally: Counter[str] = Counter()
    for number in range(max(1, rounds // 3)):
        driven = Driven(tmp_path / str(number), brief=ONE, story=AT_ONCE)
        begun = [RUN] if CHANCE.random() < 0.5 else []  # others meet work that was cut short
        met = []
        for words in (*begun, CHANCE.choice(COMMANDS)):
            longest = LONGEST_SECONDS.get(words[0], MOST_SECONDS)
            seconds, sent = CHANCE.uniform(0.02, longest), CHANCE.choice(NUMBERS)
            tally["killed" if driven.kill_after(seconds, *words, number=sent) else "too late"] += 1
            met.append(f"{words[:2]} {sent!r} after {seconds:.3f} s")
        check_end(driven, "; ".join(met))
        tally["runs that mended"] += 1
    record_property(TALLY, dict(tally))


def test_one_run_mends_what_a_full_disk_left(
    tmp_path: Path, rounds: int, record_property: Record
) -> None:
    tally: Counter[str] = Counter()
    for number in range(max(1, rounds // 6)):
        driven = Driven(tmp_path / str(number), brief=ONE, story=AT_ONCE)
        where = f"{CHANCE.choice(POINTS)}@{CHANCE.randint(1, MOST_TIMES)},full"
        met = driven.start(*RUN, fault=where)
        out, _ = met.communicate(timeout=patience(60))
        is_told = b"recorded, but" in out
        tally[f"disk faults, exit {met.returncode}{', lagging' if is_told else ''}"] += 1
        check_end(driven, where)
    record_property(TALLY, dict(tally))
