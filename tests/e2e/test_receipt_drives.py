"""Receipts of work that was driven or held: they are issued there, too, and hold when it landed."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.drives import FIX, NOTE, NOTED, Driven
from tests.e2e.holds import Held
from tests.e2e.project import contract
from tests.e2e.receipts import HOLDS, Stranger, envelope_of, public_key, receipts

TWO = (contract(), NOTED)


def driven_and_landed(driven: Driven) -> Any:  # noqa: ANN401  JSON
    assert driven.drive({"G001": [FIX], "G002": [NOTE]}).reason == "done"
    told = [(each["kind"], each["goal_id"], each["stale"]) for each in receipts(driven)]
    assert told == [("goal", "G001", None), ("goal", "G002", None), ("final", "", None)]
    assert driven.run("receipt", "verify").code == 1
    return driven.ok("land")


def test_a_drive_ends_with_a_final_receipt_that_holds_when_it_has_landed(
    driven: Driven, tmp_path: Path
) -> None:
    driven.ok("init", "--yes")
    driven.ask(*TWO)
    driven_and_landed(driven)

    assert driven.run("receipt", "verify", "--kind", "final").code == 0
    stranger = Stranger(tmp_path / "stranger", driven.root)
    data, key = envelope_of(driven), public_key(driven)
    assert stranger.by_all(data, key) == HOLDS
    assert stranger.by_securesystemslib(data, key) is not None


def test_nothing_of_ours_need_be_committed_for_a_receipt_to_hold(driven: Driven) -> None:
    driven.ask(*TWO)
    landed = driven_and_landed(driven)

    assert (landed["how"], landed["is_proven_tree"]) == ("commit", True)
    assert driven.git("status", "--short", "--untracked-files=all") == ""
    assert driven.git("ls-files", ".goalkeeper") == ""
    assert driven.run("receipt", "verify", "--kind", "final").code == 0
    assert not driven.worktree("G001").exists()


@pytest.mark.thorough
def test_settings_that_goalkeeper_wrote_and_nobody_committed_land_before_the_work(
    driven: Driven,
) -> None:
    """They were there when it was proven; without them the receipt would be of another tree."""
    driven.ask(*TWO)
    driven.ok("init", "--yes")
    landed = driven_and_landed(driven)

    assert (landed["how"], landed["is_proven_tree"]) == ("commit", True)
    assert driven.git("status", "--short") == ""
    told = driven.git("log", "-3", "--format=%s", "--name-only").split("\n\n")
    assert [*filter(None, "\n".join(told).splitlines())] == [
        "Part 2", "notes.txt", "Part 1", "product.txt", "goalkeeper: settings",
        ".goalkeeper/config.toml",
    ]  # fmt: skip
    assert driven.run("receipt", "verify", "--kind", "final").code == 0


def test_settings_that_changed_since_the_plan_stay_behind_and_the_receipt_waits_for_them(
    driven: Driven,
) -> None:
    driven.ok("init", "--yes")
    assert driven.drive({"G001": [FIX]}).reason == "done"
    settings = driven.state / "config.toml"
    before = settings.read_text()
    settings.write_text(f"{before}\n# mine\n")
    landed = driven.ok("land")

    assert (landed["how"], landed["is_proven_tree"]) == ("commit", False)
    assert driven.git("status", "--short") == "?? .goalkeeper/\n"
    answer = driven.run("receipt", "verify", "--json")
    assert [reason["code"] for reason in answer.json["reasons"]] == ["stale"]
    settings.write_text(before)
    driven.commit("settings")
    assert driven.run("receipt", "verify", "--kind", "final").code == 0


def test_what_landed_beside_other_work_is_another_tree_and_the_receipt_says_so(
    driven: Driven,
) -> None:
    driven.drive({"G001": [FIX]})
    driven.write({"mine.txt": "mine\n"})
    driven.commit("mine")
    landed = driven.ok("land")

    assert (landed["how"], landed["is_proven_tree"]) == ("commit", False)
    answer = driven.run("receipt", "verify", "--json")
    assert answer.code == 1
    assert [reason["code"] for reason in answer.json["reasons"]] == ["stale"]


def test_a_commit_that_brings_work_in_names_the_receipt_of_it(driven: Driven) -> None:
    driven.drive({"G001": [FIX]})
    driven.write({"mine.txt": "mine\n"})
    driven.commit("mine")
    driven.ok("land")

    form = "--format=%(trailers:only)"
    issued = receipts(driven)
    told = driven.git("log", "-1", form).splitlines()
    named = [f"Goalkeeper-Receipt: sha256:{each['digest']}" for each in issued]
    assert [line for line in told if line][1:] == ["Goal: G001", *named]
    assert [each["kind"] for each in issued] == ["goal", "final"]


def test_what_ultrawork_has_proven_has_a_receipt_that_holds_when_it_is_committed(
    tmp_path: Path,
) -> None:
    held = Held(tmp_path)
    held.arm()
    held.mend()
    assert "Proven on tree" in held.stop().notice
    held.settle()
    of = ("--run", held.hold()["run"])
    assert [each["kind"] for each in held.ok("receipt", "list", *of)["receipts"]] == [
        "goal",
        "final",
    ]

    held.commit()

    assert held.run("receipt", "verify", "--kind", "final", *of).code == 0
