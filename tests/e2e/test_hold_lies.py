"""An agent that would rather be let go than do the work."""

import json
import shutil

import pytest

from tests.e2e.holds import Held
from tests.e2e.project import contract, criterion

PASSED = {
    "outcome": "passed",
    "tree": "0" * 40,
    "began": 4e9,
    "mark": "",
    "failing": [],
    "text": "",
}
EASY = {"command": ["grep", "-q", "bad but long", "answer.txt"]}
OFF = ("ulw", "off", "--client", "claude", "--session", "s1")


def is_proven(world: Held) -> bool:
    """Whether the ledger of the only run says so."""
    return bool(world.events("goal_completed"))


@pytest.mark.parametrize(
    "lie",
    [
        {"verdict": PASSED},
        {"blocks": 8},
        {"blocks": -100},
        {"max_blocks": 1},
        {"ended": "proven"},
        {"verify": [["true"]]},
    ],
    ids=lambda lie: next(iter(lie)),
)
def test_a_hold_that_its_agent_wrote_proves_nothing(armed: Held, lie: dict[str, object]) -> None:
    path = armed.hold_file()
    told = json.loads(path.read_bytes())
    path.write_text(json.dumps({**told, "hold": {**told["hold"], **lie}}))

    said = armed.stop()

    assert "Let go, NOT proven" in said.notice
    assert "changed by somebody else" in said.notice
    assert not is_proven(armed)


def test_a_verdict_that_its_agent_wrote_and_sealed_proves_nothing(armed: Held) -> None:
    """It runs as its user, so it can read the key."""
    armed.stop()
    verdict = armed.hold()["verdict"]
    armed.rewrite(verdict={**verdict, "outcome": "passed", "failing": [], "began": 4e9})

    assert "V1 failed" in armed.stop().block
    armed.rewrite(ended="proven")
    assert armed.ok("ulw", "status")["holds"][0]["state"] == "NOT proven (its ledger has no proof)"
    assert not is_proven(armed)


def test_an_old_hold_of_our_own_brings_back_nothing_that_was_not_proven(armed: Held) -> None:
    """It bears our code; but the verdict in it is about the files that it was about."""
    old = armed.hold_file().read_bytes()
    armed.stop()
    armed.hold_file().write_bytes(old)

    assert armed.stop().block
    assert not is_proven(armed)


def test_who_deletes_the_hold_is_let_go_unproven(armed: Held) -> None:
    shutil.rmtree(armed.state / "hold")

    assert "Let go, NOT proven" in armed.stop().notice
    assert not is_proven(armed)


def test_who_deletes_the_run_is_not_proven(armed: Held) -> None:
    shutil.rmtree(armed.state / "runs")
    armed.mend()

    said = armed.stop()

    assert said.block == ""
    assert "NOT proven" in said.notice


def test_who_deletes_all_of_the_state_is_not_proven(armed: Held) -> None:
    shutil.rmtree(armed.state)
    armed.mend()

    said = armed.stop()

    assert said.block == ""
    assert "NOT proven" in said.notice


def test_who_deletes_the_tests_is_held_for_it(armed: Held) -> None:
    (armed.root / "tests/test_it.py").unlink()
    armed.mend()

    said = armed.stop()

    assert "test-removed tests/test_it.py" in said.block
    assert not is_proven(armed)


def test_a_check_that_its_agent_rewrote_is_run_as_it_was(armed: Held) -> None:
    armed.write("check.sh", "exit 0\n")

    said = armed.stop()

    assert "V1 failed" in said.block
    assert not is_proven(armed)


def test_the_commands_are_those_of_the_beginning(armed: Held) -> None:
    armed.configure("cooldown = 0", verify='[["true"]]')
    armed.work(number=1)

    said = armed.stop()

    assert "V1 failed, sh check.sh" in said.block
    assert armed.hold()["verify"] == [["sh", "check.sh"]]


def test_the_limits_are_those_of_the_beginning(armed: Held) -> None:
    armed.configure("cooldown = 0\nmax_blocks = 1\nminutes = 1")
    assert "block 1 of 8" in armed.stop().block
    assert "block 2 of 8" in armed.stop(stop_hook_active=True).block


def test_only_the_user_turns_it_off(armed: Held) -> None:
    agent = armed.surroundings("claude", "s1")
    assert armed.refused(*OFF, env=agent) == "hold-is-the-users"
    assert armed.refused(*OFF) == "hold-is-the-users"  # without a terminal: anybody
    assert armed.is_watched()
    assert armed.stop().block


def test_a_contract_that_its_agent_froze_is_refused(armed: Held) -> None:
    """The commands are frozen with the first proof."""
    armed.write("own.json", json.dumps(contract(criterion("C1", EASY))))
    agent = armed.surroundings("claude", "s1")

    words = ("contract", "freeze", "--run", armed.hold()["run"], "--file", "own.json")
    assert armed.refused(*words, env=agent) == "contract-frozen"

    assert "V1 failed" in armed.stop().block


def test_a_contract_that_was_frozen_before_ours_proves_nothing(held: Held) -> None:
    """It may come to that before the first proof has begun."""
    agent = held.surroundings("claude", "s1")
    held.ok("ulw", "on", "--client", "claude", "--session", "s1", env=agent)
    held.write("own.json", json.dumps(contract(criterion("C1", EASY))))
    held.ok("contract", "freeze", "--run", held.hold()["run"], "--file", "own.json", env=agent)
    held.write("answer.txt", "bad but long\n")

    said = held.stop()

    assert said.block == ""
    assert "NOT proven" in said.notice
    assert "not the one that ultrawork froze" in said.notice
    assert not is_proven(held)


def test_a_goal_that_its_agent_calls_complete_is_not(armed: Held) -> None:
    agent = armed.surroundings("claude", "s1")
    words = ("--goal-id", "G001", "--status", "complete", "--evidence", "I say so")
    armed.refused("checkpoint", "--run", armed.hold()["run"], *words, env=agent)

    assert "V1 failed" in armed.stop().block


@pytest.mark.thorough
def test_a_commit_changes_nothing(held: Held) -> None:
    held.arm()
    held.work(number=1)
    held.commit()

    assert "V1 failed" in held.stop().block
    held.mend()
    held.commit()
    assert "Proven" in held.stop().notice


def test_a_file_that_git_ignores_proves_nothing(held: Held) -> None:
    """What is not in the tree is not there when it is checked."""
    held.arm()
    held.write(".gitignore", "answer.txt\n")
    held.git("rm", "--quiet", "--cached", "answer.txt")
    held.mend()

    assert held.stop().block
    assert not is_proven(held)
