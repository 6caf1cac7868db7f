"""A stop of a held session: what the check says decides, within limits."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.holds import CHECK, Held

RUNNING = {"id": "t", "type": "shell", "status": "running"}
CRON = {"id": "c", "schedule": "* * * * *", "recurring": True, "prompt": "look again"}


@pytest.fixture(scope="module")
def armed_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    world = Held(tmp_path_factory.mktemp("armed"), "cooldown = 0\nmax_blocks = 2")
    world.arm()
    world.keep()
    yield world
    world.settle()


def test_a_stop_is_held_while_the_check_fails(armed: Held) -> None:
    """Scenario 9; that the count is on disk first is in tests/fault."""
    said = armed.stop()

    assert set(said.json) == {"decision", "reason", "systemMessage"}
    assert said.json["decision"] == "block"
    assert "Not proven yet" in said.notice  # for the user, once
    for part in ("V1 failed", "sh check.sh", "exit 1", "looking at answer.txt", "block 1 of 2"):
        assert part in said.block
    assert 'The user ends this by saying "stop ultrawork"' in said.block
    assert f"goalkeeper blocked --run {armed.hold()['run']} --as needs-human" in said.block
    assert armed.hold()["blocks"] == 1


def test_a_stop_right_after_the_keyword_waits_for_the_proof(held: Held) -> None:
    held.prompt("ulw mend it")

    assert "V1 failed" in held.stop().block


def test_a_long_reason_is_cut_and_keeps_the_way_out(tmp_path: Path) -> None:
    held = Held(tmp_path, files={"check.sh": "seq 100000 | sed 's/$/ is too much/'; exit 7\n"})
    held.arm()

    reason = held.stop().block

    assert "100000 is too much" in reason
    assert "stop ultrawork" in reason
    assert len(reason) <= 1600
    assert "\n\n" not in reason


def test_a_stop_is_let_through_when_the_check_passes(armed: Held) -> None:
    """Scenario 10."""
    armed.stop()
    evidence = set(armed.state.glob("runs/*/evidence/*/*.json"))
    armed.mend()

    said = armed.stop()

    hold = armed.hold()
    assert set(said.json) == {"systemMessage"}
    assert f"Proven on tree {hold['verdict']['tree'][:12]}" in said.notice
    assert (hold["ended"], hold["blocks"], armed.is_watched()) == ("proven", 1, False)
    assert hold["verdict"]["tree"] == tree_of(armed)
    assert set(armed.state.glob("runs/*/evidence/*/*.json")) > evidence
    assert armed.stop().out == ""


def test_checks_that_passed_before_any_work_prove_nothing(tmp_path: Path) -> None:
    held = Held(tmp_path, files={"answer.txt": "good\n"})
    held.arm()

    assert "all checks are as they were before: no file has changed since" in held.stop().block

    held.work(number=1)
    assert "Proven on tree" in held.stop().notice


def tree_of(world: Held) -> str:
    """What git says that the files are, by an index of its own."""
    index = world.root.parent / "index"
    look = f"export GIT_INDEX_FILE={index}; git add --all && git write-tree && rm {index}"
    return world.git("-c", f"alias.look=!{look}", "look").strip()


def test_what_was_proven_before_a_change_is_proven_anew(armed: Held) -> None:
    """Scenario 11."""
    armed.mend()
    agent = armed.surroundings("claude", "s1")
    assert armed.run("ulw", "prove", env=agent).code == 0
    armed.write("answer.txt", "worse than before\n")

    assert "V1 failed" in armed.stop().block

    armed.mend()
    assert "Proven" in armed.stop().notice


def test_what_is_said_is_not_taken_as_proof(armed: Held) -> None:
    """Scenario 12."""
    said = armed.stop(last_assistant_message="<promise>DONE</promise>")

    assert "claims otherwise; the checks decide" in said.block


def test_the_most_that_is_allowed_ends_it_and_the_keyword_begins_from_zero(armed: Held) -> None:
    """Scenarios 13, 14 and 15, bounded: the default."""
    assert "block 1 of 2" in armed.stop().block
    assert "block 2 of 2" in armed.stop(stop_hook_active=True).block

    said = armed.stop()

    assert (said.block, set(said.json)) == ("", {"systemMessage"})
    assert "NOT proven (max_blocks)" in said.notice
    before = armed.hold()
    assert (before["ended"], before["ended_why"], before["blocks"]) == ("tripped", "max_blocks", 2)
    assert armed.stop().out == ""

    armed.prompt("ulw retry")

    after = armed.hold()
    assert after["activation"] != before["activation"]
    assert (after["blocks"], after["ended"], after["run"]) == (0, "", before["run"])
    armed.work(number=4)
    assert "block 1 of 2" in armed.stop().block


def test_a_stop_that_follows_a_block_is_let_go_where_the_settings_say_so(tmp_path: Path) -> None:
    """Scenario 15, yielding."""
    held = Held(tmp_path, 'cooldown = 0\nstop_hook_active = "yield"')
    held.arm()

    assert held.stop().block
    assert held.stop(stop_hook_active=True).out == ""
    assert held.stop().block


def test_three_stops_with_the_same_files_and_failures_end_it(held: Held) -> None:
    """Scenario 16."""
    held.arm()
    assert "block 1 of 8" in held.stop().block
    assert "block 2 of 8" in held.stop(stop_hook_active=True).block

    said = held.stop(stop_hook_active=True)

    assert "NOT proven (no_progress)" in said.notice
    assert (held.hold()["ended"], held.hold()["ended_why"]) == ("tripped", "no_progress")
    assert not held.is_watched()


def test_a_stop_that_comes_back_at_once_is_counted_and_the_second_ends_it(tmp_path: Path) -> None:
    """Scenario 17."""
    held = Held(tmp_path, "cooldown = 3600")
    held.arm()
    assert held.stop().block
    assert held.stop(stop_hook_active=True).block
    assert held.hold()["fast_returns"] == 1

    said = held.stop(stop_hook_active=True)

    assert "NOT proven (fast_return)" in said.notice
    assert held.hold()["ended_why"] == "fast_return"


@pytest.mark.thorough
def test_who_is_back_at_once_with_other_files_has_worked(tmp_path: Path) -> None:
    held = Held(tmp_path, "cooldown = 3600")
    held.arm()
    for number in range(1, 5):
        held.work(number=number)
        assert f"block {number} of 8" in held.stop().block
    assert held.hold()["fast_returns"] == 0


@pytest.mark.parametrize("more", [{"background_tasks": [RUNNING]}, {"session_crons": [CRON]}])
def test_work_in_the_background_is_waited_for(armed: Held, more: dict[str, Any]) -> None:
    """Scenario 18."""
    said = armed.stop(**more)
    assert (said.block, "NOT proven: work goes on" in said.notice) == ("", True)
    assert armed.stop(**more).out == ""  # told once
    assert (armed.hold()["paused_for"], armed.hold()["blocks"]) == ("work in the background", 0)

    assert armed.stop(background_tasks=[], session_crons=[]).block
    assert armed.hold()["paused_for"] == ""


def test_work_in_the_background_that_is_over_is_not_waited_for(armed: Held) -> None:
    assert armed.stop(background_tasks=[RUNNING | {"status": "completed"}]).block


def test_planning_is_not_held(armed: Held) -> None:
    """Scenario 19."""
    before = armed.hold()
    assert armed.stop(permission_mode="plan").out == ""
    assert armed.hold() == before


@pytest.mark.parametrize("event", ["SubagentStop", "Stop"])
def test_a_subagent_is_not_held(armed: Held, event: str) -> None:
    """Scenario 20."""
    before = armed.hold()
    told = {"hook_event_name": event, "agent_id": "a1", "agent_type": "general-purpose"}
    assert armed.stop(**told).out == ""
    assert armed.hold() == before


def test_a_turn_that_failed_is_noted_and_not_counted(armed: Held) -> None:
    """Scenario 21."""
    said = armed.hook("claude", "StopFailure", error="rate_limit", last_assistant_message="")

    assert said.out == ""
    hold = armed.hold()
    assert "rate_limit; say anything to go on" in hold["paused_for"]
    assert (hold["blocks"], hold["ended"]) == (0, "")
    status = armed.ok("ulw", "status")["holds"][0]
    assert (status["state"], status["blocks"]) == ("paused", 0)
    assert armed.stop().block


@pytest.mark.parametrize("why", ["context_window_exceeded", "max_tokens", "user_cancelled", "401"])
def test_a_turn_that_its_client_ended_is_not_held(armed: Held, why: str) -> None:
    assert armed.stop(stop_reason=why).out == ""
    assert armed.hold()["blocks"] == 0


def test_a_proof_that_takes_too_long_goes_on_alone(tmp_path: Path) -> None:
    """Scenario 30: the answer comes before the client's patience ends."""
    gate = tmp_path / "gate"
    gate.touch()
    script = f"until [ -e {gate} ]; do sleep 0.02; done\n{CHECK}"
    here = 'cooldown = 0\nwait = 1\n[witness]\nisolation = "checkout"'
    held = Held(tmp_path, here, files={"check.sh": script})
    held.arm()
    gate.unlink()
    held.mend()

    said = held.stop()
    gate.touch()

    assert said.block == ""
    assert "NOT proven: the checks are still running after 1 seconds" in said.notice
    assert held.is_watched()
    held.settle()
    assert held.hold()["verdict"]["outcome"] == "passed"
    held.rewrite(wait=60)
    assert "Proven" in held.stop().notice


def test_a_check_that_cannot_be_run_holds_nobody(tmp_path: Path) -> None:
    """Could not check is neither passed nor failed."""
    held = Held(tmp_path, verify='[["no-such-program-anywhere"]]')
    held.arm()

    said = held.stop()

    assert said.block == ""
    assert "NOT proven: it could not be checked" in said.notice
    assert held.hold()["ended"] == ""


def test_a_hold_ends_with_its_time(armed: Held) -> None:
    """Eight hours, where nothing else is said. The clock is the machine's; so the hold is old."""
    armed.rewrite(armed_at=time.time() - 9 * 3600)

    said = armed.stop()

    assert "NOT proven (time)" in said.notice
    assert armed.hold()["ended_why"] == "time"


def test_what_the_client_itself_let_go_is_told_once(tmp_path: Path) -> None:
    """Scenario 47: Claude Code ends a turn itself after eight blocks in a row."""
    held = Held(tmp_path)
    held.arm()
    held.rewrite(blocks=7, in_a_row=7)
    assert "block 8 of 8" in held.stop(stop_hook_active=True).block

    said = held.prompt("what happened?")

    assert "claude let the agent stop after 8 blocks, NOT proven" in said.notice
    assert (held.hold()["ended"], held.is_watched()) == ("overridden", False)
    assert held.prompt("and now?").out == ""
    assert held.stop().out == ""


GOAL = '{"type":"attachment","attachment":{"type":"goal_status","met":%s,"condition":"x"}}\n'
OTHER = '{"type":"assistant","message":{"content":"\\"goal_status\\" is not what this is"}}\n'


def test_a_goal_of_the_clients_own_is_left_to_it(armed: Held) -> None:
    """Scenario 48."""
    transcript = armed.root.parent / "transcript.jsonl"
    transcript.write_text(GOAL % "false" + OTHER)

    said = armed.stop(transcript_path=str(transcript))

    assert said.block == ""
    assert "Not held, NOT proven: a goal of claude's own is active" in said.notice
    assert "V1 failed" in said.notice
    assert armed.hold()["blocks"] == 0

    transcript.write_text(GOAL % "false" + GOAL % "true")
    assert armed.stop(transcript_path=str(transcript)).block


def test_a_goal_of_the_clients_own_is_no_matter_where_the_settings_say_so(tmp_path: Path) -> None:
    """Scenario 48."""
    held = Held(tmp_path, 'cooldown = 0\nvendor_goal = "hold"')
    held.arm()
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text(GOAL % "false")

    assert held.stop(transcript_path=str(transcript)).block


def test_an_edit_right_after_a_block_is_seen(armed: Held) -> None:
    """However soon the next stop comes, and however like the last one it is."""
    told: dict[str, Any] = {"stop_hook_active": True, "last_assistant_message": "done"}
    armed.write("notes.txt", "just now\n")
    assert armed.stop(**told).block
    armed.mend()

    assert armed.stop(**told).block == ""


def test_the_status_line_says_how_it_stands(armed: Held) -> None:
    armed.stop()
    assert armed.hook("claude", "Status").out == "ultrawork 1/2 · open: V1"
    assert armed.hook("claude", "Status", "s2").out == ""


def test_a_repository_can_be_moved_away_from_under_a_hold(held: Held) -> None:
    held.arm()
    away = held.root.parent / "away"
    os.rename(held.root, away)
    held.root.mkdir()

    said = held.stop()

    assert said.block == ""
    assert "NOT proven" in said.notice
    assert held.stop().out == ""
