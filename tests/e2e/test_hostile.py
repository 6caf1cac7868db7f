"""What an agent may plant in the repository, and what a slip of the keyboard must not cost."""

import os
from collections.abc import Callable
from pathlib import Path

from tests.e2e.world import World, plan_in
from tests.tables import for_each

NOTE = ("steer", "--kind", "annotate_ledger", "--evidence", "seen", "--rationale", "so that")
REFUSED: list[tuple[str, ...]] = [
    ("steer", "--kind", "add_subgoal", "--evidence", "aa", "--rationale", "bb"),
    ("steer", "--kind", "add_subgoal", "--title", "", "--objective", ""),
    ("steer", "--kind", "revise_pending_wording", "--goal-id", "G002"),
    ("steer", "--kind", "mark_blocked_superseded", "--goal-id", "G001"),
    ("steer", "--kind", "split_subgoal", "--goal-id", "G002", "--replacements-json", "[]"),
    ("steer", "--kind", "reorder_pending", "--order-json", "[]"),
    ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done"),
    ("unblock", "--goal-id", "G001", "--evidence", "done"),
    ("goal", "complete"),
    ("goal", "pause"),
]


@for_each("words", REFUSED, ids=" ".join)
def test_whatever_is_refused_the_ledger_stays_readable(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    planned = plan_in(tmp_path)
    assert planned.run(*words).code == 1

    planned.ok("ledger", "verify")
    for remembered in (planned.state / "cache").iterdir():
        remembered.unlink()
    planned.ok("status")
    planned.ok("ledger", "show")


def run_folder(world: World) -> Path:
    (folder,) = world.state.glob("runs/[0-9]*")
    return folder


def test_nothing_is_written_through_a_planted_link(planned: World, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (run_folder(planned) / "goals.json.tmp").symlink_to(victim)

    planned.ok(*NOTE)

    assert victim.read_text() == "precious"
    assert not (run_folder(planned) / "goals.json").is_symlink()


def test_an_export_leaves_a_file_beside_it_alone(planned: World) -> None:
    beside = planned.root / "copy.jsonl.tmp"
    beside.write_text("mine")

    planned.ok("ledger", "export", "--output", "copy.jsonl")

    assert beside.read_text() == "mine"


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def huge(path: Path) -> None:
    os.truncate(path, 50 << 30)  # sparse: it takes no room


@for_each("spoil", [pipe, huge])
@for_each("name", ["goals.json", "brief.md", "ledger.jsonl"])
def test_what_is_not_a_file_of_ours_hangs_nobody(
    tmp_path: Path, name: str, spoil: Callable[[Path], None]
) -> None:
    planned = plan_in(tmp_path)
    spoil(run_folder(planned) / name)

    assert planned.run("status").code == (4 if name == "ledger.jsonl" else 0)
    assert planned.run("ledger", "verify").code == 4


def test_a_repair_that_cannot_rebuild_says_so_and_records_nothing(planned: World) -> None:
    goals = run_folder(planned) / "goals.json"
    goals.unlink()
    goals.mkdir()

    answer = planned.run("state", "repair", "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")
    assert "goals.json" in answer.json["error"]["message"]
    assert planned.events("ledger_repaired") == []


def test_a_stray_file_in_quarantine_is_in_nobodys_way(planned: World) -> None:
    folder = run_folder(planned)
    (folder / "quarantine").mkdir()
    (folder / "quarantine" / "x").touch()
    with (folder / "ledger.jsonl").open("a") as ledger:
        ledger.write('{"seq')

    (action,) = planned.ok("state", "repair")["actions"]

    assert action.startswith("moved 5 torn bytes from line 2 on to quarantine/line-2-")


def test_torn_bytes_are_not_moved_through_a_link(planned: World, tmp_path: Path) -> None:
    folder = run_folder(planned)
    (tmp_path / "out").mkdir()
    (folder / "quarantine").symlink_to(tmp_path / "out")
    with (folder / "ledger.jsonl").open("a") as ledger:
        ledger.write('{"seq')

    refused = planned.run("state", "repair", "--json")
    assert (refused.reason, "is a symbolic link" in refused.json["error"]["message"]) == (
        "disk-failed",
        True,
    )
    assert list((tmp_path / "out").iterdir()) == []


def test_a_claim_in_an_edited_goals_json_is_not_believed(planned: World) -> None:
    goals = run_folder(planned) / "goals.json"
    goals.write_text(goals.read_text().replace('"seq":1', '"seq":500'))

    planned.ok("status")
    assert planned.run("ledger", "verify", "--json").reason == "projection-differs"
    assert planned.ok("state", "repair")["actions"] == ["rebuilt goals.json"]


def test_lost_lines_are_missed_also_when_goals_json_is_gone(planned: World) -> None:
    planned.ok(*NOTE)
    folder = run_folder(planned)
    lines = (folder / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "ledger.jsonl").write_bytes(b"".join(lines[:-1]))
    (folder / "goals.json").unlink()

    answer = planned.run("status", "--json")

    assert (answer.code, answer.reason) == (4, "ledger-broken")
    assert f"{len(lines[-1])} bytes that were written are missing" in answer.err


def test_an_archived_run_can_still_be_looked_at(planned: World) -> None:
    run_id = run_folder(planned).name
    planned.ok("state", "clear", "--force", "--mode", "ultragoal")

    assert planned.run(*NOTE, "--run", run_id, "--json").reason == "run-closed"
    assert planned.ok("ledger", "verify", "--run", run_id)["entries"] == 2


def test_a_clear_that_could_not_be_recorded_says_so(planned: World) -> None:
    with (run_folder(planned) / "ledger.jsonl").open("a") as ledger:
        ledger.write("junk\n")

    key = Path(planned.ok("init", "--yes")["approval_key_path"]).read_text().strip()
    human = {"GOALKEEPER_APPROVAL": key}
    answer = planned.run("state", "clear", "--force", "--mode", "ultragoal", env=human)

    assert "Nothing was recorded: its ledger is broken." in answer.out


def test_a_file_given_as_the_text_of_a_brief_is_a_mistake(world: World) -> None:
    (world.root / "brief.md").write_text("@goal: One\n")

    answer = world.run("create-goals", "--brief", "brief.md", "--json")

    assert (answer.code, answer.hint) == (2, "goalkeeper create-goals --brief-file brief.md")


def test_the_last_goal_of_the_brief_cannot_be_swapped_for_an_easier_one(world: World) -> None:
    world.plan("Hard work.")
    nop = ("--title", "Nop", "--objective", "Do nothing.")
    world.ok("steer", "--kind", "add_subgoal", *nop, *NOTE[3:])
    world.start()
    world.checkpoint("G001", "blocked")

    assert world.refused("steer", "--kind", "mark_blocked_superseded", "--goal-id", "G001",
                         *NOTE[3:]) == "last-required-goal"  # fmt: skip
