"""kill -9: afterwards a command has happened wholly or not at all."""

import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.doubles.faults import CHANGE, POINTS
from tests.fault.aftermath import TALLY, Crashed, Undisturbed, undisturbed
from tests.fault.forking import Forks
from tests.fault.rig import Repo, Tail, finished, is_holding, lines, planned
from tests.fault.scenarios import (
    ADD,
    CLASSIFY,
    CREATE,
    REPAIR,
    SCENARIOS,
    SUPERSEDE_BLOCKER,
    TO_SUPERSEDE_BLOCKER,
    Scenario,
)
from tests.tables import for_each, sampled

# Commands that change more than a ledger and its projections.
MOVERS = tuple(s for s in SCENARIOS if s.name.startswith(("create-goals", "state-clear")))

CHANCE = random.SystemRandom()  # not the seeded one, which is the same in every test

Record = Callable[[str, object], None]


class Moment(NamedTuple):
    """Seconds after the start of the command, or after it signed its first lock."""

    seconds: float
    in_the_lock: bool


class Pace(NamedTuple):
    """How long a command takes in all, and from its first lock to its end."""

    whole_seconds: float
    held_seconds: float

    def some_moment(self) -> Moment:
        in_the_lock = CHANCE.random() < 0.5
        span = self.held_seconds if in_the_lock else self.whole_seconds
        return Moment(CHANCE.uniform(0, span), in_the_lock)


Known = Callable[[Scenario], tuple[Undisturbed, Pace]]


@pytest.mark.parametrize(
    "scenario", sampled(SCENARIOS, one_in=6), ids=lambda scenario: scenario.name
)
def test_a_command_killed_at_a_write_point_happened_wholly_or_not_at_all(
    scenario: Scenario, tmp_path: Path, record_property: Record, forks: Forks
) -> None:
    expected = undisturbed(scenario, tmp_path / "undisturbed")
    reached = Counter(scenario.prepare(tmp_path / "reached").reached(*scenario.command))
    tally: Counter[str] = Counter()

    for point, nth in moments(scenario, reached):
        repo = scenario.prepare(tmp_path / f"{point}@{nth}")
        code = forks.run(repo, f"{point}@{nth}", *scenario.command)
        assert code == -signal.SIGKILL, (point, nth)
        tally += checked(repo, scenario, expected, f"{point}@{nth}")

    assert {"absent", "whole"} <= set(tally)
    record_property(TALLY, dict(tally))


def moments(scenario: Scenario, reached: Mapping[str, int]) -> list[tuple[str, int]]:
    """When to kill it: whatever moves a run, always; others, which write alike, in turn.

    Each is killed around what it appends, and at every third of the other moments; which ones,
    differs from one to the next.
    """
    every = [(point, nth) for point in POINTS for nth in range(1, reached[point] + 1)]
    if scenario in MOVERS:
        return every
    numbered = enumerate(every, SCENARIOS.index(scenario))
    return [moment for n, moment in numbered if moment[0].startswith("append") or n % 3 == 0]


@pytest.mark.parametrize("scenario", sampled(MOVERS, one_in=3), ids=lambda scenario: scenario.name)
def test_a_command_killed_before_any_change_it_makes_happened_wholly_or_not_at_all(
    scenario: Scenario, tmp_path: Path, record_property: Record, forks: Forks
) -> None:
    expected = undisturbed(scenario, tmp_path / "undisturbed")
    tally: Counter[str] = Counter()

    for nth in count(1):
        repo = scenario.prepare(tmp_path / str(nth))
        code = forks.run(repo, f"{CHANGE}@{nth}", *scenario.command)
        if code == 0:
            break
        assert code == -signal.SIGKILL, nth
        tally += checked(repo, scenario, expected, f"change {nth}")

    assert "absent" in tally
    record_property(TALLY, dict(tally))


def test_a_command_killed_at_a_random_moment_happened_wholly_or_not_at_all(
    rounds: int, tmp_path: Path, known: Known, record_property: Record
) -> None:
    tally: Counter[str] = Counter()

    for number in range(rounds):
        scenario = CHANCE.choice(SCENARIOS)
        expected, pace = known(scenario)
        repo = scenario.prepare(tmp_path / str(number))
        moment = pace.some_moment()
        tally["rounds"] += 1
        if killed_at(moment, repo, *scenario.command):
            tally += checked(repo, scenario, expected, str(moment))
        else:
            tally["too late"] += 1

    record_property(TALLY, dict(tally))


@for_each("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_what_is_appended_is_synced_before_anything_else_is_done(
    scenario: Scenario, tmp_path: Path
) -> None:
    """A kill cannot show it, only a power cut."""
    reached = scenario.prepare(tmp_path / scenario.name).reached(*scenario.command)

    for place in [n for n, point in enumerate(reached) if point == "append:after"]:
        assert reached[place + 1 : place + 3] == ["sync:before", "sync:after"]
    assert "append:after" in reached


def test_a_new_plan_is_synced_before_and_after_it_takes_its_place(tmp_path: Path) -> None:
    reached = Repo(tmp_path).reached(*CREATE)

    placed = len(reached) - 1 - reached[::-1].index("rename:after")
    assert "sync_dir:after" in reached[:placed]
    assert "sync_dir:after" in reached[placed:]


def checked(repo: Repo, scenario: Scenario, expected: Undisturbed, moment: str) -> Counter[str]:
    crashed = Crashed(repo, scenario, expected)
    try:
        crashed.check()
    except AssertionError as exc:
        exc.add_note(f"{scenario.name}, killed at {moment}, in {repo.root}")
        raise
    return crashed.tally


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """What a scenario records when nobody disturbs it, and how long it takes."""

    @cache
    def learn(scenario: Scenario) -> tuple[Undisturbed, Pace]:
        place = tmp_path_factory.mktemp(scenario.name)
        return undisturbed(scenario, place / "told"), measured(scenario, place / "timed")

    return learn


def measured(scenario: Scenario, root: Path) -> Pace:
    repo = scenario.prepare(root)
    started = time.perf_counter()
    process = repo.start("goalkeeper", *scenario.command)
    spin(process, until=lambda: is_holding(process, *locks(repo)))
    held = time.perf_counter()
    finished(process)
    ended = time.perf_counter()
    return Pace(ended - started, ended - held)


def killed_at(moment: Moment, repo: Repo, *argv: str) -> bool:
    """Whether the process was still there to be killed."""
    process = repo.start("goalkeeper", *argv)
    if moment.in_the_lock:
        spin(process, until=lambda: is_holding(process, *locks(repo)))
    with suppress(subprocess.TimeoutExpired):
        process.wait(moment.seconds)
    process.kill()
    return finished(process).code == -signal.SIGKILL


def spin(process: subprocess.Popen[str], *, until: Callable[[], bool]) -> None:
    """Wait without giving up the processor, until then or until the process has ended."""
    while process.poll() is None and not until():
        pass


def locks(repo: Repo) -> list[Path]:
    return [repo.state / "runs" / ".lock", *repo.state.glob("runs/[0-9]*/lock")]


def torn(root: Path) -> tuple[Repo, bytes]:
    """A repository whose last command is torn, and the torn bytes."""
    repo = planned(root)
    tail = Tail(repo, *ADD)
    return repo, tail.cut(len(tail.bytes) // 2)


REPAIR_POINTS = [point for point in POINTS if not point.startswith("sync_dir")]


@for_each("point", REPAIR_POINTS)
def test_a_repair_that_is_killed_loses_no_torn_byte(
    point: str, tmp_path: Path, forks: Forks
) -> None:
    repo, tail = torn(tmp_path / point)

    killed = forks.run(repo, f"{point}@1", *REPAIR)
    assert killed == -signal.SIGKILL
    repo.did(*REPAIR)

    assert tail in quarantined(repo)
    repo.did("ledger", "verify")
    recorded = [action for line in lines(repo.ledger) for action in line["data"].get("actions", ())]
    assert f"moved {len(tail)} torn bytes" in " ".join(recorded)


def test_a_repair_killed_before_any_change_it_makes_can_be_repeated(
    tmp_path: Path, forks: Forks
) -> None:
    for nth in count(1):
        repo, tail = torn(tmp_path / str(nth))
        code = forks.run(repo, f"{CHANGE}@{nth}", *REPAIR)
        repo.did(*REPAIR)

        assert repo.kinds()[0] == "plan_created", nth
        assert set(repo.kinds()[1:]) == {"ledger_repaired"}, nth
        assert tail in quarantined(repo), nth
        repo.did("ledger", "verify")
        repo.did(*ADD)
        if code == 0:
            break
    assert nth > 5


def quarantined(repo: Repo) -> list[bytes]:
    return [kept.read_bytes() for kept in repo.here.glob("quarantine/*")]


def test_a_staged_run_is_discarded_as_the_doctor_says_also_when_there_is_no_other(
    tmp_path: Path,
) -> None:
    repo = Repo(tmp_path)
    killed = repo.faulty("append:after@1", *CREATE)
    assert killed.code == -signal.SIGKILL
    (finding,) = repo.call("state", "doctor", "--json").data["findings"]
    assert finding["code"] == "staged-run"

    repo.did(*finding["mend"].split()[1:])

    assert list(repo.state.glob("runs/.new-*")) == []


def test_a_plan_can_be_made_after_a_kill_also_when_the_clock_was_set_back(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    in_2099 = repo.call(*CREATE, clock=lambda: "2099-01-01T00:00:00.000000Z")
    assert in_2099.code == 0
    killed = repo.faulty("append:after@1", *CREATE, "--archive", "a better plan")
    assert killed.code == -signal.SIGKILL

    repo.did(*CREATE, "--archive", "a better plan")


def test_a_replacement_that_is_killed_leaves_a_session_a_run_of_its_own(
    tmp_path: Path, forks: Forks
) -> None:
    for nth in count(1):
        mine = Repo(tmp_path / str(nth), session="mine")
        other = Repo(tmp_path / str(nth), session="other")
        own = mine.did(*CREATE, "--json").data["run_id"]
        others = other.did(*CREATE, "--json").data["run_id"]
        code = forks.run(mine, f"rename:before@{nth}", *CREATE, "--archive", "a better plan")

        found = mine.did("status", "--json").data.get("run_id")
        assert other.did("status", "--json").data["run_id"] == others
        if code == 0:
            assert found not in {None, own, others}
            break
        assert found not in {None, others}, nth
    assert nth > 4


def test_a_steer_killed_once_recorded_can_be_repeated_also_when_it_reopened_a_goal(
    tmp_path: Path,
) -> None:
    repo = planned(tmp_path, *TO_SUPERSEDE_BLOCKER[1:])
    killed = repo.faulty("sync:after@1", *SUPERSEDE_BLOCKER)
    assert killed.code == -signal.SIGKILL

    repo.did(*SUPERSEDE_BLOCKER)

    assert "steering_rejected" not in repo.kinds()


def test_a_kill_leaves_no_file_behind_once_the_state_is_repaired(tmp_path: Path) -> None:
    repo = planned(tmp_path, ADD)
    before = set(repo.files())
    killed = repo.faulty("write_new:half@1", *CLASSIFY)
    assert killed.code == -signal.SIGKILL

    repo.did(*REPAIR)

    assert set(repo.files()) == before
