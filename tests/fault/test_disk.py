"""Disks that are full, read-only or laid out with ill will: said, and nothing changed."""

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.doubles.faults import POINTS, Fault, FaultyDisk, Strike
from tests.fault.aftermath import History, Undisturbed, history, undisturbed
from tests.fault.rig import Argv, Repo, Result, Tail, lines, planned, without
from tests.fault.scenarios import (
    ADD,
    CLASSIFY,
    CLEAR,
    CREATE,
    REPAIR,
    SCENARIOS,
    START,
    Scenario,
)
from tests.tables import for_each, sampled

# An operation that was done has not failed for want of space.
FULL_POINTS = [point for point in POINTS if point not in {"rename:after", "sync_dir:after"}]
MOVERS = [s for s in SCENARIOS if s.name.startswith(("create-goals", "state-clear"))]
WRITERS = [s for s in SCENARIOS if s not in MOVERS]
STATUS: Argv = ("status", "--json")
VERIFY: Argv = ("ledger", "verify", "--json")
STEER: Argv = (*ADD, "--json")


def on_a_disk_that_is_full(
    scenario: Scenario, root: Path, points: list[str]
) -> Iterator[tuple[Repo, dict[str, bytes], Result, str]]:
    """The repository, its files before, what the command said and where it failed; for each."""
    reached = scenario.prepare(root / "reached").reached(*scenario.command)
    for point in points:
        for nth in range(1, reached.count(point) + 1):
            repo = scenario.prepare(root / f"{point}@{nth}")
            before = repo.files()
            disk = FaultyDisk(Fault(point, nth=nth, strike=Strike.FULL))
            yield repo, before, repo.call(*scenario.command, disk=disk), f"{point}@{nth}"


@pytest.mark.parametrize("scenario", sampled(WRITERS, one_in=5), ids=lambda scenario: scenario.name)
def test_a_command_that_finds_no_space_is_not_recorded_or_says_what_lags(
    scenario: Scenario, tmp_path: Path
) -> None:
    expected = undisturbed(scenario, tmp_path / "undisturbed")
    refused = scenario.name == "steer-rejected"
    codes = set()

    for repo, before, said, where in on_a_disk_that_is_full(scenario, tmp_path, FULL_POINTS):
        codes.add(said.code)
        if where.startswith(("append", "sync")):
            assert said.code == 5, (where, said)
            assert "No space left on device" in said.err, where
            assert without(repo.files(), "lock") == without(before, "lock"), where
            repo.call(*scenario.command)
            assert history(repo) == expected.after, where
        else:
            assert said.code == int(refused), (where, said)
            assert refused or "warning: recorded, but" in said.err, (where, said)
            assert history(repo) == expected.after, where
            assert repo.call(*scenario.command).code in scenario.repeat_codes, where
            assert history(repo) == expected.repeated, where
        repo.did("state", "repair")
        repo.did("ledger", "verify")
    assert codes == {5, int(refused)}


def test_a_refusal_that_is_recorded_says_what_lags(tmp_path: Path) -> None:
    repo = planned(tmp_path, START)
    disk = FaultyDisk(Fault("write_new:half", strike=Strike.FULL))

    said = repo.call("steer", "--kind", "add_subgoal", disk=disk)

    assert said.code == 1
    assert repo.kinds()[-1] == "steering_rejected"
    assert "warning: recorded, but" in said.err


FAMILIES = ("append", "sync", "write_new", "rename", "overwrite", "sync_dir")


@pytest.mark.parametrize("scenario", sampled(MOVERS, one_in=2), ids=lambda scenario: scenario.name)
@for_each("family", FAMILIES)
def test_a_plan_is_made_or_set_aside_or_else_nothing_was(
    scenario: Scenario, family: str, tmp_path: Path
) -> None:
    if (scenario.name, family) == ("state-clear", "sync_dir"):
        return  # it syncs no folder
    expected = undisturbed(scenario, tmp_path / "undisturbed")
    points = [point for point in FULL_POINTS if point.startswith(f"{family}:")]
    met = 0

    for repo, _, said, where in on_a_disk_that_is_full(scenario, tmp_path, points):
        met += 1
        if "not in the archive" in said.err:
            (finding,) = repo.call("state", "doctor", "--json").data["findings"]
            repo.did(*finding["mend"].split()[1:])
            assert outcome(said, expected, where).keys() == history(repo).keys(), (where, said)
            continue
        assert outcome(said, expected, where) == history(repo), (where, said)
        if said.code:
            assert repo.call(*scenario.command).code == 0, where
            assert history(repo) == expected.after, where
    assert met


def outcome(said: Result, expected: Undisturbed, where: str) -> History:
    assert said.code in {0, 5}, (where, said)
    return expected.before if said.code else expected.after


def test_a_plan_that_could_not_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    scenario = Scenario("", (CREATE, START), (*CREATE, "--archive", "a better plan"), session="s1")
    for repo, before, said, where in on_a_disk_that_is_full(
        scenario, tmp_path, ["write_new:before", "rename:before"]
    ):
        if said.code:
            assert without(repo.files(), "lock") == without(before, "lock"), where


def test_a_plan_whose_goals_json_could_not_be_written_says_so(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.did("init", "--yes")
    disk = FaultyDisk(Fault("rename:before", nth=3, strike=Strike.FULL))  # after two marks

    said = repo.call(*CREATE, disk=disk)

    assert said.code == 0
    assert not repo.goals.exists()
    assert "warning: recorded, but" in said.err


# Real disks.


@contextmanager
def mounted(*argv: str, at: Path) -> Iterator[None]:
    done = subprocess.run(["mount", *argv, at], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is not permitted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", at], check=True)


@contextmanager
def read_only(place: Path) -> Iterator[None]:
    """Nobody can write there, not even root, whom permissions do not hold."""
    with mounted("--bind", str(place), at=place):
        subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)
        yield


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few pages."""
    place = tmp_path / "small"
    place.mkdir()
    with mounted("-t", "tmpfs", "-o", "size=192k", "goalkeeper-test", at=place):
        yield place


@pytest.fixture
def crowded(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for few files."""
    place = tmp_path / "crowded"
    place.mkdir()
    with mounted("-t", "tmpfs", "-o", "size=1m,nr_inodes=40", "goalkeeper-test", at=place):
        yield place


def fill(place: Path) -> Path:
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    return filler


def note(number: int) -> Argv:
    words = ("--evidence", f"note {number}", "--rationale", "for the record")
    return ("steer", "--kind", "annotate_ledger", *words)


def test_a_disk_that_is_really_full_loses_nothing_that_was_acknowledged(small: Path) -> None:
    repo = planned(small)
    filler = fill(small)
    acknowledged: list[str] = []

    ledger = repo.ledger.read_bytes()
    said = repo.run(*note(0))
    while said.code == 0:  # there is room at the end of the ledger's last page
        assert "warning: recorded, but" in said.err
        acknowledged.append(f"note {len(acknowledged)}")
        ledger = repo.ledger.read_bytes()
        said = repo.run(*note(len(acknowledged)))
    assert said.code == 5
    assert "No space left on device" in said.err
    assert repo.ledger.read_bytes() == ledger
    assert acknowledged
    assert repo.run(*STATUS).code == 0

    filler.unlink()
    repo.did(*REPAIR)
    repo.did("ledger", "verify")
    assert [line["data"]["evidence"] for line in lines(repo.ledger)[1:-1]] == acknowledged
    repo.did(*note(99))


def test_no_plan_is_made_on_a_disk_that_is_really_full(small: Path) -> None:
    repo = Repo(small)
    filler = fill(small)

    said = repo.run(*CREATE, "--json")

    assert (said.code, said.error["code"]) == (5, "disk-failed")
    assert repo.ledgers() == {}
    assert repo.did(*STATUS).data["exists"] is False
    filler.unlink()
    repo.did(*CREATE)


def test_a_repair_on_a_disk_that_is_really_full_keeps_the_torn_bytes(small: Path) -> None:
    repo = planned(small, CLASSIFY)
    last = Tail(repo, *ADD)
    torn = last.cut(100)
    filler = fill(small)
    ledger = repo.ledger.read_bytes()

    said = repo.run(*REPAIR, "--json")

    assert (said.code, said.error["code"]) == (5, "disk-failed")
    assert repo.ledger.read_bytes() == ledger
    filler.unlink()
    repo.did(*REPAIR)
    assert torn in [kept.read_bytes() for kept in repo.here.glob("quarantine/*")]
    repo.did("ledger", "verify")


def test_a_disk_without_room_for_a_file_still_records(crowded: Path) -> None:
    repo = planned(crowded)
    with suppress(OSError):
        for number in range(99):
            (crowded / f"filler{number}").touch()

    said = repo.run(*ADD)

    assert said.code == 0
    assert "warning: recorded, but" in said.err
    assert "No space left on device" in said.err
    assert repo.kinds() == ["plan_created", "steering_accepted"]
    assert len(repo.run(*STATUS).data["goals"]) == 4


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """The kernel writes so many bytes of a longer file, and no more."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def test_a_write_that_the_kernel_cuts_short_at_any_byte_leaves_no_half_command(
    tmp_path: Path,
) -> None:
    line = len(Tail(planned(tmp_path / "measured", CLASSIFY), *ADD).bytes)
    repo = planned(tmp_path / "repo", CLASSIFY)
    before = repo.files()
    ledger = len(repo.ledger.read_bytes())

    for length in range(0, line, 7):
        with no_file_longer_than(ledger + length):
            said = repo.call(*ADD)
        assert said.code == 5, (length, said)
        assert "File too large" in said.err
        assert repo.files() == before, length
    repo.did(*ADD)


@for_each("asked", [STATUS, VERIFY, ("goal", "get"), ("ledger", "show")], ids=str)
def test_a_read_only_state_can_be_read(asked: Argv, tmp_path: Path) -> None:
    repo = planned(tmp_path)
    with read_only(repo.state):
        assert repo.run(*asked).code == 0


@for_each("asked", [STEER, START, CREATE, REPAIR, CLEAR], ids=lambda argv: argv[0])
def test_a_read_only_state_cannot_be_changed(asked: Argv, tmp_path: Path) -> None:
    repo = planned(tmp_path)
    before = repo.files()
    with read_only(repo.state):
        said = repo.run(*asked, "--json")

    assert (said.code, said.error["code"]) == (5, "disk-failed")
    assert "Read-only file system" in said.err
    assert repo.files() == before


def test_no_plan_is_made_in_a_read_only_repository(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    with read_only(repo.root):
        said = repo.run(*CREATE, "--json")
        assert repo.run(*STATUS).data["exists"] is False

    assert (said.code, said.error["code"]) == (5, "disk-failed")
    assert not repo.state.exists()


def test_a_lock_that_cannot_be_written_stops_writers_only(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    before = repo.files()
    with read_only(repo.here / "lock"):
        said = repo.run(*STEER)
        assert repo.run(*STATUS).code == 0

    assert (said.code, said.error["code"]) == (5, "disk-failed")
    assert f"open the lock {repo.here / 'lock'}" in said.err
    assert repo.files() == before


def test_a_lock_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    (repo.here / "lock").unlink()

    repo.did(*STATUS)
    assert not (repo.here / "lock").exists()
    repo.did(*STEER)
    assert (repo.here / "lock").exists()
