"""Many processes at one state: everybody's turn comes whole, once, or not at all."""

import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from goalkeeper.errors import TryAgain
from goalkeeper.storage.lock import hold_lock
from tests.fault.aftermath import projections, replayed
from tests.fault.forking import Forks
from tests.fault.rig import (
    DEADLINE_SECONDS,
    Argv,
    Repo,
    finished,
    is_holding,
    lines,
    planned,
    stopped,
    wait_until,
)
from tests.fault.scenarios import ADD, CLASSIFY, CREATE, FAIL, HAND_OFF, REPAIR, START
from tests.patience import patience
from tests.tables import for_each

TIMEOUT = "GOALKEEPER_LOCK_TIMEOUT"
REPLACE: Argv = (*CREATE, "--archive", "a better plan")


def steer(number: int) -> Argv:
    if number % 5 == 0:
        return ("steer", "--kind", "annotate_ledger", *words(number))
    added = ("--title", f"Title {number}", "--objective", f"Do {number}.")
    return ("steer", "--kind", "add_subgoal", *added, *words(number))


def words(number: int) -> Argv:
    return ("--evidence", f"evidence {number}", "--rationale", "it is needed")


def waits_for(lock: Path, process: subprocess.Popen[str]) -> bool:
    """Whether the process has the lock's file open, or has given up already."""
    if process.poll() is not None:
        return True
    try:
        fds = list(Path(f"/proc/{process.pid}/fd").iterdir())
        return any(fd.readlink() == lock for fd in fds)
    except OSError:  # a file was closed while we looked
        return False


@pytest.mark.thorough
def test_of_twenty_writers_at_once_each_is_recorded_once_or_told_to_try_again(
    tmp_path: Path,
) -> None:
    repo = planned(tmp_path)
    lock = repo.here / "lock"
    with hold_lock(str(lock), shared=False, timeout_seconds=0):
        patient = [repo.start("goalkeeper", *steer(number)) for number in range(16)]
        hasty = [repo.start("goalkeeper", *steer(n), **{TIMEOUT: "0"}) for n in range(16, 20)]
        refused = [finished(process).code for process in hasty]
        for process in patient:
            wait_until(lambda p=process: waits_for(lock, p), "all to stand at the lock")  # type: ignore[misc]

    codes = [*(finished(process).code for process in patient), *refused]

    assert set(codes) <= {0, 75}
    assert codes.count(0) > 0
    assert set(codes[16:]) == {75}
    told = Counter(line["data"].get("evidence") for line in lines(repo.ledger)[1:])
    assert told == Counter(f"evidence {number}" for number, code in enumerate(codes) if code == 0)
    assert_sound(repo)
    goals = [goal["id"] for goal in json.loads(repo.goals.read_bytes())["goals"]]
    assert goals == [f"G{number:03d}" for number in range(1, len(goals) + 1)]


def assert_sound(repo: Repo) -> None:
    repo.did("ledger", "verify")
    run = repo.file_run()
    assert replayed(run) == projections(repo.here)[0]


def test_of_ten_that_make_a_plan_at_once_exactly_one_does(tmp_path: Path) -> None:
    repo = Repo(tmp_path)

    results = [finished(p) for p in [repo.start("goalkeeper", *CREATE) for _ in range(10)]]

    assert sorted(result.code for result in results) == [0] + 9 * [1]
    assert all("plan-is-live" in result.out for result in results if result.code)
    assert len(repo.ledgers()) == 1
    assert_sound(repo)
    assert repo.call("state", "doctor").code == 0


def test_ten_sessions_that_make_a_plan_at_once_each_have_their_own(tmp_path: Path) -> None:
    repos = [Repo(tmp_path, session=f"session {number}") for number in range(10)]

    results = [finished(p) for p in [r.start("goalkeeper", *CREATE, "--json") for r in repos]]

    assert [result.code for result in results] == 10 * [0]
    made = [result.data["run_id"] for result in results]
    assert len(set(made)) == 10
    assert [repo.did("status", "--json").data["run_id"] for repo in repos] == made


def test_readers_never_fail_and_never_see_half_a_command(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.did("create-goals", "--brief", "Do one thing.")
    repo.did(*HAND_OFF)
    # The retry records two events: no more handed off, and active. Between them is no state.
    turns = (*START, "--retry-failed"), HAND_OFF, FAIL
    whole = {
        ("planning", "pending"),
        ("", "active"),
        ("planning", "active"),
        ("planning", "failed"),
    }
    seen: Counter[tuple[str, str]] = Counter()

    for turn in 2 * turns:
        writer = repo.start("goalkeeper", *turn)
        while writer.poll() is None:
            status = repo.did("status", "--json").data
            seen[status.get("handoff", ""), status["goals"][0]["status"]] += 1
        assert finished(writer).code == 0

    assert set(seen) <= whole
    assert len(seen) > 2


@pytest.mark.thorough
def test_at_every_moment_of_a_replacement_readers_see_the_old_plan_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks: Forks
) -> None:
    monkeypatch.setenv(TIMEOUT, "0")
    reached = planned(tmp_path / "reached").reached(*REPLACE)
    moments = Counter(point for point in reached if point.endswith(("before", "half")))
    seen: Counter[str] = Counter()

    for point, nth in [(p, nth) for p in moments for nth in range(1, moments[p] + 1)]:
        repo = planned(tmp_path / f"{point}@{nth}")
        old = repo.here.name
        with forks.stopped(repo, f"{point}@{nth}", *REPLACE):
            said = repo.call("status", "--json")
        if said.code == 75:
            seen["wait"] += 1
            continue
        seen["old" if said.data["run_id"] == old else "new"] += 1
        assert said.data["status"] == "pending", (point, nth)

    assert set(seen) == {"wait", "new"}


def test_a_reader_overtaken_by_a_replacement_is_told_to_try_again(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    chosen = repo.file_run()

    repo.did(*REPLACE)

    with pytest.raises(TryAgain):
        chosen.read()


def test_a_writer_goes_ahead_when_the_holder_of_the_lock_was_killed(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    with stopped(repo, "append:before@1", *ADD) as holder:
        assert is_holding(holder, repo.here / "lock")
        holder.kill()
        finished(holder)

        (finding,) = repo.call("state", "doctor", "--json").data["findings"]
        assert finding["code"] == "dead-lock-holder"
        assert f"process {holder.pid} (goalkeeper steer)" in finding["message"]
        after = repo.run(*CLASSIFY, **{TIMEOUT: "0"})

    assert after.code == 0
    assert repo.kinds() == ["plan_created", "blocker_classified"]


@for_each(
    "command", [CLASSIFY, ("status",), ("ledger", "verify"), REPAIR, ("state", "doctor")], ids=str
)
@pytest.mark.thorough
def test_a_living_holder_is_never_robbed(command: Argv, tmp_path: Path) -> None:
    repo = planned(tmp_path)
    with stopped(repo, "append:half@1", *ADD) as holder:
        before = repo.files()
        waited = repo.run(*command, "--json", **{TIMEOUT: "0.3"})
        assert repo.files() == before

        if command == ("state", "doctor"):
            (finding,) = waited.data["findings"]
            assert (waited.code, finding["code"]) == (1, "lock-busy")
        else:
            assert (waited.code, waited.error["code"]) == (75, "lock-busy")
            assert "0.3 s" in waited.err
        assert f"process {holder.pid} (goalkeeper steer)" in waited.out

        holder.send_signal(signal.SIGCONT)
        assert finished(holder).code == 0
    assert repo.kinds() == ["plan_created", "steering_accepted"]
    assert_sound(repo)


def test_a_lock_that_names_somebody_elses_process_is_not_held_by_it(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    (repo.here / "lock").write_text(f"{os.getpid()}\n12345\ngoalkeeper steer\n")

    (finding,) = repo.call("state", "doctor", "--json").data["findings"]
    assert finding["code"] == "dead-lock-holder"
    repo.did(*ADD)
    assert repo.call("state", "doctor").code == 0


def test_a_repair_leaves_a_plan_alone_that_is_being_made(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    with stopped(repo, "append:after@1", *REPLACE) as maker:
        repo.run(*REPAIR, **{TIMEOUT: "0"})
        maker.send_signal(signal.SIGCONT)
        made = finished(maker)

    assert made.code == 0, made
    assert_sound(repo)


def test_the_doctor_finds_nothing_wrong_with_a_plan_that_is_being_made(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    with stopped(repo, "append:after@1", *REPLACE):
        findings = repo.run("state", "doctor", "--json", **{TIMEOUT: "0"}).data["findings"]

    assert [finding["code"] for finding in findings] == ["lock-busy"]


def test_who_is_told_to_try_again_has_made_no_plan(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    before = repo.ledgers()
    lock = str(repo.here / "lock")
    with hold_lock(lock, shared=True, timeout_seconds=patience(DEADLINE_SECONDS)):
        told = repo.run(*REPLACE, **{TIMEOUT: "0.3"})

    assert told.code == 75
    assert repo.ledgers() == before
