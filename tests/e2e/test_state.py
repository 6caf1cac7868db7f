"""The state is diagnosed, repaired, cleared and handed off."""

import json
from pathlib import Path

from tests.e2e.world import World, plan_in, tree
from tests.tables import for_each

CLEAR = ("state", "clear", "--force", "--mode", "ultragoal")


# doctor, repair


def test_the_doctor_finds_a_sound_state_sound(planned: World) -> None:
    planned.blocked()

    assert planned.ok("state", "doctor")["findings"] == []
    assert "sound" in planned.run("state", "doctor").out


def test_the_doctor_finds_nothing_where_nothing_is(world: World) -> None:
    assert world.ok("state", "doctor")["findings"] == []
    assert not world.state.exists()


def damaged(world: World, how: str) -> str:
    """Do some harm; the code of the finding."""
    (run,) = world.state.glob("runs/2*")
    ledger, goals, brief = (run / name for name in ("ledger.jsonl", "goals.json", "brief.md"))
    if how == "torn":
        ledger.write_text(ledger.read_text() + '{"seq":')
        return "ledger-torn"
    if how == "edited projection":
        goals.write_text(goals.read_text().replace("pending", "complete"))
    elif how == "lost projection":
        goals.unlink()
    else:
        brief.write_text("Do less.\n")
    return "projection-differs"


@for_each("how", ["torn", "edited projection", "lost projection", "edited brief"])
def test_what_the_doctor_finds_the_command_it_names_mends(tmp_path: Path, how: str) -> None:
    planned = plan_in(tmp_path)
    planned.start()
    sound = {path: data for path, data in tree(planned.state).items() if "runs" in path}
    code = damaged(planned, how)

    answer = planned.run("state", "doctor", "--json")
    assert answer.code == 1
    (finding,) = answer.json["findings"]
    assert finding["code"] == code
    page = planned.run("state", "doctor").out
    assert finding["message"] in page
    assert finding["mend"] in page

    mend = finding["mend"].removeprefix("goalkeeper ").split()[:4]
    assert mend[:3] == ["state", "repair", "--run"]
    actions = planned.ok(*mend)["actions"]
    assert actions
    assert planned.ok("state", "doctor")["findings"] == []
    (event,) = planned.events("ledger_repaired")
    assert event["data"]["actions"] == actions
    assert planned.statuses() == {"G001": "active", "G002": "pending", "G003": "pending"}
    brief = next(path for path in sound if path.endswith("brief.md"))
    assert tree(planned.state)[brief] == sound[brief]


def test_a_second_repair_has_nothing_to_do(planned: World) -> None:
    damaged(planned, "torn")
    planned.ok("state", "repair")
    before = planned.bytes_of_state()

    assert planned.ok("state", "repair")["actions"] == []
    assert planned.run("state", "repair").out == "Nothing needed mending.\n"
    assert planned.bytes_of_state() == before


def test_an_edited_projection_is_not_believed(planned: World) -> None:
    damaged(planned, "edited projection")

    assert set(planned.statuses().values()) == {"pending"}


# clear


def test_clear_closes_and_keeps_the_run(planned: World) -> None:
    run_id = planned.ok("status")["run_id"]
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    before = ledger.read_bytes()

    cleared = planned.ok(*CLEAR)

    kept = Path(cleared["archived"], "ledger.jsonl").read_bytes()
    assert kept.startswith(before)
    assert json.loads(kept.splitlines()[-1])["kind"] == "state_cleared"
    assert cleared["run_id"] == run_id
    assert planned.ok("status")["exists"] is False
    answer = planned.run(*CLEAR, "--json")
    assert (answer.code, answer.reason) == (2, "no-plan")


def test_clear_takes_only_the_run_that_is_named(world: World) -> None:
    one = world.plan("One.", env={"CODEX_THREAD_ID": "1"})
    two = world.plan("Two.", env={"CODEX_THREAD_ID": "2"})

    world.ok(*CLEAR, "--run", one)

    assert not (world.state / "runs" / one).exists()
    assert world.ok("status", env={"CODEX_THREAD_ID": "2"})["run_id"] == two


def test_clear_asks_for_force_and_names_the_whole_command(planned: World) -> None:
    answer = planned.run("state", "clear", "--mode", "ultragoal", "--json")

    assert answer.code == 2
    assert planned.ok(*answer.hint.removeprefix("goalkeeper ").split())["ok"] is True


def test_clear_takes_a_broken_run_as_it_is(planned: World) -> None:
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    ledger.write_bytes(b"garbage\n")
    assert planned.run(*CLEAR).code == 4  # an agent may have broken it to be rid of it

    key = Path(planned.ok("init", "--yes")["approval_key_path"]).read_text().strip()
    cleared = planned.ok(*CLEAR, env={"GOALKEEPER_APPROVAL": key})

    assert cleared["recorded"] is False
    assert Path(cleared["archived"], "ledger.jsonl").read_bytes() == b"garbage\n"
    assert planned.ok("status")["exists"] is False


def test_a_cleared_session_may_plan_anew(world: World) -> None:
    session = {"CLAUDE_CODE_SESSION_ID": "1"}
    first = world.plan("One.", env=session)
    world.ok(*CLEAR, env=session)

    assert world.plan("Two.", env=session) != first


# handoff, write
CLASSIFIED = ("classify-blocker", "--classification", "human_blocked", "--evidence", "which one?")


@for_each("to", ["planning", "clarification"])
def test_a_handoff_is_recorded_once_and_ends_with_the_next_goal(tmp_path: Path, to: str) -> None:
    planned = plan_in(tmp_path)
    planned.ok(*CLASSIFIED)
    assert planned.ok("state", "handoff", "--to", to)["handoff"] == to
    planned.ok("state", "handoff", "--to", to)

    assert (planned.ok("status")["status"], planned.ok("status")["handoff"]) == ("handoff", to)
    assert len(planned.events("handoff_recorded")) == 1
    planned.start()
    assert planned.ok("status")["status"] == "active"
    assert "handoff" not in planned.ok("status")


def test_a_phase_is_written_inline_or_from_a_file(planned: World) -> None:
    planned.ok(*CLASSIFIED)
    phase = '{"current_phase": "handoff"}'
    (planned.root / "phase.json").write_text(phase)

    assert planned.ok("state", "write", "--input", phase)["handoff"] == "handoff"
    assert planned.ok("state", "write", "--input", "phase.json")["handoff"] == "handoff"
    assert len(planned.events("handoff_recorded")) == 1
