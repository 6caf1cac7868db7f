"""Receipts of work that was driven or held: they are issued there, too, and hold when it landed."""

from pathlib import Path

from tests.e2e.drives import FIX, NOTE, NOTED, Driven
from tests.e2e.holds import Held
from tests.e2e.project import contract
from tests.e2e.receipts import HOLDS, Stranger, envelope_of, public_key, receipts


def driven_and_landed(driven: Driven) -> None:
    driven.ask(contract(), NOTED)
    assert driven.drive({"G001": [FIX], "G002": [NOTE]}).reason == "done"
    told = [(each["kind"], each["goal_id"], each["stale"]) for each in receipts(driven)]
    assert told == [("goal", "G001", None), ("goal", "G002", None), ("final", "", None)]
    assert driven.run("receipt", "verify").code == 1
    driven.ok("land")


def test_a_drive_ends_with_a_final_receipt_that_holds_when_it_has_landed(
    driven: Driven, tmp_path: Path
) -> None:
    driven.ok("init", "--yes")
    driven_and_landed(driven)

    assert driven.run("receipt", "verify", "--kind", "final").code == 0
    stranger = Stranger(tmp_path / "stranger", driven.root)
    data, key = envelope_of(driven), public_key(driven)
    assert stranger.by_both(data, key) == HOLDS
    assert stranger.by_securesystemslib(data, key) is not None


def test_where_our_own_files_are_not_committed_another_tree_lands(driven: Driven) -> None:
    """They were there when it was proven, and stay behind."""
    driven_and_landed(driven)

    assert driven.git("status", "--short") == "?? .goalkeeper/\n"
    answer = driven.run("receipt", "verify", "--json")
    assert [reason["code"] for reason in answer.json["reasons"]] == ["stale"]


def test_what_landed_beside_other_work_is_another_tree_and_the_receipt_says_so(
    driven: Driven,
) -> None:
    driven.drive({"G001": [FIX]})
    driven.write({"mine.txt": "mine\n"})
    driven.commit("mine")
    driven.ok("land")

    answer = driven.run("receipt", "verify", "--json")
    assert answer.code == 1
    assert [reason["code"] for reason in answer.json["reasons"]] == ["stale"]


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
