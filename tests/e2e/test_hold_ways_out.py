"""An agent that looks for a way around what holds it, with goalkeeper's own commands and git's."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.holds import Held
from tests.tables import thorough

BRIEF = "@goal: First\nMend the answer.\n\n@goal: Second\nMend it once more.\n"
WEAK = """criteria:
  - {id: C1, text: there is a note, check: {command: [test, -e, note.txt]}}
"""
FENCE = "```contract\n" + WEAK + "```\n"


@pytest.fixture
def armed(held: Held) -> Held:
    held.arm()
    assert held.stop().block
    return held


def agent(world: Held) -> dict[str, str]:
    return world.surroundings("claude", "s1")


def test_a_held_session_is_not_moved_to_an_easier_repository(armed: Held, tmp_path: Path) -> None:
    easy = Held(tmp_path / "easy")
    environ = {**agent(armed), "HOME": str(armed.home)}

    answer = easy.run("ulw", "on", "--json", env=environ, input=b"easy")

    assert (answer.code, answer.reason) == (1, "held-elsewhere")
    assert str(armed.hold_file()) in answer.json["error"]["message"]
    armed.work(number=1)
    assert armed.stop().block


def test_who_deletes_the_hold_is_not_held_anew_by_itself(armed: Held) -> None:
    armed.hold_file().unlink()

    answer = armed.run("ulw", "on", "--json", env=agent(armed), input=b"something else")

    assert (answer.code, answer.reason) == (1, "held-elsewhere")
    assert "NOT proven" in armed.stop().notice


def test_a_hold_that_is_over_does_not_come_back(armed: Held) -> None:
    armed.mend()
    assert "Proven" in armed.stop().notice
    old = armed.hold_file().read_bytes()
    armed.write("answer.txt", "bad again\n")
    armed.prompt("ulw mend it again")
    armed.settle()
    assert armed.stop().block

    armed.hold_file().write_bytes(old)

    said = armed.stop()
    assert "NOT proven" in said.notice
    assert "of another time" in said.notice


def test_files_that_are_swapped_around_a_proof_are_not_proven(held: Held) -> None:
    held.write("check.sh", "grep -q good box/answer.txt\n")
    held.write("box/answer.txt", "bad\n")
    held.commit()
    held.arm()
    box, aside = held.root / "box", held.root.parent / "aside"
    shutil.copytree(box, aside)
    (aside / "answer.txt").write_text("good\n")
    bad = held.root.parent / "bad"

    box.rename(bad)
    aside.rename(box)
    proven = held.run("ulw", "prove", "--hook", "--record", "--json", env=agent(held))
    box.rename(aside)
    bad.rename(box)

    assert proven.json["verdict"] == "passed"  # of what was there then
    assert "files changed since" in held.stop().block


@pytest.mark.parametrize("goal", [thorough("G001"), "G002"])
def test_what_was_promised_is_what_it_is_proven_by(held: Held, goal: str) -> None:
    """The user's own run, whose goals have no contract: the agent gives them one."""
    held.plan(BRIEF, env=agent(held))
    weak = held.root / "weak.yaml"
    weak.write_text(WEAK)
    said = held.prompt("ulw go through the plan")
    assert "G001: sh check.sh; G002: sh check.sh" in said.notice
    held.run("contract", "freeze", "--goal-id", goal, "--file", weak, env=agent(held))
    held.settle()

    held.mend()
    held.write("note.txt", "x\n")
    held.stop()
    for each in ("G001", "G002"):
        words = ("--goal-id", each, "--status", "complete", "--evidence", "done")
        held.run("checkpoint", *words, env=agent(held))
        said = held.stop()

    by_ours = all("check.sh" in str(event) for event in held.events("contract_frozen"))
    assert ("Proven" in said.notice) is by_ours


def test_a_watch_that_is_gone_shows(armed: Held) -> None:
    (armed.watches / "claude-s1").unlink()

    assert armed.stop().out == ""  # nothing is left that could say so
    (hold,) = armed.ok("ulw", "status")["holds"]
    assert hold["state"] == "lost (its watch is gone)"
    assert "was deleted; no stop was let through" in hold["why"]


def test_a_session_that_ended_at_no_stop_of_ours_shows(armed: Held) -> None:
    client = subprocess.Popen(["sleep", "60"])
    armed.prompt("go on", env={"CLAUDE_PID": str(client.pid)})
    assert armed.ok("ulw", "status")["holds"][0]["state"] == "held"
    armed.write(".claude/settings.json", '{"disableAllHooks": true}')
    client.kill()
    client.wait()

    (hold,) = armed.ok("ulw", "status")["holds"]

    assert hold["state"] == "ended unasked"
    assert hold["why"].startswith("the client has ended; ")
    assert hold["why"].endswith("settings.json sets disableAllHooks true; no stop was let through")
    assert "so hooks are not called any more" in armed.stop().notice


@pytest.mark.thorough
def test_who_asks_again_after_the_hold_vanished_is_held_again(armed: Held) -> None:
    shutil.rmtree(armed.state / "hold")

    assert "Ultrawork is on" in armed.prompt("ulw mend the answer").notice
    assert "V1 failed" in armed.stop().block


def test_a_hold_that_cannot_be_read_shows(armed: Held) -> None:
    armed.hold_file().write_text("{}")

    told = armed.ok("ulw", "status")

    assert (told["holds"], told["unreadable"]) == ([], ["claude-s1"])


def test_an_agent_at_a_terminal_of_its_own_is_an_agent(armed: Held) -> None:
    """`script` gives it one, and the client's variables can be taken away."""
    inner = "env -u CLAUDECODE -u CLAUDE_CODE_SESSION_ID goalkeeper ulw off --client claude"
    answer = armed.in_a_shell(f"script -qec '{inner} --session s1' /dev/null", agent(armed))

    assert "hold-is-the-users" in answer
    assert armed.hold()["ended"] == ""


@pytest.mark.thorough
def test_asked_for_again_after_it_was_given_up_it_is_held_again(armed: Held) -> None:
    armed.ok("blocked", "--run", armed.hold()["run"], "--as", "needs-human", "--evidence", "x?",
             env=agent(armed))  # fmt: skip
    assert "needs-human" in armed.stop().notice

    armed.prompt("ulw it is plus, go on")
    armed.settle()

    assert "block 1 of 8" in armed.stop().block


def test_a_run_that_was_closed_ends_the_hold(armed: Held) -> None:
    run_id = armed.hold()["run"]
    armed.ok("state", "clear", "--force", "--mode", "ultragoal", "--run", run_id, env=agent(armed))

    assert "NOT proven" in armed.stop().notice

    assert not armed.is_watched() or armed.hold()["ended"]


@pytest.mark.thorough
def test_a_contract_at_the_end_of_a_long_prompt_is_read(held: Held) -> None:
    said = held.prompt("ulw " + "word " * 30_000 + "\n" + FENCE)

    assert "there is a note" in said.notice
    assert len(held.hold()["objective"]) == 2000


@pytest.mark.thorough
def test_stop_ultrawork_frees_also_while_somebody_has_the_lock(armed: Held) -> None:
    with armed.locking():
        said = armed.prompt("stop ultrawork")

    assert "Ultrawork is off" in said.notice
    assert (armed.is_watched(), armed.stop().out) == (False, "")
