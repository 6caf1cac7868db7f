"""A verification that is killed, runs out of disk, or meets another one."""

import json
import subprocess
import sys

import pytest

from tests.doubles.faults import ENVIRON
from tests.e2e.answering import ASKS, REPORT, answers, asking, states, verify
from tests.e2e.project import Project, contract, criterion
from tests.e2e.world import COMMAND, Answer
from tests.patience import patience

DAILY = {"recurring": {"interval_hours": 4}}


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("project"))


def faulty(project: Project, where: str) -> Answer:
    """`verify` with sound answers, on a disk that fails there."""
    words = ("verify", "--goal-id", "G001", "--answers", "-", "--json")
    done = subprocess.run(
        [sys.executable, "-m", "tests.doubles.faults", where, *words],
        cwd=project.root, env=project.environ(ENVIRON),
        input=json.dumps(answers()).encode(),
        capture_output=True, check=False,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def steps(project: Project) -> list[str]:
    return [event["data"]["step"] for event in project.events("step_verified")]


@pytest.mark.thorough
def test_T47_killed_between_any_two_steps_it_goes_on_where_it_was(project: Project) -> None:
    asking(project)
    verify(project)  # freezes and judges, so that what is appended next are steps

    assert faulty(project, "append:half@1").code == -9
    project.run("state", "repair")
    assert steps(project) == []
    assert faulty(project, "append:after@2").code == -9
    project.run("state", "repair")
    assert steps(project) == ["q1", "q1_5"]
    assert faulty(project, "append:before@2").code == -9
    assert steps(project) == ["q1", "q1_5", "q2"]
    full = faulty(project, "append:half@1,full")
    assert (full.code, full.reason) == (5, "disk-failed")
    assert steps(project) == ["q1", "q1_5", "q2"]

    told = verify(project, answers())

    assert told.code == 0
    assert states(told) == {"q1": "stored", "q1_5": "stored", "q2": "stored", "q3": "passed"}
    assert len(project.events("questions_answered")) == 1
    assert project.run("ledger", "verify").code == 0


def together(project: Project, *words: str, given: bytes = b"") -> list[subprocess.Popen[bytes]]:
    """The same command, twice at once."""
    found = []
    for _ in range(2):
        process = subprocess.Popen(
            [COMMAND, *words], cwd=project.root, env=project.environ(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        process.stdin = None
        found.append(process)
    for process in found:
        process.communicate(timeout=patience(60))
    return found


@pytest.mark.thorough
def test_T55_two_that_verify_at_once_answer_once_and_complete_once(project: Project) -> None:
    asking(project)
    verify(project)

    both = together(project, "verify", "--answers", "-", given=json.dumps(answers()).encode())
    assert [process.returncode for process in both] == [0, 0]
    done = ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done")
    finished = together(project, *done)

    assert len(project.events("questions_answered")) == 1
    assert sorted(steps(project)) == ["q1", "q1_5", "q2", "q3"]
    assert [process.returncode for process in finished] == [0, 0]
    assert len(project.events("goal_completed")) == 1
    assert project.run("ledger", "verify").code == 0


def test_T55_two_that_achieve_a_cycle_at_once_count_one(project: Project) -> None:
    project.begin(contract(criterion("C1", {"file": "report.md"}), **DAILY))
    project.write(REPORT)
    project.judge()

    done = ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done")
    both = together(project, *done)

    assert [process.returncode for process in both] == [0, 0]
    assert len(project.events("cycle_achieved")) == 1
    (told,) = project.run("due", "--json").json["goals"]
    assert (told["streak"], told["cycles"]) == (1, 1)


def test_T47_corrupt_state_is_told_and_nothing_is_verified(project: Project) -> None:
    asking(project, ASKS)
    verify(project, answers())
    (ledger,) = project.state.glob("runs/*/ledger.jsonl")
    sound = ledger.read_bytes()
    ledger.write_bytes(sound.replace(b'"step":"q2"', b'"step":"q4"'))

    told = verify(project, answers())

    assert (told.code, told.reason) == (4, "ledger-broken")
