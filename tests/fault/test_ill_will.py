"""A state directory that somebody arranged to mislead us, or that comes from the future."""

import os
from pathlib import Path

from tests.fault.rig import Argv, Repo, Tail, planned, without
from tests.fault.scenarios import (
    ADD,
    CLASSIFY,
    CLEAR,
    CREATE,
    HOLD,
    REPAIR,
)
from tests.tables import for_each

STATUS: Argv = ("status", "--json")
VERIFY: Argv = ("ledger", "verify", "--json")
STEER: Argv = (*ADD, "--json")

ALL: tuple[Argv, ...] = (
    STATUS, STEER, VERIFY, (*CREATE, "--json"), (*REPAIR, "--json"), (*CLEAR, "--json"),
    (*HOLD, "--json"),
)  # fmt: skip


@for_each("asked", [*ALL, ("init", "--yes", "--json")], ids=lambda argv: argv[0])
def test_a_state_directory_that_is_a_file_is_refused(asked: Argv, tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.state.write_bytes(b"mine")

    said = repo.call(*asked)

    assert (said.code, said.error["code"]) == (3, "state-misplaced")
    assert repo.state.read_bytes() == b"mine"


@for_each("name", [".", "runs"])
@for_each("asked", [*ALL, ("state", "doctor", "--json")], ids=" ".join)
def test_a_state_that_leads_out_of_the_repository_is_refused(
    asked: Argv, name: str, tmp_path: Path
) -> None:
    repo = planned(tmp_path / "repo")
    outside = moved_out(repo.state / name, tmp_path / "outside")
    before = contents(outside)

    said = repo.call(*asked)

    assert (said.code, said.error["code"]) == (3, "state-misplaced")
    assert contents(outside) == before


@for_each(
    "name",
    [
        "cache",
        "archive",
        "runs/.bound",
    ],
)
def test_nothing_is_written_through_a_link_that_leads_out_of_the_repository(
    name: str, tmp_path: Path
) -> None:
    repo = planned(tmp_path / "repo", session="s1")
    (repo.state / name).mkdir(exist_ok=True)
    outside = moved_out(repo.state / name, tmp_path / "outside")
    before = contents(outside)

    repo.call(*STEER)
    repo.call(*CREATE, "--archive", "a better plan")

    assert contents(outside) == before


def moved_out(place: Path, outside: Path) -> Path:
    """Move a folder and leave a link in its place."""
    place.resolve().rename(outside)
    Path(os.path.normpath(place)).symlink_to(outside)
    return outside


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@for_each("asked", [STATUS, STEER, VERIFY, (*REPAIR, "--json")], ids=" ".join)
def test_a_run_that_is_a_link_is_refused(asked: Argv, tmp_path: Path) -> None:
    repo = planned(tmp_path / "repo")
    outside = moved_out(repo.here, tmp_path / "outside")
    before = contents(outside)

    said = repo.call(*asked)

    assert (said.code, said.error["code"]) == (3, "state-misplaced")
    assert contents(outside) == before


@for_each("name", ["ledger.jsonl", "lock"])
@for_each("asked", [STATUS, STEER, VERIFY, (*REPAIR, "--json")], ids=" ".join)
def test_a_ledger_or_lock_that_is_a_link_is_refused(asked: Argv, name: str, tmp_path: Path) -> None:
    repo = planned(tmp_path / "repo")
    outside = moved_out(repo.here / name, tmp_path / "outside")
    before = outside.read_bytes()

    said = repo.call(*asked)

    assert (said.code, said.error["code"]) == (5, "disk-failed")
    assert outside.read_bytes() == before
    (finding,) = repo.call("state", "doctor", "--json").data["findings"]
    assert finding["code"] == "disk-failed"


@for_each("name", ["goals.json", "brief.md"])
def test_a_projection_that_is_a_link_is_replaced_and_not_followed(
    name: str, tmp_path: Path
) -> None:
    repo = planned(tmp_path / "repo")
    outside = moved_out(repo.here / name, tmp_path / "outside")
    outside.write_bytes(b"mine")

    repo.did(*STEER)
    repo.did(*REPAIR)

    assert outside.read_bytes() == b"mine"
    assert not (repo.here / name).is_symlink()
    repo.did("ledger", "verify")


@for_each("name", ["ledger.jsonl", "goals.json", "brief.md", "lock"])
def test_a_folder_in_place_of_a_file_is_no_crash(name: str, tmp_path: Path) -> None:
    repo = planned(tmp_path)
    place = repo.here / name
    place.unlink()
    place.mkdir()

    codes = [repo.call(*asked).code for asked in (STATUS, STEER, VERIFY, REPAIR)]

    assert set(codes) <= {0, 4, 5}
    assert {4, 5} & set(codes)


# Files from the future.


@for_each(
    "asked",
    [
        STATUS,
        STEER,
        VERIFY,
        (*REPAIR, "--json"),
    ],
    ids=" ".join,
)
def test_a_goals_json_of_a_newer_version_is_left_alone(asked: Argv, tmp_path: Path) -> None:
    repo = planned(tmp_path)
    newer = repo.goals.read_bytes().replace(b'{"version":6', b'{"version":7')
    repo.goals.write_bytes(newer)
    before = repo.files()

    said = repo.call(*asked)

    assert (said.code, said.error["code"]) == (3, "state-too-new")
    assert "upgrade goalkeeper" in said.error["hint"]
    assert without(repo.files(), "lock") == without(before, "lock")


def test_a_repair_moves_nothing_in_a_state_of_a_newer_version(tmp_path: Path) -> None:
    repo = planned(tmp_path, CLASSIFY)
    Tail(repo, *ADD).cut(100)
    newer = repo.goals.read_bytes().replace(b'{"version":6', b'{"version":7')
    repo.goals.write_bytes(newer)
    before = repo.files()

    assert repo.call(*REPAIR).code == 3
    assert repo.files() == before


@for_each("asked", [STATUS, STEER, VERIFY, (*REPAIR, "--json")], ids=" ".join)
def test_an_event_of_a_newer_version_is_left_alone(asked: Argv, tmp_path: Path) -> None:
    repo = planned(tmp_path, ADD)
    newer = repo.ledger.read_bytes().replace(
        b'"kind":"steering_accepted","v":1', b'"kind":"steering_accepted","v":2'
    )
    repo.ledger.write_bytes(newer)
    before = repo.files()

    said = repo.call(*asked)

    assert (said.code, said.error["code"]) == (3, "state-too-new")
    assert "line 2" in said.error["message"]
    assert repo.files() == before


def test_a_configuration_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    config = repo.state / "config.toml"
    config.write_text("version = 2\n")

    said = repo.call("init", "--yes", "--json")

    assert (said.code, said.error["code"]) == (3, "state-too-new")
    assert "upgrade goalkeeper" in said.error["hint"]
    assert config.read_text() == "version = 2\n"
    repo.did(*STATUS)


def test_the_doctor_names_a_configuration_of_a_newer_version(tmp_path: Path) -> None:
    repo = planned(tmp_path)
    (repo.state / "config.toml").write_text("version = 2\n")

    (finding,) = repo.call("state", "doctor", "--json").data["findings"]

    assert finding["code"] == "state-too-new"
